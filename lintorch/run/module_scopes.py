"""Which modules of a model the names in an .onnx file speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from lintorch.facts.models.module_steps import FollowedModel

Scope = tuple[str, ...]
_AGAIN = re.compile(r"_(\d{1,6})$")


def read_scope(name: str) -> Scope | None:
    """`/layers.0/fc/MatMul_1`, as the older exporter names nodes: ("layers.0", "fc"); None for other names."""
    return tuple(name.split("/")[1:-1]) if name.startswith("/") else None


def read_weight_path(name: str) -> str:
    """`layers.0.fc.weight`: "layers.0.fc"; "" where it names no module."""
    plain = "/" not in name and "::" not in name
    return name.rpartition(".")[0] if plain else ""


class ModuleScopes:
    """The modules of one model, by scopes and by paths.

    A scope has, for each module that is called, the end of its path from the last atom on that is no
    number. Lists whose length nobody says are followed with fewer items: what is behind them is
    taken for the last.
    """

    def __init__(self, model: FollowedModel) -> None:
        self._model = model

    def find_path(self, path: str) -> str | None:
        """The path itself, or the one that stands for it; None where there is none."""
        here = ""
        for atom in path.split(".") if path else ():
            prefix = f"{here}." if here else ""
            if f"{prefix}{atom}" in self._model.parts:
                here = f"{prefix}{atom}"
            elif atom.isdecimal() and (last := self._last_item(prefix)) is not None:
                here = f"{prefix}{last}"
            else:
                return None
        return here

    def find_scope(self, scope: Scope) -> str | None:
        """The path of the module that a scope ends at."""
        found = self._find_exactly(scope)
        if found is None and any(map(_AGAIN.search, scope)):
            found = self._find_exactly(tuple(_AGAIN.sub("", name) for name in scope))
        return found

    def find_turn(self, scope: Scope) -> int:
        """Which call of its module a scope is of, from 0: the second call of `act` is named `act_1`."""
        match = _AGAIN.search(scope[-1]) if scope else None
        return int(match[1]) if match and self._find_exactly(scope) is None else 0

    def _find_exactly(self, scope: Scope) -> str | None:
        if not scope:
            return ""
        fitting = [
            (len(chain), path)
            for path, chain in self._chains.get(_strip_number(scope[-1]), ())
            if _goes_through(chain, tuple(map(_strip_number, scope)))
        ]
        exact = [
            (length, path) for length, path in fitting if _goes_through(list_names(path), scope)
        ]
        found = min(exact or fitting, default=None)
        return found[1] if found else None

    def _last_item(self, prefix: str) -> int | None:
        numbers = [
            int(rest)
            for path in self._model.parts
            if path.startswith(prefix) and (rest := path[len(prefix) :]).isdecimal()
        ]
        return max(numbers, default=None)

    @cached_property
    def _chains(self) -> dict[str, list[tuple[str, Scope]]]:
        """By the last name of its scope: each path, and all names that its scope may have."""
        found: dict[str, list[tuple[str, Scope]]] = {}
        for path in self._model.parts:
            if path:
                chain = tuple(map(_strip_number, list_names(path)))
                found.setdefault(chain[-1], []).append((path, chain))
        return found


def list_names(path: str) -> Scope:
    """What each module on a path is called in a scope: ("layers", "layers.0", "fc")."""
    atoms, names = path.split("."), []
    for end in range(1, len(atoms) + 1):
        start = max((n for n in range(end) if not atoms[n].isdecimal()), default=0)
        names.append(".".join(atoms[start:end]))
    return tuple(names)


def mask_numbers(path: str) -> str:
    """`layers.0.fc`: "layers.#.fc"."""
    return ".".join("#" if atom.isdecimal() else atom for atom in path.split("."))


def _strip_number(name: str) -> str:
    head, _, last = name.rpartition(".")
    return f"{head}.#" if last.isdecimal() else name


def _goes_through(chain: Sequence[str], scope: Sequence[str]) -> bool:
    """Whether a scope leaves out names of the chain, and no more; they end alike."""
    rest = iter(chain)
    return chain[-1] == scope[-1] and all(name in rest for name in scope)
