"""Which classes are models: nn.Module by name, through the project's own files, or of a known framework."""

from __future__ import annotations

from lintorch.source import project
from lintorch.source.project import Home, locate, outline

_FRAMEWORKS = frozenset(
    {
        "lightning.LightningModule", "lightning.pytorch.LightningModule",
        "pytorch_lightning.LightningModule", "pytorch_lightning.core.LightningModule",
        "transformers.PreTrainedModel", "transformers.modeling_utils.PreTrainedModel",
        "diffusers.ModelMixin", "diffusers.models.modeling_utils.ModelMixin",
        "mmengine.model.BaseModule", "mmengine.model.BaseModel", "mmcv.runner.BaseModule",
        "detectron2.modeling.backbone.Backbone", "gpytorch.models.ExactGP",
        "torch.nn.modules.module.Module",
    }
)  # fmt: skip
_NOT_LAYERS = ("torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.parallel")


def canonical(dotted: str) -> str:
    """One spelling for names that torch offers under several."""
    if dotted.startswith("torch.nn.modules."):
        last = dotted.rpartition(".")[2]
        return f"torch.nn.{last}" if last[:1].isupper() else dotted
    return dotted


def is_module_class(dotted: str, home: Home, consulted: set[str], depth: int = 0) -> bool:
    """Whether a dotted name is a subclass of nn.Module, as far as the project's files tell."""
    if dotted in _FRAMEWORKS or _is_torch_layer(dotted):
        return True
    if depth > 8 or "." not in dotted:
        return False
    module, _, name = dotted.rpartition(".")
    path = locate(module, home.roots, consulted)
    if path is None:
        return False
    found = outline(path)
    if name in found.classes:
        return any(
            is_module_class(_absolute(base, path), home, consulted, depth + 1)
            for base in found.classes[name].bases
        )
    return name in found.names and is_module_class(found.names[name], home, consulted, depth + 1)


def _is_torch_layer(dotted: str) -> bool:
    last = dotted.rpartition(".")[2]
    inside = dotted.startswith("torch.nn.") and not dotted.startswith(_NOT_LAYERS)
    return inside and last.lstrip("_")[:1].isupper() and last not in ("Parameter", "Buffer")


def _absolute(base: str, path: str) -> str:
    """The full dotted name of a base as it is written in the file at `path`."""
    head, _, rest = base.partition(".")
    names = outline(path).names
    if head in names:
        return canonical(f"{names[head]}.{rest}" if rest else names[head])
    return f"{project.home(path).module}.{base}"
