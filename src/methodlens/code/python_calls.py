"""What a call in Python says about the method: seeds, optimisers, losses, augmentations, splits, metrics, devices, models."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from methodlens.code import names
from methodlens.code.python_names import Imports, argument, keywords
from methodlens.code.python_values import UNKNOWN
from methodlens.code.settings_found import CALL
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

LOADED, SAVED = "loaded", "saved"
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
_AUGMENTERS = re.compile(
    r"transforms?|albumentations|imgaug|kornia|torchaudio|audiomentations|monai|torchio|keras|tensorflow|tf\.image|iaa|augment|imblearn|batchgenerators|torch\.utils\.data|librosa|timm|^A\.|^T\.|^v2\.",
    re.I,
)


class CallsInPython:
    """Reads the calls of one file."""

    def __init__(self, source: Source, imports: Imports) -> None:
        self._source, self._imports = source, imports

    def of_call(self, call: ast.Call, dotted: str) -> Iterator[Finding]:
        last = dotted.rpartition(".")[2]
        for read in (
            self._seed,
            self._named,
            self._split,
            self._device,
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
        elif "dropout" in last.lower():
            yield from self._dropout(call, last)
        if (name := names.augmentation(last)) and _AUGMENTERS.search(dotted.rpartition(".")[0] or dotted):
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

    def _dropout(self, call: ast.Call, last: str) -> Iterator[Finding]:
        """`F.dropout(x, 0.3)`, `tf.nn.dropout(x, keep_prob=0.7)`, `DropoutLayer(rate=0.5)`."""
        rate = self._imports.value(
            argument(call, 1, "p", "rate", "prob") if last == "dropout" else argument(call, 0, "p", "rate")
        )
        if "tensorflow.nn" in self._imports.dotted(call.func) and "rate" not in keywords(call) and rate != 0.5:
            return  # the second argument was the share kept before version 2
        if isinstance(rate, float) and 0 < rate < 1:
            yield self._finding(Topic.REGULARIZATION, call, "dropout", rate)

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

    def of_class(self, node: ast.ClassDef) -> Iterator[Finding]:
        """An evaluator by the one that it derives from, a loss or an augmentation of the repository itself by its name."""
        for base in (self._imports.dotted(base) for base in node.bases):
            if name := _called_metric(base, base.rpartition(".")[2]):
                yield self._finding(Topic.METRIC, node, "metrics", name)
        yield from self._defined(node)

    def of_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
        """`def accuracy(output, target)`: a metric, a loss or an augmentation of the repository itself."""
        if node.args.args and (name := names.metric_in(node.name)):
            yield self._finding(Topic.METRIC, node, "metrics", name)
        yield from self._defined(node)

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[Finding]:
        """`def focal_loss(...)`, `class RandomFlip`; without "loss" in the name, in a file about losses."""
        if ("loss" in node.name.lower() or "loss" in self._source.path.stem.lower()) and (name := names.loss_in(node.name)):
            yield self._finding(Topic.LOSS, node, "loss", name)
        if name := names.own_augmentation(node.name):
            yield self._finding(Topic.AUGMENTATION, node, "augmentations", name)

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
        for at, key in enumerate(("optimizer", "loss")):  # compile("adam", "mse")
            if key not in given and (value := argument(call, at)) is not None:
                given[key] = value
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
