"""Model classes of the files beside one, by their name or by what they have."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.construct.abstract_methods import is_unwritten

_ATTRIBUTE = re.compile(
    r"self\.(\w+)(?:\s*:[^=]+)?\s*=[^=]|self\.(\w+), self\.|def (\w+)\(self|^    (\w+)(?:\s*:[^=]+)?\s*=[^=]",
    re.MULTILINE,
)
_MOST_FILES = 200
"""Files of a folder that are looked into, at most."""
_LEAST_SHARED = 2
"""Attributes that have to agree before a class is taken for what is meant."""


def find_sibling_model(call: Any, wanted: str, uses: frozenset[str]) -> type[nn.Module] | None:
    """The class of that name in the file of that name, else the first that has what is used."""
    package = call.__module__.rpartition(".")[0]
    home = list(getattr(sys.modules.get(package), "__path__", ()))
    if any((Path(folder) / f"{wanted}.py").is_file() for folder in home):
        beside = _import_models(f"{package}.{wanted}")
        return next((kind for kind in beside if kind.__name__.lower() == wanted), None)
    if len(uses) < _LEAST_SHARED:
        return None
    for stem in _list_files_that_set(home, uses):
        for kind in _import_models(f"{package}.{stem}"):
            if uses <= list_attributes(kind) and kind is not call:
                return kind
    return None


def list_own_models(names: Mapping[str, Any]) -> Iterator[type[nn.Module]]:
    """The model classes among these, but for those of torch."""
    for value in list(names.values()):
        is_model = inspect.isclass(value) and issubclass(value, nn.Module) and not _is_torch(value)
        if is_model and not is_unwritten(getattr(value, "forward", None)):
            yield value


def list_attributes(kind: Callable[..., Any]) -> frozenset[str]:
    """Attributes that the text of a class and of its bases sets on itself, and its methods."""
    bases = inspect.getmro(kind) if inspect.isclass(kind) else (kind,)
    own = [base for base in bases if base is not object and not _is_torch(base)]
    return frozenset(name for base in own for name in _find_attributes(base))


@lru_cache(maxsize=512)
def _find_attributes(kind: Callable[..., Any]) -> frozenset[str]:
    try:
        found = _ATTRIBUTE.findall(inspect.getsource(kind))
    except (OSError, TypeError):
        return frozenset()
    return frozenset(name for names in found for name in names if name)


def _list_files_that_set(home: list[str], uses: frozenset[str]) -> list[str]:
    """Names of files that set all of these attributes; those that most others import come first."""
    files = [path for folder in home for path in sorted(Path(folder).glob("*.py"))[:_MOST_FILES]]
    texts = {path.stem: path.read_text(encoding="utf-8", errors="replace") for path in files}
    found = [
        stem for stem, text in texts.items() if all(_has_attribute(text, name) for name in uses)
    ]
    imported = {stem: sum(f".{stem} import" in text for text in texts.values()) for stem in found}
    return sorted(found, key=lambda stem: (-imported[stem], stem))


def _has_attribute(text: str, name: str) -> bool:
    return f"self.{name} =" in text or f"def {name}(self" in text


def _import_models(name: str) -> list[type[nn.Module]]:
    """The models of a file; none where it cannot be imported."""
    try:
        return list(list_own_models(vars(importlib.import_module(name))))
    except Exception:  # whatever the file raises
        return []


def _is_torch(kind: Any) -> bool:
    return str(kind.__module__).partition(".")[0] == "torch"
