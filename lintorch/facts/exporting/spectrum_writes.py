"""Windows and spectra in operators that the legacy ONNX exporter writes at every size.

spec = torch.stft(x, 512, return_complex=True)      spec = torch.stft(x, 512, return_complex=False)
power = spec.abs() ** 2                             power = spec.pow(2).sum(-1).sqrt() ** 2

x.unfold(1, 400, 160)                               windows_along(x, 1, 400, 160)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Occurrence
from lintorch.facts.models.cell_pools import define_above
from lintorch.syntax.literals import arguments, literal
from lintorch.syntax.parsed_file import ParsedFile

WINDOWS = "windows_along"
_WINDOWS = '''def windows_along(x, axis: int, size: int, step: int):
    """`x.unfold(axis, size, step)`, as an index."""
    axis = axis % x.dim()
    begins = {arange}(0, x.shape[axis] - size + 1, step, device=x.device)
    places = begins[:, None] + {arange}(size, device=x.device)
    taken = x.transpose(axis, -1).index_select(-1, places.flatten())
    return taken.reshape(taken.shape[:-1] + places.shape).transpose(axis, -2)

'''
_PARTS = {"abs": ".pow(2).sum(-1).sqrt()", "real": "[..., 0]", "imag": "[..., 1]"}
_FUNCTIONS = {**{f"torch.{name}": text for name, text in _PARTS.items()}, "torch.view_as_real": ""}


class HasCalls(Protocol):
    """A file whose names and calls can be found and edited."""

    file: ParsedFile

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call of this file at which something happened."""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around this one, innermost first."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[cst.FunctionDef]) -> cst.FunctionDef | None:
        """The innermost node of these classes around this one."""

    def mentions_of(self, name: str) -> list[cst.Name]:
        """All places where an identifier stands by itself, in document order."""

    def name(self, expression: cst.CSTNode | None) -> str:
        """Full dotted name through imports and aliases."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def index_windows(event: Occurrence, source: HasCalls) -> Fix | None:
    """A function for `x.unfold(axis, size, step)`, by position or by name."""
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Attribute) or len(call.args) != 3:
        return None
    read = arguments(call, "dimension", "size", "step")
    if not read.complete or set(read.by_name) != {"dimension", "size", "step"}:
        return None
    asked = {"arange": "torch.arange"}
    edits = define_above(
        WINDOWS, asked, lambda s: _WINDOWS.format(**s), source.file, call, source.reach
    )
    if edits is None:
        return None
    ordered = (read.by_name[name].value for name in ("dimension", "size", "step"))
    given = ", ".join(map(source.code, (call.func.value, *ordered)))
    text = f"{WINDOWS}({given})"
    return Fix(f"write {text}", (source.replace(call, text), *edits), Applicability.UNSAFE)


def split_spectrum(event: Occurrence, source: HasCalls) -> Fix | None:
    """Real and imaginary parts along a last axis, where nothing else is asked of the complex numbers."""
    call = source.call_at(event)
    named = {arg.keyword.value: arg for arg in call.args if arg.keyword} if call else {}
    asked = named.get("return_complex")
    if call is None or asked is None or literal(asked.value) is not True:
        return None
    uses = [_read_use(call, source)] if _is_used(call, source) else [*_list_uses(call, source)]
    if not uses or not all(uses):
        return None
    edits = (edit for use in filter(None, uses) for edit in _write_parts(*use, source))
    told = "compute with real and imaginary parts"
    return Fix(told, (*edits, source.replace(asked.value, "False")), Applicability.UNSAFE)


def _write_parts(
    held: cst.CSTNode, whole: cst.CSTNode, behind: str, source: HasCalls
) -> Iterator[Edit]:
    """What stands around the complex numbers goes, and what is asked of them comes behind."""
    inner, outer = source.replace(held, ""), source.replace(whole, "")
    if inner.start > outer.start:
        yield Edit(outer.start, inner.start, "")
    yield Edit(inner.end, outer.end, behind)


def _is_used(call: cst.Call, source: HasCalls) -> bool:
    return not isinstance(source.parent(call), cst.Assign)


def _list_uses(
    call: cst.Call, source: HasCalls
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode, str] | None]:
    """What is asked of the name that a call is given to; None for what is not known."""
    line, inside = source.parent(call), source.enclosing(call, cst.FunctionDef)
    target = line.targets[0].target if isinstance(line, cst.Assign) else None
    if not isinstance(target, cst.Name) or inside is None:
        return
    again: cst.CSTNode | None = None
    for each in source.mentions_of(target.value):
        if each is target or source.enclosing(each, cst.FunctionDef) is not inside:
            continue
        place = source.parent(each)
        if again is not None and again not in source.ancestors(each):
            return
        if isinstance(place, cst.AssignTarget):
            again = source.parent(place)
        else:
            yield _read_use(each, source)


def _read_use(held: cst.CSTNode, source: HasCalls) -> tuple[cst.CSTNode, cst.CSTNode, str] | None:
    """`x`, `x.abs()`, and what is written behind `x` instead; the same of `torch.abs(x)` and their like."""
    parent = source.parent(held)
    if isinstance(parent, cst.Attribute) and parent.value is held:
        outer = source.parent(parent)
        called = isinstance(outer, cst.Call) and outer.func is parent
        behind = _PARTS.get(parent.attr.value, "")
        if not behind or called != (parent.attr.value == "abs"):
            return None
        return held, outer if called and outer else parent, behind
    call = source.parent(parent) if isinstance(parent, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        return None
    name = source.name(call.func)
    return (held, call, _FUNCTIONS[name]) if name in _FUNCTIONS else None
