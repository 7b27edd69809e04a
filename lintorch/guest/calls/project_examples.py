"""Calls of a model in all of its project: how it is built there, and what it is fed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.calls.bind_imports import ImportBinder
from lintorch.guest.calls.code_text import CodeText, parse_code
from lintorch.guest.calls.find_model_calls import ModelCall, find_model_calls
from lintorch.guest.calls.hollow_models import Making, find_making, make_hollow
from lintorch.guest.calls.name_links import ANY_CLASS, NameLinks
from lintorch.guest.calls.needed_names import list_stores
from lintorch.guest.calls.project_texts import list_files_that_name
from lintorch.guest.calls.read_fed import name_fed, read_fed
from lintorch.guest.calls.read_open_axes import read_open_axes
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_runner import ScriptRunner
from lintorch.guest.calls.script_surroundings import enter_script
from lintorch.guest.calls.unknown_value import UnknownValue
from lintorch.guest.construct.call_examples import UNREAD, CallPlace, Example
from lintorch.guest.process.deadline import clock
from lintorch.record.repository import find_repository

_MOST_FILES = 40
"""Files whose calls are looked at for one model."""
_MOST_CALLS = 48
"""Calls whose values are worked out for one model."""
_MOST_EXAMPLES = 5
_ENOUGH_FED, _LITTLE_TOLD = 2, 4
"""Calls that feed a model after which no others are looked at; the rank from which one such call is enough."""
_MOST_FUTILE = 3
"""Calls in one function that say nothing new, after which its others are passed over."""
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
    makers = frozenset(names | further)
    calls: list[ModelCall] = []
    for text in texts[:_MOST_FILES]:
        links = NameLinks(text.tree)
        found = find_model_calls(text, makers, text.path == sought.path)
        calls += [call for call in found if _may_tell(call, links, makers)]
    return sorted(calls, key=lambda call: call.rank)[:_MOST_CALLS]


def _may_tell(call: ModelCall, links: NameLinks, makers: frozenset[str]) -> bool:
    """Whether a call may be of the model, and feed it what the text makes: data that is loaded is not known."""
    if call.model is None:
        return True
    if not links.reaches(call.model, makers | ANY_CLASS):
        return False
    if call.feeding in ("size", "batched size"):
        return True
    given = [*call.placed.node.args, *(keyword.value for keyword in call.placed.node.keywords)]
    return any(links.reaches(n, _TENSOR_MAKERS) for n in given if n is not call.model)


def _list_factories(text: CodeText, names: set[str]) -> Iterator[str]:
    """Functions of a file that speak of a class, and mappings that hold it."""
    for node in text.tree.body if text.path.suffix == ".py" else ():
        is_mapping = isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        if not is_mapping and not isinstance(node, ast.FunctionDef):
            continue
        if any(getattr(part, "id", "") in names for part in ast.walk(node)):
            yield from list_stores(node) - _NO_FACTORY


def _parse_files(sought: SoughtModel, names: set[str]) -> list[CodeText]:
    found = list_files_that_name(sought.project, names)
    found.sort(key=lambda pair: (pair[0] != sought.path, pair[0].suffix != ".py"))
    parsed = (parse_code(path, data) for path, data in found[:_MOST_FILES])
    return [text for text in parsed if text is not None]


def read_examples(
    sought: SoughtModel, calls: list[ModelCall], seconds: float
) -> Iterator[tuple[int, Example]]:
    """The number of each call whose values could be worked out, and what it shows."""
    deadline = clock() + seconds
    seen: list[Example] = []
    with make_hollow(sought.kind) as made:
        statements = StatementRunner(made, deadline, _bind_imports(sought))
        runners: dict[Path, ScriptRunner] = {}
        futile: Counter[int] = Counter()
        for number, call in enumerate(calls):
            fed = sum(bool(example.inputs) and not example.unread for example in seen)
            if clock() > deadline or len(seen) == _MOST_EXAMPLES or fed == _ENOUGH_FED:
                return
            if any(not example.unread for example in seen) and call.model is None:
                return
            if fed and call.rank >= _LITTLE_TOLD:
                return
            path, function = call.text.path, call.placed.region.function
            if function is not None and futile[id(function)] >= _MOST_FUTILE:
                continue
            if path not in runners:
                runners[path] = ScriptRunner(call.text, _first_scope(sought, path), statements)
            with enter_script(path, _choose_folder(call.text, sought.project), sought.project):
                example = _read_example(sought, call, runners[path])
            if example is not None and (alone := replace(example, place=CallPlace())) not in seen:
                seen.append(alone)
                yield number, example
            elif example is None or not example.inputs:
                futile[id(function)] += 1


def _bind_imports(sought: SoughtModel) -> ImportBinder:
    return ImportBinder(sought.kind, sought.scope, sought.path, sought.project)


def _read_example(sought: SoughtModel, call: ModelCall, runner: ScriptRunner) -> Example | None:
    node = call.placed.node if call.model is None else call.model
    if isinstance(node, ast.Attribute) and node.attr == "forward":
        node = node.value
    runner.start_anew()
    making = find_making(runner.find_value(node, call.placed.region))
    if making is None:
        return None
    find = lambda part: runner.find_value(part, call.placed.region)  # noqa: E731
    try:
        inputs = name_fed(*read_fed(call, find), sought.kind)
    except Exception:  # whatever user code raises
        inputs = ()
    args, kwargs = _mark_unread(making)
    unread = sum(value is UNREAD for value in (*args, *kwargs.values()))
    axes = None
    with suppress(Exception):  # whatever user code raises
        axes = read_open_axes(call, find, list(dict(inputs)))
    row = call.row if inputs else making.rows.get(str(call.text.path), call.row)
    source = call.text.name_place(row, sought.project)
    known = {name: value for name, value in kwargs.items() if value is not UNREAD}
    return Example(sought.kind.__qualname__, args, known, unread, inputs, CallPlace(source, axes))


def _mark_unread(making: Making) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def mark(value: Any) -> Any:
        return UNREAD if isinstance(value, UnknownValue) else value

    return tuple(map(mark, making.args)), {n: mark(v) for n, v in making.kwargs.items()}


def _first_scope(sought: SoughtModel, path: Path) -> dict[str, Any]:
    """What a script knows from the start; in the model's own file all of its names."""
    if path == sought.path:
        return dict(sought.scope)
    package = _dotted_package(path, sought.project)
    return {"__name__": "__main__", "__file__": str(path), "__package__": package}


def _dotted_package(path: Path, project: Path) -> str:
    """The package of a file, by the folders around it that are packages."""
    parts: list[str] = []
    folder = path.parent
    while (folder / "__init__.py").exists() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _choose_folder(text: CodeText, project: Path) -> Path:
    """Where the script stands that finds its files: its own folder, or the project's."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            with suppress(OSError, ValueError):
                if len(node.value) < 200 and (text.path.parent / node.value).is_file():
                    return text.path.parent
    return project
