"""The calls of a project that may make or feed one model, found by what their files name."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.calls.bind_imports import ImportBinder
from lintorch.guest.calls.code_text import CodeText, parse_code
from lintorch.guest.calls.find_model_calls import ModelCall, find_model_calls, name_called
from lintorch.guest.calls.name_links import ANY_CLASS, NameLinks
from lintorch.guest.calls.needed_names import list_stores, spell_dotted
from lintorch.guest.calls.project_texts import list_files_that_name
from lintorch.record.repository import find_repository

_MOST_FILES = 40
"""Files whose calls are looked at for one model."""
_MOST_CALLS = 48
"""Calls whose values are worked out for one model."""
_ASKING = ("getattr", "__dict__", "vars")
"""Words of code that takes out of a module what it has by a name."""
_TENSOR_MAKERS = frozenset(
    (
        *("randn", "rand", "randint", "zeros", "ones", "empty", "full", "arange", "tensor", "eye"),
        *("Tensor", "FloatTensor", "LongTensor", "IntTensor", "from_numpy", "linspace", "normal"),
        *("rand_like", "zeros_like", "ones_like", "randn_like", "uniform_", "normal_"),
    )
)
"""Functions and methods by which a text makes tensors."""
_NO_FACTORY = frozenset(("main", "train", "test", "forward", "run", "eval", "setup", "get_args"))


@dataclass(frozen=True)
class SoughtModel:
    """The class of a model, in the module that its file was imported as."""

    kind: type[nn.Module]
    scope: Mapping[str, Any]
    path: Path
    project: Path

    def bind_imports(self) -> ImportBinder:
        """Binds what scripts import from the model's file."""
        return ImportBinder(self.kind, self.scope, self.path, self.project)


def seek_model(name: str, scope: Mapping[str, Any], project: Path) -> SoughtModel | None:
    """The class of that name among those of a module; None where it is none, or outside of the project."""
    kind, file = scope.get(name), scope.get("__file__")
    if not isinstance(kind, type) or not file or "forward" not in dir(kind):
        return None
    path, project = Path(file).resolve(), find_repository(project)
    inside = project != Path(project.anchor) and path.is_relative_to(project)
    return SoughtModel(kind, scope, path, project) if inside else None


def list_model_calls(sought: SoughtModel) -> list[ModelCall]:
    """Calls in the project that may make or feed the model, the most telling first."""
    names = {sought.kind.__qualname__}
    texts = _parse_files(sought, names)
    further = {name for text in texts for name in _list_factories(text, names)}
    known = {text.path for text in texts}
    texts += [text for text in _parse_files(sought, further) if text.path not in known]
    known = {text.path for text in texts}
    texts += [text for text in _list_by_module(sought) if text.path not in known]
    makers = frozenset(names | further)
    calls: list[ModelCall] = []
    for text in texts[:_MOST_FILES]:
        links = NameLinks(text.tree)
        called = makers | set(list_aliases(text, makers))
        picks = frozenset((*_list_picks(text, names), *_name_modules(sought)))
        found = find_model_calls(text, called, text.path == sought.path, picks)
        calls += [call for call in found if _may_tell(call, links, called)]
    return sorted(calls, key=lambda call: call.rank)[:_MOST_CALLS]


def _list_by_module(sought: SoughtModel) -> Iterator[CodeText]:
    """The files that take a name out of the model's module: `getattr(nets, name)(args)`."""
    wanted = _name_modules(sought)
    for text in _parse_files(sought, set(_ASKING)):
        called = (node.func for node in ast.walk(text.tree) if isinstance(node, ast.Call))
        if any(name_called(node) in wanted for node in called):
            yield text


def _name_modules(sought: SoughtModel) -> frozenset[str]:
    """What `name_called` calls the module of the model's file, and the package that it stands in."""
    return frozenset(f"{name}." for name in (sought.path.stem, sought.path.parent.name))


def _may_tell(call: ModelCall, links: NameLinks, makers: frozenset[str]) -> bool:
    """Whether a call may be of the model, and feed it what the text makes, or None: data that is loaded is not known."""
    if call.model is None:
        return True
    if not links.reaches(call.model, makers | ANY_CLASS):
        return False
    if call.feeding in ("size", "batched size"):
        return True
    given = [*call.placed.node.args, *(keyword.value for keyword in call.placed.node.keywords)]
    leaves_out = any(isinstance(n, ast.Constant) and n.value is None for n in given)
    return leaves_out or any(links.reaches(n, _TENSOR_MAKERS) for n in given if n is not call.model)


def _list_factories(text: CodeText, names: set[str]) -> Iterator[str]:
    """Functions of a file that speak of a class, and mappings that hold it."""
    known = names | set(list_aliases(text, names))
    for node in text.tree.body if text.path.suffix == ".py" else ():
        is_mapping = isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        if not is_mapping and not isinstance(node, ast.FunctionDef):
            continue
        if any(getattr(part, "id", "") in known for part in ast.walk(node)):
            yield from list_stores(node) - _NO_FACTORY


def list_aliases(text: CodeText, names: Collection[str]) -> Iterator[str]:
    """What a file calls these: `from nets import UNet as Net`, `Net = nets.UNet`."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.ImportFrom):
            yield from (part.asname for part in node.names if part.asname and part.name in names)
        elif isinstance(node, ast.Assign) and name_called(node.value) in names:
            plain = isinstance(node.value, (ast.Name, ast.Attribute))
            targets = node.targets if plain else []
            yield from (part.id for part in targets if isinstance(part, ast.Name))


def _list_picks(text: CodeText, names: set[str]) -> Iterator[str]:
    """Mappings that hold the class, anywhere in a file, and what is taken out of them: `kind = kinds[name]`."""
    assigned = [node for node in ast.walk(text.tree) if isinstance(node, ast.Assign)]
    holders: set[str] = set()
    for node in assigned:
        held = node.value.values if isinstance(node.value, ast.Dict) else ()
        if any(spell_dotted(value).rpartition(".")[2] in names for value in held):
            holders |= {name.rpartition(".")[2] for name in list_stores(node)}
    yield from holders
    for node in assigned:
        picking = isinstance(node.value, (ast.Subscript, ast.Call))
        if picking and name_called(node.value) in holders:
            yield from (name_called(target) for target in node.targets)


def _parse_files(sought: SoughtModel, names: set[str]) -> list[CodeText]:
    found = list_files_that_name(sought.project, names)
    found.sort(key=lambda pair: (pair[0] != sought.path, pair[0].suffix != ".py"))
    parsed = (parse_code(path, data) for path, data in found[:_MOST_FILES])
    return [text for text in parsed if text is not None]
