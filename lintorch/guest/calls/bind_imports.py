"""What a script imports from the model's own file is what that file was imported as already."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.calls.unknown_value import UNKNOWN


@dataclass(frozen=True)
class ImportBinder:
    """Binds names of a model's file, whose own names are in `scope`."""

    kind: type[nn.Module]
    scope: Mapping[str, Any]
    path: Path
    project: Path

    def bind(self, node: ast.stmt, scope: dict[str, Any]) -> bool:
        """Bind what comes from the model's file; whether all of the import does."""
        if not isinstance(node, ast.ImportFrom):
            return False
        places = self._list_places(node, scope)
        if any(alias.name == "*" for alias in node.names):
            if found := self.path in places:
                scope |= {n: v for n, v in self.scope.items() if not n.startswith("_")}
            return found
        if not any(place.is_file() for place in places):  # a folder without a file of its own
            self.bind_failed(node, scope)
            return all(scope.get(a.asname or a.name) is self.kind for a in node.names)
        if self.path not in places:
            return False
        for alias in node.names:
            scope[alias.asname or alias.name] = self.scope.get(alias.name, UNKNOWN)
        return True

    def is_own(self, node: ast.ImportFrom, scope: Mapping[str, Any]) -> bool:
        """Whether an import is from the model's own file."""
        return self.path in self._list_places(node, scope)

    def bind_failed(self, node: ast.stmt, scope: dict[str, Any]) -> None:
        """Bind the model's class where an import of that name failed, from a folder around its file."""
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            around = (place.parent for place in self._list_places(node, scope))
            if alias.name == self.kind.__name__ and any(map(self.path.is_relative_to, around)):
                scope[alias.asname or alias.name] = self.kind

    def _list_places(self, node: ast.stmt, scope: Mapping[str, Any]) -> list[Path]:
        """The files that an import may name, which need not be there."""
        assert isinstance(node, ast.ImportFrom)
        parts = node.module.split(".") if node.module else []
        base = Path(scope.get("__file__", "")).parent
        found = [root.joinpath(*parts) for root in self._list_roots(node.level, base)]
        return [place for f in found for place in (f.with_suffix(".py"), f / "__init__.py")]

    def _list_roots(self, level: int, base: Path) -> Iterator[Path]:
        """The folders that imports are looked for in: one above for each dot, else all around."""
        if level:
            yield from ([base, *base.parents][level - 1 : level])
            return
        yield base
        yield from (f for f in self.path.parents if f.is_relative_to(self.project))
        yield self.project / "src"
