"""The exporters that a model can be tried with: each is a file of `exporters`, called as it is."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from lintorch.guest.export import exporters
from lintorch.guest.export.exporter import Exporter

_MODULES = {
    each.name: import_module(f"{exporters.__name__}.{each.name}")
    for each in iter_modules(exporters.__path__)
}
"""All are loaded before any code of the user's runs."""


def find_exporter(name: str) -> Exporter:
    """The module of an exporter: `onnx-legacy` is `exporters/onnx_legacy.py`. Raises KeyError."""
    return cast(Exporter, _MODULES[name.replace(".", "_").replace("-", "_")])


def takes_plain(name: str) -> bool:
    """Whether an exporter takes values beside tensors as they are. Raises KeyError."""
    return bool(getattr(find_exporter(name), "TAKES_PLAIN", False))
