"""Models in Python by their published names: called, referred to without a call, imported, defined, or naming a file."""

import ast
import re
from collections.abc import Iterator

from methodlens.code import designs
from methodlens.code.dependencies import IMPORTED
from methodlens.code.python_names import Imports, argument, keywords
from methodlens.code.settings_found import CALL
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

BACKBONE = "backbone"
_LIBRARIES = re.compile(
    r"(?:^|\.)(?:models|applications|segmentation_models_pytorch|segmentation_models|timm|efficientnet_pytorch|model_zoo|transformers|"
    r"pretrainedmodels|keras_applications|pytorch_pretrained_bert|pytorch_transformers)\b"
)
_BASE = re.compile(
    r"(?:^|\.)(?:\w{0,30}Module\w{0,10}|\w{0,30}Model\w{0,10}|Layer|\w{0,30}PreTrainedModel|HybridBlock|Chain|Block|\w{0,30}Network|\w{0,30}Net)$"
)
_BUILDS = re.compile(r"(?:build|load|get|create|make|init)_")


class ModelsInPython:
    """Reads the models of one file."""

    def __init__(self, source: Source, imports: Imports, *, deep: bool) -> None:
        """`deep`: the file imports a framework for deep learning, so a class or function may be named after its model."""
        self._source, self._imports, self._deep = source, imports, deep

    def of_file(self) -> Iterator[Finding]:
        """`unet.py`, `vae/encoder.py`: a module, or the folder of several, may be named after its model."""
        path = self._source.path
        inner = path.parent.name if len(path.parts) > 2 else ""  # the folder of the whole package names no model
        for part in (path.stem, inner) if self._deep else ():
            for name in designs.architectures_in(part.upper() if part in ("vae", "gan", "mlp", "cnn") else part):
                note = "by the name of the file"
                yield self._source.finding(Topic.ARCHITECTURE, 1, "architectures", name, note=note, kind=CALL)

    def of_call(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        by_name = last in ("create_model", "from_pretrained", "from_name", "get_model")
        by_module = not by_name and _LIBRARIES.search(dotted.rpartition(".")[0])
        if not by_name and not by_module and not dotted.endswith("hub.load"):
            if last[:1].isupper() or _BUILDS.match(last):
                yield from self._designs(call, last)
            return
        position, keys = (1, ("model",)) if dotted.endswith("hub.load") else (0, ("model_name", "pretrained_model_name_or_path"))
        given = self._imports.value(argument(call, position, *keys))
        text = given if isinstance(given, str) else ""
        named = keywords(call)
        name = designs.architecture(last) if by_module else designs.architecture(text)
        encoder = self._imports.value(named.get("encoder_name"))
        for each in (name, designs.architecture(encoder) if isinstance(encoder, str) else ""):
            if each:
                yield self._finding(call, each)
        trained = self._imports.value(named.get("pretrained")) is True or self._imports.value(named.get("weights")) == "imagenet"
        if (name and trained) or (last == "from_pretrained" and text):
            yield self._source.finding(Topic.WEIGHTS, call.lineno, note=text, kind=BACKBONE)

    def of_class(self, node: ast.ClassDef) -> Iterator[Finding]:
        """A model by its own name, or by that of the one it derives from."""
        bases = [self._imports.dotted(base) for base in node.bases]
        if any(_BASE.search(base) for base in bases):
            yield from self._designs(node, node.name)
        for base in bases:
            yield from self._designs(node, base.rpartition(".")[2])

    def of_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
        """`def unet(inputs)`, `def build_resnet(depth)`, `def small_unet(width)`."""
        if _BUILDS.match(node.name) or len([word for word in node.name.split("_") if word]) <= 2:
            yield from self._designs(node, node.name)

    def of_import(self, node: ast.ImportFrom) -> Iterator[Finding]:
        """`from torchvision.models import resnet18`."""
        if node.module and not node.level and _LIBRARIES.search(node.module):
            for each in node.names:
                for name in _in_library(each.name):
                    yield self._finding(node, name, kind=IMPORTED)

    def referred(self, node: ast.AST) -> Iterator[Finding]:
        """`net = models.resnet18`, without a call."""
        owner, _, last = self._imports.dotted(node).rpartition(".")
        if _LIBRARIES.search(owner):
            for name in _in_library(last):
                yield self._finding(node, name)

    def _designs(self, node: ast.AST, identifier: str) -> Iterator[Finding]:
        for name in designs.architectures_in(identifier) if self._deep else ():
            yield self._finding(node, name)

    def _finding(self, node: ast.AST, name: str, kind: str = CALL) -> Finding:
        return self._source.finding(Topic.ARCHITECTURE, getattr(node, "lineno", 1), "architectures", name, kind=kind)


def _in_library(identifier: str) -> tuple[str, ...]:
    """Names of a library of models are those of models, short ones too: vgg16."""
    whole = designs.architecture(identifier)
    return designs.architectures_in(identifier) or ((whole,) if whole else ())
