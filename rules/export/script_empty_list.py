"""LT145: an empty list or dict that is filled with what is no tensor."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.compiled_code import CompiledCode, report_compiled
from lintorch.facts.exporting.script_terms import SCRIPT, TYPES
from lintorch.facts.exporting.scripted import is_compiled
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT145",
    summary="an empty list that holds tensors for TorchScript",
    why="""
        For TorchScript `sizes = []` is a list of tensors and `{}` a dict from texts to tensors:
        numbers, texts and lists that are put in are refused. Annotate it: `sizes: list[int] = []`.
        Measured on torch 2.13.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or
        `unused` are not compiled.
    """,
    bad="""
        import torch


        def sizes_of(x):
            sizes = []
            sizes.append(x.size(0))
            return sizes


        def compiled():
            return torch.jit.script(sizes_of)
    """,
    good="""
        import torch


        def sizes_of(x):
            sizes: list[int] = []
            sizes.append(x.size(0))
            return sizes


        def compiled():
            return torch.jit.script(sizes_of)
    """,
    remedy="annotate it: names: List[str] = []",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
    formerly=("LT123", "script-syntax"),
)


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    yield from report_compiled(source, in_containers)


def in_containers(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`sizes = []` that numbers or strings are put into."""
    for assign in here.nodes(cst.Assign):
        target = assign.targets[0].target
        if not isinstance(target, cst.Name) or len(assign.targets) > 1:
            continue
        is_list = isinstance(assign.value, cst.List) and not assign.value.elements
        is_dict = isinstance(assign.value, cst.Dict) and not assign.value.elements
        if not (is_list or is_dict) or not is_compiled(assign, source):
            continue
        put = [*(appended if is_list else stored)(target, here, source)]
        kinds = {kind_of(value, source) for value in put}
        if kinds and "" not in kinds:
            one = kinds.pop() if len(kinds) == 1 else ""
            told = "an empty list holds tensors" if is_list else "an empty dict holds tensors"
            fix = (
                annotated(target, f"list[{one}]", source)
                if is_list and one in TYPES.values()
                else None
            )
            yield Hit(assign, f"{told}: {', '.join(sorted(kinds | {one}))} is put in", fix, SCRIPT)


def appended(target: cst.Name, here: CompiledCode, source: Source) -> Iterator[cst.BaseExpression]:
    """What `target.append(...)` puts in."""
    for mention in same(target, here, source):
        method = source.parent(mention)
        call = source.parent(method) if isinstance(method, cst.Attribute) else None
        if not isinstance(call, cst.Call) or not isinstance(method, cst.Attribute):
            continue
        if call.func is method and method.attr.value == "append":
            yield from (arg.value for arg in call.args)


def stored(target: cst.Name, here: CompiledCode, source: Source) -> Iterator[cst.BaseExpression]:
    """What `target[key] = ...` puts in."""
    for mention in same(target, here, source):
        place = source.parent(mention)
        given = source.parent(place) if isinstance(place, cst.Subscript) else None
        assign = source.parent(given) if isinstance(given, cst.AssignTarget) else None
        stores = isinstance(place, cst.Subscript) and place.value is mention
        if isinstance(assign, cst.Assign) and stores:
            yield assign.value


def same(target: cst.Name, here: CompiledCode, source: Source) -> Iterator[cst.Name]:
    """The mentions of a local name that is bound once."""
    if len(source.bound(target)) == 1:
        function = here.home(target)
        mentions = source.mentions_of(target.value)
        yield from (m for m in mentions if here.home(m) is function)


def kind_of(value: cst.BaseExpression, source: Source) -> str:
    """`int`, `str` and the like of what is surely no tensor; else ""."""
    plain = literal(value)
    if type(plain) in TYPES:
        return TYPES[type(plain)]
    if isinstance(value, (cst.List, cst.Tuple)):
        return "list" if isinstance(value, cst.List) else "tuple"
    return "int" if is_size(value, source) or is_counter(value, source) else ""


def is_counter(value: cst.BaseExpression, source: Source) -> bool:
    """`i` of `for i in range(3)`."""
    loop = source.enclosing(value, cst.For)
    counts = (
        loop is not None and isinstance(loop.iter, cst.Call) and isinstance(loop.target, cst.Name)
    )
    if not counts or loop is None or not isinstance(value, cst.Name):
        return False
    named = isinstance(loop.target, cst.Name) and loop.target.value == value.value
    return named and isinstance(loop.iter, cst.Call) and source.name(loop.iter.func) == "range"


def is_size(value: cst.BaseExpression, source: Source) -> bool:
    """`x.size(0)`, `x.shape[1]`, `len(x)`."""
    match value:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="size")), args=[_]):
            return True
        case cst.Subscript(value=cst.Attribute(attr=cst.Name(value="shape"))):
            return isinstance(value.slice[0].slice, cst.Index)
    return isinstance(value, cst.Call) and source.name(value.func) == "len"


def annotated(target: cst.CSTNode, annotation: str, source: Source) -> Fix:
    edit = source.replace(target, f"{source.code(target)}: {annotation}")
    return Fix(f"annotate as {annotation}", (edit,), Applicability.SAFE)
