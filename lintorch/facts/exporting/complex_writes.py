"""A complex tensor that is made of zeros and filled in part by part, as one of real numbers.

out = torch.zeros(b, c, n, dtype=torch.cfloat)    out = torch.zeros(b, c, n, 2)
out[:, :, :8] = low                               out[:, :, :8] = torch.view_as_real(low)
                                                  out = torch.view_as_complex(out)

Measured on torch 2.13: the same bits and gradients; the new ONNX exporter, which refuses what stands on
the left, is right at several batches and lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Place
from lintorch.evaluator.events import ItemSet, Occurrence
from lintorch.evaluator.values import Tensor
from lintorch.facts.exporting.complex_operators import is_complex
from lintorch.facts.exporting.einsum_calls import HasCalls
from lintorch.facts.models.evaluation import Evaluation

_PARTS = {"complex64": "torch.float32", "complex128": "torch.float64"}


class HasLines(HasCalls, Protocol):
    """A file whose lines can be found, and lines put above them."""

    @property
    def evaluation(self) -> Evaluation:
        """What happens as models are followed."""

    def nodes(self, kind: type[cst.Assign]) -> list[cst.Assign]:
        """All nodes of a class, in document order."""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[cst.FunctionDef]) -> cst.FunctionDef | None:
        """The innermost node of these classes around this one."""

    def mentions_of(self, name: str) -> list[cst.Name]:
        """All places where an identifier stands by itself, in document order."""

    def precedes(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether a node begins before another."""

    def place(self, node: cst.CSTNode | Occurrence) -> Place:
        """Where something stands."""

    def name(self, expression: cst.CSTNode | None) -> str:
        """Full dotted name through imports and aliases."""

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around this one, innermost first."""

    def above(self, node: cst.CSTNode, content: str) -> Edit:
        """Put a line above the statement that a node is or stands in."""


def fill_real(event: ItemSet, source: HasLines) -> Fix | None:
    """All writes to a local tensor, where nothing reads it ahead of what follows them."""
    row = event.spot.row
    line = next((e for e in source.nodes(cst.Assign) if source.place(e).row == row), None)
    name = _name_written(line)
    function = source.enclosing(line, cst.FunctionDef) if line is not None else None
    if line is None or not name or function is None or not isinstance(event.held, Tensor):
        return None
    within = [
        e for e in source.mentions_of(name) if source.enclosing(e, cst.FunctionDef) is function
    ]
    lines = [each for each in source.nodes(cst.Assign) if _is_of(each, name, function, source)]
    made, *writes = lines or [line]
    told = {id(each) for each in _list_targets(lines)}
    reads = [e for e in within if id(e) not in told and not _is_asked_size(e, source)]
    behind = _find_behind(made, lines[-1], source)
    if len(lines) < 2 or _name_written(made) or not reads or behind is None:
        return None
    if any(source.precedes(each, behind) for each in reads):
        return None
    zeros = _write_zeros(made, event.held.dtype or "", source)
    parts = [_write_part(each, event, source) for each in writes]
    whole = _spell("torch.view_as_complex", made, source)
    if zeros is None or not whole or None in parts:
        return None
    joined = source.above(behind, f"{name} = {whole}({name})")
    edits = (*zeros, *(edit for part in parts if part for edit in part), joined)
    return Fix("fill a tensor of real and imaginary parts", edits, Applicability.UNSAFE)


def _find_behind(made: cst.Assign, last: cst.Assign, source: HasLines) -> cst.CSTNode | None:
    """The statement behind the last write, or behind the loop it stands in, in the block of the first line."""
    line = source.parent(made)
    block = source.parent(line) if line is not None else None
    body = block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ()
    around: list[cst.CSTNode] = [last, *source.ancestors(last)]
    places = [n for n, each in enumerate(body) if any(each is other for other in around)]
    following = body[places[0] + 1 :] if places else ()
    return following[0] if following else None


def _is_asked_size(held: cst.CSTNode, source: HasLines) -> bool:
    """`x.shape[3]`, `x.size(3)`: of an axis counted from the front, which an axis behind leaves as it is."""
    asked = source.parent(held)
    whole = source.parent(asked) if isinstance(asked, cst.Attribute) else None
    if not isinstance(asked, cst.Attribute) or asked.value is not held:
        return False
    if isinstance(whole, cst.Call) and asked.attr.value == "size" and len(whole.args) == 1:
        return isinstance(whole.args[0].value, cst.Integer)
    if not isinstance(whole, cst.Subscript) or asked.attr.value != "shape":
        return False
    place = whole.slice[0].slice if len(whole.slice) == 1 else None
    return isinstance(place, cst.Index) and isinstance(place.value, cst.Integer)


def _name_written(line: cst.Assign | None) -> str:
    """The name to a part of which a line writes."""
    target = line.targets[0].target if line is not None and len(line.targets) == 1 else None
    held = target.value if isinstance(target, cst.Subscript) else None
    return held.value if isinstance(held, cst.Name) else ""


def _is_of(line: cst.Assign, name: str, function: cst.FunctionDef, source: HasLines) -> bool:
    """Whether a line of the function sets a name or a part of it."""
    target = line.targets[0].target
    whole = isinstance(target, cst.Name) and target.value == name
    named = whole or _name_written(line) == name
    return named and source.enclosing(line, cst.FunctionDef) is function


def _list_targets(lines: list[cst.Assign]) -> Iterator[cst.CSTNode]:
    for each in lines:
        target = each.targets[0].target
        yield target.value if isinstance(target, cst.Subscript) else target


def _write_zeros(made: cst.Assign, dtype: str, source: HasLines) -> tuple[Edit, ...] | None:
    """One more axis of two, and a type of real numbers."""
    call, part = made.value, _PARTS.get(dtype)
    if not isinstance(call, cst.Call) or source.name(call.func) != "torch.zeros" or part is None:
        return None
    typed = next((e for e in call.args if e.keyword and e.keyword.value == "dtype"), None)
    sizes = [each for each in call.args if each.keyword is None]
    spelled = _spell(part, call, source)
    if typed is None or not sizes or not spelled:
        return None
    last = sizes[-1].value
    if len(sizes) > 1:
        more = source.replace(last, f"{source.code(last)}, 2")
    elif isinstance(last, cst.Tuple) and last.lpar:
        more = source.replace(last.elements[-1].value, f"{source.code(last.elements[-1].value)}, 2")
    else:
        more = source.replace(last, f"(*{source.code(last)}, 2)")
    return more, source.replace(typed.value, spelled)


def _spell(name: str, at: cst.CSTNode, source: HasLines) -> str:
    """How the file writes a name without a further import; "" where it cannot."""
    spelled, edits = source.reach(name, at)
    return "" if edits else spelled


def _write_part(line: cst.Assign, event: ItemSet, source: HasLines) -> tuple[Edit, ...] | None:
    """`out[:, :8] = torch.view_as_real(low)`; None where what is written may be no complex tensor."""
    row, evaluation = source.place(line).row, source.evaluation
    beside = (*evaluation.list_before(event), event, *evaluation.list_after(event))
    values = [e.value for e in beside if isinstance(e, ItemSet) and e.spot.row == row]
    target = line.targets[0].target
    spelled = _spell("torch.view_as_real", line, source)
    if not values or not all(isinstance(e, Tensor) and is_complex(e) for e in values):
        return None
    if not spelled or not isinstance(target, cst.Subscript):
        return None
    written = source.replace(line.value, f"{spelled}({source.code(line.value)})")
    if "..." not in source.code(target):
        return (written,)
    last = target.slice[-1]
    return written, source.replace(last.slice, f"{source.code(last.slice)}, :")
