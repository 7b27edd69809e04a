"""`y[:, :1] = v` as `y = torch.cat((v, y[:, 1:]), 1)`, for runtimes without ScatterND."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.evaluator.events import ItemSet
from lintorch.evaluator.values import Constant, Tensor, Value
from lintorch.facts.models.evaluation import Evaluation

_OWNED = ("input", "parameter", "buffer")


@dataclass(frozen=True)
class PartWrite:
    """One span of one axis of a local tensor, to which a tensor or a number is written."""

    name: str
    before: tuple[str, ...]
    """What stands in the index before the span: `:` and `...`."""
    behind: tuple[str, ...]
    begin: int | None
    end: int | None
    single: bool
    """Whether it was one place, and not a span: the value has no such axis."""
    value: str
    number: bool

    @property
    def axis(self) -> int:
        """Counted from the back behind `...`."""
        return -1 - len(self.behind) if "..." in self.before else len(self.before)

    def write(self, cat: str, full_like: str) -> str:
        """The right-hand side that gives all of the tensor, by these two functions of torch."""
        span = self._cut(self.begin, self.end)
        if self.number:
            middle = f"{full_like}({span}, {self.value})"
        else:
            place = self._index(str(self.begin)) if self.single else span
            middle = f"{self.value}.expand_as({place}).to({self.name}.dtype)"
            middle += f".unsqueeze({self.axis})" if self.single else ""
        first = [self._cut(None, self.begin)] if self.begin not in (None, 0) else []
        last = [self._cut(self.end, None)] if self.end is not None else []
        parts = [*first, middle, *last]
        return f"{cat}(({', '.join(parts)}), {self.axis})" if len(parts) > 1 else middle

    def _cut(self, begin: int | None, end: int | None) -> str:
        low, high = ("" if each is None else str(each) for each in (begin, end))
        return self._index(f"{low}:{high}")

    def _index(self, place: str) -> str:
        return f"{self.name}[{', '.join((*self.before, place, *self.behind))}]"


def name_written(part: PartWrite, exporter: str) -> str:
    """What an exporter writes for a write to a part of a tensor, beside what every target has; measured."""
    return "ScatterElements" if part.single and exporter == "onnx" else "ScatterND"


def read_part(event: ItemSet, evaluation: Evaluation) -> PartWrite | None:
    """A write to one span, by literal bounds, of a tensor that a local name alone stands for."""
    line = next((e for e in evaluation.list_around(event) if isinstance(e, ast.stmt)), None)
    function = evaluation.find_function(event)
    match line:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=name), slice=index)], value=value
        ) if is_own(event.held) and function is not None and is_alone(name, function):
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            return _read_items(name, items, event, value)
    return None


def is_own(held: Value) -> bool:
    """A tensor that forward has computed, in memory that no input or weight has."""
    return isinstance(held, Tensor) and held.origin not in _OWNED and not held.memory


def _read_items(
    name: str, items: Sequence[ast.expr], event: ItemSet, value: ast.expr
) -> PartWrite | None:
    texts = [ast.unparse(each) for each in items]
    places = [at for at, text in enumerate(texts) if text not in (":", "...")]
    if len(places) != 1 or "..." in texts[places[0] :] or "..." in texts[1 : places[0]]:
        return None
    at = places[0]
    bounds = _read_bounds(items[at])
    number = isinstance(event.value, Constant) and isinstance(event.value.value, (int, float))
    if bounds is None or not (number or isinstance(event.value, Tensor)):
        return None
    held = isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) or number
    written = ast.unparse(value) if held else f"({ast.unparse(value)})"
    single = not isinstance(items[at], ast.Slice)
    return PartWrite(
        name, tuple(texts[:at]), tuple(texts[at + 1 :]), *bounds, single, written, number
    )


def _read_bounds(item: ast.expr) -> tuple[int | None, int | None] | None:
    """Begin and end; None of bounds that are no numbers, or of which one counts from the back alone."""
    if isinstance(item, ast.Slice):
        low, high = (_read_number(each) for each in (item.lower, item.upper))
        known = (item.lower is None) == (low is None) and (item.upper is None) == (high is None)
        if item.step is not None or not known:
            return None
        begin = None if low == 0 else low
        ordered = begin is None or high is None or ((begin < 0) == (high < 0) and begin < high)
        return (begin, high) if ordered and high != 0 and (begin, high) != (None, None) else None
    place = _read_number(item)
    return None if place is None else (place, None if place == -1 else place + 1)


def _read_number(node: ast.expr | None) -> int | None:
    try:
        found = ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None
    return found if type(found) is int else None


def is_alone(name: str, function: ast.AST) -> bool:
    """Whether no other name, container or attribute shows what a name stands for, or a view of it."""
    for node in ast.walk(function):
        if any(_shows(each, name) for each in _list_kept(node, name)):
            return False
    return True


def _list_kept(node: ast.AST, name: str) -> list[ast.expr]:
    """What a name, an attribute or a container is given."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [] if all(_is_part(each, name) for each in targets) else [value]
        case ast.NamedExpr(value=value):
            return [value]
        case ast.AnnAssign(value=value) if value is not None:
            return [value]
        case ast.Call(func=ast.Attribute(attr=method), args=args) if method in _KEEPS:
            return args
    return []


def _is_part(target: ast.expr, name: str) -> bool:
    """`y[:, 0]`, into which numbers are copied."""
    return isinstance(target, ast.Subscript) and ast.unparse(target.value) == name


def _shows(node: ast.expr, name: str) -> bool:
    """`y`, `y[:, 1:]`, `y.transpose(1, 2)`, `[y]`."""
    match node:
        case ast.Name(id=other):
            return other == name
        case ast.Subscript(value=held) | ast.Starred(value=held):
            return _shows(held, name)
        case ast.Call(func=ast.Attribute(value=held, attr=method)):
            return method not in _FRESH and _shows(held, name)
        case ast.Tuple(elts=each) | ast.List(elts=each):
            return any(_shows(inner, name) for inner in each)
        case ast.Dict(values=each):
            return any(_shows(inner, name) for inner in each)
        case ast.IfExp(body=first, orelse=second):
            return _shows(first, name) or _shows(second, name)
    return False


_KEEPS = frozenset({"append", "insert", "extend", "register_buffer", "__setattr__"})
_FRESH = frozenset(
    {"clone", "relu", "sigmoid", "tanh", "sum", "mean", "softmax", "repeat", "abs", "pow"}
)
