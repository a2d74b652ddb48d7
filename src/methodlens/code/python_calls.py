"""What a call in Python says about the method: seeds, optimisers, losses, augmentations, splits, metrics, devices, models."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from methodlens.code import names
from methodlens.code.python_names import UNKNOWN, Imports, argument, keywords
from methodlens.code.settings_found import CALL, setting
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

LOADED, SAVED, BACKBONE = "loaded", "saved", "backbone"
_OPTIMIZER_MODULES = re.compile(
    r"optim|optax|keras|tensorflow|transformers|bitsandbytes|timm|apex|deepspeed|paddle|mxnet|chainer", re.I
)
_PARALLEL = frozenset(
    (
        "DataParallel",
        "DistributedDataParallel",
        "MirroredStrategy",
        "GradScaler",
        "autocast",
        "set_visible_devices",
        "multi_gpu_model",
        "TPUStrategy",
        "init_process_group",
        "pmap",
        "FullyShardedDataParallel",
    )
)
_SAVING = frozenset(("save_weights", "save_pretrained", "save_checkpoint", "save_model", "ModelCheckpoint", "save_state_dict"))
_LOADING = frozenset(("load_state_dict", "load_weights", "load_checkpoint", "load_from_checkpoint", "load_model"))
_DEPLOYED = (
    "torch.onnx.export",
    "torch.jit.script",
    "torch.jit.trace",
    "TFLiteConverter",
    "FastAPI",
    "flask.Flask",
    "gradio.Interface",
    "gradio.Blocks",
)
_MODELS = re.compile(
    r"(?:^|\.)(?:models|applications|segmentation_models_pytorch|segmentation_models|timm|efficientnet_pytorch|model_zoo|transformers)\b"
)
_SPLITTERS = {
    "KFold",
    "StratifiedKFold",
    "GroupKFold",
    "RepeatedStratifiedKFold",
    "RepeatedKFold",
    "StratifiedGroupKFold",
    "TimeSeriesSplit",
}
_METRICS_MODULE = re.compile(r"(?:^|\.)\w{0,30}metrics?$", re.I)
_LAYERS = re.compile(r"layers|\bnn\b|rnn|keras|torch", re.I)
_MODEL_BASE = re.compile(r"(?:^|\.)(?:\w{0,30}Module|\w{0,30}Model|Layer|\w{0,30}PreTrainedModel|HybridBlock|Chain|Block)$")
_BUILDS = re.compile(r"(?:build|load|get|create|make|init)_")
_AUGMENTERS = re.compile(
    r"transforms?|albumentations|imgaug|kornia|torchaudio|audiomentations|monai|torchio|keras|tensorflow|tf\.image|iaa|augment|imblearn|torch\.utils\.data|librosa|timm|^A\.|^T\.|^v2\.",
    re.I,
)


class CallsInPython:
    """Reads the calls of one file."""

    def __init__(self, source: Source, imports: Imports, *, deep: bool) -> None:
        """`deep`: the file imports a framework for deep learning, so a class or function may be named after its model."""
        self._source, self._imports, self._deep = source, imports, deep

    def of_call(self, call: ast.Call, dotted: str) -> Iterator[Finding]:
        last = dotted.rpartition(".")[2]
        for read in (
            self._seed,
            self._optimizer,
            self._named,
            self._split,
            self._device,
            self._model,
            self._weights,
            self._data,
            self._compiled,
        ):
            yield from read(call, dotted, last)

    def _finding(
        self, topic: Topic, call: ast.AST, fact: str = "", value: Any = None, *, note: str = "", kind: str = CALL
    ) -> Finding:
        return self._source.finding(topic, getattr(call, "lineno", 1), fact, value, note=note, kind=kind)

    def _seed(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        seeds = last in names.listed("seeding") or dotted.endswith(("random.seed", "random.set_seed", "set_random_seed"))
        if not seeds:
            return
        given = argument(call, 0, "seed", "seed_value", "random_state")
        value = self._imports.value(given)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            yield self._finding(Topic.SEED, call, "seeds", value)
        elif given is not None and not (isinstance(given, ast.Constant) and given.value is None):
            yield self._finding(Topic.SEED, call, note="the value is set elsewhere")

    def _optimizer(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        given = keywords(call)
        plausible = _OPTIMIZER_MODULES.search(dotted.rpartition(".")[0]) or {"lr", "learning_rate"} & given.keys()
        name = names.optimizer(last) if plausible and (last[:1].isupper() or "optax" in dotted) else ""
        if not name:
            return
        if name == "SGD" and self._imports.value(given.get("nesterov")) is True:
            name = "SGD with Nesterov momentum"
        yield self._finding(Topic.OPTIMIZER, call, "optimizers", name)
        position = 1 if "torch" in dotted or "timm" in dotted else 0
        for key, value in {"lr": argument(call, position, "lr", "learning_rate"), **given}.items():
            if (
                key in ("lr", "momentum", "weight_decay")
                and value is not None
                and (resolved := self._imports.value(value)) is not UNKNOWN
            ):
                found = setting(self._source, value.lineno, key, resolved, kind=CALL)
                yield from [found] if found else []

    def _named(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        if last in names.listed("schedules"):
            yield self._finding(Topic.SCHEDULE, call)
        loss = "" if dotted.startswith(("sklearn", "torchmetrics")) or "metrics" in dotted else names.symbol("losses", last)
        if loss:
            yield self._finding(Topic.LOSS, call, "loss", loss)
        if name := _called_metric(dotted, last):
            yield self._finding(Topic.METRIC, call, "metrics", name)
        if (name := names.symbol("layers", last)) and _LAYERS.search(dotted.rpartition(".")[0]):
            yield self._finding(Topic.ARCHITECTURE, call, "architectures", name)
        if name := names.symbol("regularization", last):
            yield from self._regularization(call, last, name)
        if (name := names.symbol("augmentations", last)) and _AUGMENTERS.search(dotted.rpartition(".")[0] or dotted):
            yield self._finding(Topic.AUGMENTATION, call, "augmentations", name)
        if last == "ImageDataGenerator":
            for key, value in keywords(call).items():
                name = names.symbol("generator", key)
                if name and self._imports.value(value) not in (0, False, None, 0.0):
                    yield self._finding(Topic.AUGMENTATION, value, "augmentations", name)

    def _regularization(self, call: ast.Call, last: str, name: str) -> Iterator[Finding]:
        if name in (
            "L1 regularization",
            "L2 regularization",
            "elastic net regularization",
        ) and "regulariz" not in self._imports.dotted(call.func):
            return
        rate = self._imports.value(argument(call, 0, "p", "rate")) if "dropout" in name else UNKNOWN
        if isinstance(rate, float) and 0 < rate < 1:
            yield self._finding(Topic.REGULARIZATION, call, "dropout", rate)
        elif not (isinstance(rate, int | float) and rate == 0):
            yield self._finding(Topic.REGULARIZATION, call, "regularization", name)

    def _split(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        if last == "train_test_split":
            for part, key in (("test", "test_size"), ("train", "train_size")):
                share = self._imports.value(keywords(call).get(key))
                if isinstance(share, float) and 0 < share < 1:
                    yield self._finding(Topic.SPLIT, call, "split", {part: share}, note="of the data given to this call")
                    return
            yield self._finding(Topic.SPLIT, call)
        elif last in _SPLITTERS:
            folds = self._imports.value(argument(call, 0, "n_splits"))
            known = isinstance(folds, int) and 2 <= folds <= 100
            yield self._finding(Topic.SPLIT, call, "cross_validation_folds" if known else "", folds if known else None)
        elif last == "random_split":
            shares = self._imports.value(argument(call, 1, "lengths"))
            yield self._finding(Topic.SPLIT, call, *_shares(shares))
        elif last in ("fit", "image_dataset_from_directory") and "validation_split" in keywords(call):
            share = self._imports.value(keywords(call)["validation_split"])
            if isinstance(share, float) and 0 < share < 1:
                yield self._finding(Topic.SPLIT, call, "split", {"validation": share})

    def _device(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        if last in _PARALLEL or dotted.endswith("mixed_precision.set_global_policy") or last == "Accelerator":
            yield self._finding(Topic.DEVICE, call)
        elif last in ("Trainer", "TrainingArguments"):
            for name in ("gpus", "devices", "precision", "fp16", "bf16", "tpu_cores", "accelerator", "strategy"):
                if name in keywords(call):
                    yield self._finding(Topic.DEVICE, keywords(call)[name])

    def _model(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        by_name = last in ("create_model", "from_pretrained", "from_name", "get_model")
        by_module = not by_name and _MODELS.search(dotted.rpartition(".")[0])
        if not by_name and not by_module and not dotted.endswith("hub.load"):
            if last[:1].isupper() or _BUILDS.match(last):
                yield from self._designs(call, last)
            return
        position, keys = (1, ("model",)) if dotted.endswith("hub.load") else (0, ("model_name", "pretrained_model_name_or_path"))
        given = self._imports.value(argument(call, position, *keys))
        text = given if isinstance(given, str) else ""
        named = keywords(call)
        name = names.architecture(last) if by_module else names.architecture(text)
        encoder = self._imports.value(named.get("encoder_name"))
        for each in (name, names.architecture(encoder) if isinstance(encoder, str) else ""):
            if each:
                yield self._finding(Topic.ARCHITECTURE, call, "architectures", each)
        trained = self._imports.value(named.get("pretrained")) is True or self._imports.value(named.get("weights")) == "imagenet"
        if (name and trained) or (last == "from_pretrained" and text):
            yield self._finding(Topic.WEIGHTS, call, note=text, kind=BACKBONE)

    def _designs(self, node: ast.AST, identifier: str) -> Iterator[Finding]:
        for name in names.architectures_in(identifier) if self._deep else ():
            yield self._finding(Topic.ARCHITECTURE, node, "architectures", name)

    def of_class(self, node: ast.ClassDef) -> Iterator[Finding]:
        """A model by its name, and an evaluator by the one that it derives from."""
        bases = [self._imports.dotted(base) for base in node.bases]
        if any(_MODEL_BASE.search(base) for base in bases):
            yield from self._designs(node, node.name)
        for base in bases:
            if name := _called_metric(base, base.rpartition(".")[2]):
                yield self._finding(Topic.METRIC, node, "metrics", name)

    def of_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
        """`def accuracy(output, target)`: a metric of the repository itself."""
        if node.args.args and (name := names.metric_in(node.name)):
            yield self._finding(Topic.METRIC, node, "metrics", name)

    def of_assignment(self, target: ast.expr, value: ast.expr) -> Iterator[Finding]:
        """`test_accuracy = 100 * correct / total`: a metric that is computed on the spot."""
        divides = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div)
        if divides and isinstance(target, ast.Name) and (name := names.metric_in(target.id)):
            yield self._finding(Topic.METRIC, target, "metrics", name)

    def _weights(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        if dotted == "torch.save" or last in _SAVING or (last == "save" and re.search(r"model|net\b|learn", dotted)):
            yield self._finding(Topic.WEIGHTS, call, kind=SAVED)
        elif last in _LOADING:
            yield self._finding(Topic.WEIGHTS, call, kind=LOADED)
        if dotted.endswith(_DEPLOYED) or last == "TFLiteConverter":
            yield self._finding(Topic.DEPLOYMENT, call)

    def _data(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        """Data that are downloaded when the code runs."""
        known = last == "load_dataset" or dotted == "tensorflow_datasets.load" or (last == "load_data" and ".datasets." in dotted)
        if not known and self._imports.value(keywords(call).get("download")) is not True:
            return
        first = self._imports.value(argument(call, 0, "path", "name"))
        if last == "load_dataset" and (not isinstance(first, str) or first.startswith(("/", ".", "csv", "json"))):
            return
        candidates = (first if isinstance(first, str) else "", last, dotted.rpartition(".")[0].rpartition(".")[2])
        name = next(filter(None, map(names.dataset, candidates)), "")
        yield self._finding(Topic.DATA, call, "datasets" if name else "", name or None, kind="download")

    def _compiled(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        """Keras: `model.compile(optimizer="adam", loss="mse", metrics=["accuracy"])`."""
        if last != "compile" or dotted.startswith("re."):
            return
        given = keywords(call)
        optimizer, loss, metrics = (self._imports.value(given.get(key)) for key in ("optimizer", "loss", "metrics"))
        if isinstance(optimizer, str) and (name := names.optimizer(optimizer)):
            yield self._finding(Topic.OPTIMIZER, given["optimizer"], "optimizers", name)
        if isinstance(loss, str) and (name := names.loss(loss)):
            yield self._finding(Topic.LOSS, given["loss"], "loss", name)
        for each in metrics if isinstance(metrics, list) else []:
            if isinstance(each, str) and (name := names.metric({"acc": "accuracy"}.get(each, each))):
                yield self._finding(Topic.METRIC, given["metrics"], "metrics", name)


def _called_metric(dotted: str, last: str) -> str:
    """Of a library, or of a module that is named after metrics; a function of the same file counts where it is defined."""
    owner = dotted.rpartition(".")[0]
    if _METRICS_MODULE.search(owner):
        return names.symbol("metrics", last) or names.metric_in(last)
    own = last.islower() and "_" in last and dotted == last
    return names.symbol("metrics", last) if own or dotted.startswith(_metric_modules()) else ""


@cache
def _metric_modules() -> tuple[str, ...]:
    return tuple(sorted(names.listed("metric_modules")))


def _shares(shares: Any) -> tuple[str, Any]:
    """Of `random_split(data, [0.8, 0.1, 0.1])`."""
    if (
        isinstance(shares, list)
        and 2 <= len(shares) <= 3
        and all(isinstance(each, float) for each in shares)
        and abs(sum(shares) - 1) < 0.01
    ):
        parts = ("train", "validation", "test") if len(shares) == 3 else ("train", "test")
        return "split", dict(zip(parts, shares, strict=True))
    return "", None
