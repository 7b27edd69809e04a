"""Which module is running, where the user built it, and whether its behaviour depends on the mode."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from types import CodeType
from typing import Any, NamedTuple

from torch import nn
from torch.nn.modules import module as hooks

from lintorch.record.events import IdleLayer, ModalLayer
from lintorch.record.models import MOST_LAYERS, Layer
from lintorch.record.sites import Site

_SETS_MODE = ("__init__", "train", "eval")
"""Methods that name the mode and are no part of a forward pass."""


class RunningLayer(NamedTuple):
    """The innermost module that runs, as events say it, in their order."""

    layer: str
    layer_class: str
    built: Site | None


class LayerWatch:
    """The modules of one model by path, and those running at the moment, innermost last.

    `called` holds the ids of all that ran, registered or not.
    """

    def __init__(self, root: nn.Module, sites: Mapping[str, Site]) -> None:
        self._paths = {id(module): path for path, module in reversed(list(root.named_modules()))}
        self._sites = sites
        self._running: list[tuple[str, str]] = []
        self._called: set[str] = set()
        self.called: set[int] = set()

    def current_layer(self) -> RunningLayer:
        """Where an event happens that happens now."""
        path, kind = self._running[-1] if self._running else ("", "")
        return RunningLayer(path, kind, self._sites.get(path))

    @contextmanager
    def follow_calls(self) -> Iterator[None]:
        """Within, calls of modules are followed."""
        before = hooks.register_module_forward_pre_hook(self._enter)
        after = hooks.register_module_forward_hook(self._leave, always_call=True)
        try:
            yield
        finally:
            before.remove()
            after.remove()

    def find_idle_layers(self) -> Iterator[IdleLayer]:
        """One event per line that built layers of which none, nor any part, was called."""
        used = {"", *self._called}
        for path in self._called:
            used.update(path[:end] for end, letter in enumerate(path) if letter == ".")
        sites = {path: site for path in self._paths.values() if (site := self._sites.get(path))}
        busy = {site for path, site in sites.items() if path in used}
        for path, site in sites.items():
            if site not in busy:
                busy.add(site)
                yield IdleLayer(site, path, built=site)

    def _enter(self, module: nn.Module, args: Any) -> None:
        outer = self._running[-1][0] if self._running else ""
        path = self._paths.get(id(module), outer)
        self._running.append((path, class_name(module)))
        self._called.add(path)
        self.called.add(id(module))

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        if self._running:
            self._running.pop()


def class_name(module: nn.Module) -> str:
    """The full name of a module's class, as users import it: `torch.nn.Conv2d`."""
    kind = type(module)
    if kind.__module__.startswith("torch.nn.modules.") and hasattr(nn, kind.__name__):
        return f"torch.nn.{kind.__name__}"
    return f"{kind.__module__}.{kind.__qualname__}"


def list_layers(root: nn.Module, sites: Mapping[str, Site]) -> tuple[Layer, ...]:
    """The modules inside a model, outer ones first."""
    inner = islice(root.named_modules(), 1, 1 + MOST_LAYERS)
    return tuple(
        Layer(
            path, class_name(module), sum(p.numel() for p in module.parameters()), sites.get(path)
        )
        for path, module in inner
    )


def find_modal_layers(
    root: nn.Module, sites: Mapping[str, Site], whole: Site
) -> Iterator[ModalLayer]:
    """One event per layer whose behaviour depends on the mode."""
    for path, module in root.named_modules():
        if depends_on_mode(module):
            built = sites.get(path)
            yield ModalLayer(built or whole, path, class_name(module), built)


def depends_on_mode(module: nn.Module) -> bool:
    """Whether a layer computes something else in training than in evaluation."""
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        return True
    if isinstance(module, nn.modules.batchnorm._NormBase):
        return bool(module.track_running_stats)
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return bool(module.p > 0)
    if isinstance(module, (nn.MultiheadAttention, nn.RNNBase)):
        return bool(module.dropout > 0)
    if type(module).__module__.startswith("torch."):
        return isinstance(module, nn.RReLU)
    return any("training" in code.co_names for code in _list_method_codes(type(module)))


def _list_method_codes(kind: type) -> Iterator[CodeType]:
    """The code of what a class of the user's may run in its forward pass."""
    for owner in kind.__mro__:
        if owner.__module__.startswith("torch."):
            return
        for name, method in vars(owner).items():
            code = getattr(inspect.unwrap(method) if callable(method) else method, "__code__", None)
            if isinstance(code, CodeType) and name not in _SETS_MODE:
                yield code
