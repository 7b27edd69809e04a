"""How a file itself calls its models: in docstrings, in `__main__`, in tests and in its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lintorch.guest.construct.literal_values import UnknownValueError, evaluate_literal
from lintorch.guest.construct.snippets import Snippet, split_snippets
from lintorch.guest.construct.tensor_calls import get_last_name, read_tensor_call, strip_moves
from lintorch.record.models import FedArgument, Input, PlainArgument

OpenAxes = tuple[tuple[str, int, str], ...]
"""Parameters of `forward`, axes of what they are given, and the names that an export gives these.

A name is "" where there is none; () where all sizes are fixed.
"""


@dataclass(frozen=True)
class CallPlace:
    """Where in a project a call is, "" where its own file is read, and which axes an export leaves open there.

    `open_axes` is None where nothing is said of them.
    """

    source: str = ""
    open_axes: OpenAxes | None = None
    names_dims: bool = False
    """Whether the export declares sizes by `Dim("name")`."""
    partly: tuple[Input, ...] = ()
    """What the call feeds, as far as it is known, where not all of it is."""
    plain: tuple[PlainArgument, ...] = ()
    """What it passes beside that and is no tensor: None in place of a mask."""


NOT_FOLLOWED = CallPlace()
"""No call of the project."""


@dataclass(frozen=True)
class Example:
    """One call of a class or function: what it is given, and the tensors that the result is fed.

    `unread` counts arguments whose values the text does not spell out. It is `of_other` where the call
    feeds a model of another class, in the place of which the script may put this one.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    unread: int = 0
    inputs: tuple[tuple[str, FedArgument], ...] = ()
    place: CallPlace = NOT_FOLLOWED
    of_other: bool = False


UNREAD = object()
"""Stands for a positional argument that could not be read."""


def find_examples(
    text: bytes, names: frozenset[str], known: Mapping[str, Any]
) -> Iterator[Example]:
    """Calls of `names` in a file's text; `known` holds what the file's own names mean."""
    seen: list[Example] = []
    for snippet in split_snippets(ast.parse(text)):
        for example in _SnippetReader(names, known).read_snippet(snippet):
            if example not in seen and (example.args or example.kwargs or example.inputs):
                seen.append(example)
    yield from sorted(seen, key=lambda example: (example.unread > 0, not example.inputs))


class _SnippetReader:
    """Reads statements one after the other."""

    def __init__(self, names: frozenset[str], known: Mapping[str, Any]) -> None:
        self._names = names
        self._known = dict(known)
        self._made: dict[str, Example] = {}
        self._alone: list[Example] = []

    def read_snippet(self, snippet: Snippet) -> list[Example]:
        """The calls in a snippet, with what the models are fed there."""
        for statement in snippet:
            value = getattr(statement, "value", None)
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            name = targets[0].id if targets and isinstance(targets[0], ast.Name) else ""
            self._note_assignment(name, value)
            for part in ast.walk(statement):
                if isinstance(part, ast.Call) and (made := self._find_run_model(part.func)):
                    self._note_inputs(made, part)
        return [*self._made.values(), *self._alone]

    def _note_assignment(self, name: str, node: ast.expr | None) -> None:
        node = strip_moves(node)
        if isinstance(node, ast.Call):
            called = get_last_name(node.func)
            if called in self._names:
                self._keep_example(name, self._read_call(called, node))
                return
        try:
            found = read_tensor_call(node, self._known) or evaluate_literal(node, self._known)
        except UnknownValueError:
            self._known.pop(name, None)
            return
        if name:
            self._known[name] = found

    def _find_run_model(self, node: ast.expr) -> str:
        """The model that `model(…)` or `model.forward(…)` runs; "" where it is none."""
        if isinstance(node, ast.Attribute) and node.attr == "forward":
            node = node.value
        name = getattr(node, "id", "")
        return name if name in self._made else ""

    def _keep_example(self, name: str, example: Example) -> None:
        if name:
            self._alone += [self._made.pop(name)] if name in self._made else []
            self._made[name] = example
        else:
            self._alone.append(example)

    def _read_call(self, called: str, node: ast.Call) -> Example:
        args: list[Any] = []
        for part in node.args:
            if isinstance(part, ast.Starred):
                break
            args.append(self._read_argument(part))
        kwargs = {part.arg: self._read_argument(part.value) for part in node.keywords if part.arg}
        unread = sum(given is UNREAD for given in (*args, *kwargs.values()))
        read = {name: given for name, given in kwargs.items() if given is not UNREAD}
        return Example(called, tuple(args), read, unread)

    def _read_argument(self, node: ast.expr) -> Any:
        node = strip_moves(node) or node
        if isinstance(node, ast.Name) and node.id in self._made:
            return self._made[node.id]
        if isinstance(node, ast.Call) and get_last_name(node.func) in self._names:
            return self._read_call(get_last_name(node.func), node)
        try:
            found = evaluate_literal(node, self._known)
        except UnknownValueError:
            return UNREAD
        return UNREAD if isinstance(found, Input) else found

    def _note_inputs(self, name: str, node: ast.Call) -> None:
        """What a model that the snippet made is called on: tensors it made too, up to the first other."""
        made = self._made[name]
        parts = [("", part) for part in node.args]
        parts += [(part.arg or "", part.value) for part in node.keywords]
        fed = []
        for keyword, part in parts:
            try:
                part = strip_moves(part) or part
                found = read_tensor_call(part, self._known) or evaluate_literal(part, self._known)
            except UnknownValueError:
                break
            if not isinstance(found, Input):
                break
            fed.append((keyword, found))
        if fed and not made.inputs:
            self._made[name] = Example(made.name, made.args, made.kwargs, made.unread, tuple(fed))
