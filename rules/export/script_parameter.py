"""LT141: a parameter that TorchScript takes for another type, or cannot take."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.compiled_code import find_compiled
from lintorch.facts.exporting.function_bodies import nodes_in_body
from lintorch.facts.exporting.script_terms import SCRIPT, TYPES
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT141",
    summary="a parameter that TorchScript cannot take",
    why="""
        For TorchScript a parameter without annotation is a tensor: `factor=2.0` is refused, and so
        are `*args`, `**kwargs`, parameters by keyword only that have a default, and annotations such
        as `Callable` or a bare `dict`. Annotate it: `factor: float = 2.0`.

        A parameter `mask=None` without annotation, or annotated as a tensor, compiles, and
        `mask is None` is then never true: the scripted model takes the other branch, and nothing
        says so. Behind `mask is not None` it raises where None is used. `Optional[Tensor]` says what
        is meant. Measured on torch 2.13.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or
        `unused` are not compiled.
    """,
    bad="""
        import torch


        def scaled(x, factor=2.0):
            return x * factor


        def compiled():
            return torch.jit.script(scaled)
    """,
    good="""
        import torch


        def scaled(x, factor: float = 2.0):
            return x * factor


        def compiled():
            return torch.jit.script(scaled)
    """,
    remedy="annotate the parameter: List[torch.Tensor], Optional[torch.Tensor], int",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
    formerly=("LT123", "script-syntax"),
)

WRONG = {"torchscript-script": Harm.SILENT}
NO_TYPES = frozenset(
    {
        *(f"{home}.{name}" for home in ("typing", "collections.abc") for name in (
            "Callable", "Sequence", "Iterable", "Mapping",
        )),
        "torch.Size", "dict",
    }
)  # fmt: skip


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    here = find_compiled(source)
    for function in here.table:
        for hit in in_parameters(function, source):
            yield here.tell(hit, function)


def in_parameters(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    given = function.params
    several = given.star_arg if isinstance(given.star_arg, cst.Param) else given.star_kwarg
    if several is not None:
        told = f"{function.name.value} takes any number of arguments"
        yield Hit(several, told, harm=SCRIPT, remedy="take a list, List[torch.Tensor]")
    for parameter in given.kwonly_params:
        if parameter.default is not None:
            told = f"{parameter.name.value} is taken by keyword only and has a default"
            yield Hit(parameter, told, harm=SCRIPT, remedy="take it by position: no * before it")
    for parameter in given.params:
        yield from in_parameter(parameter, function, source)


def in_parameter(parameter: cst.Param, function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    annotation = parameter.annotation.annotation if parameter.annotation else None
    bare = annotation.value if isinstance(annotation, cst.Subscript) else annotation
    name, given, default = parameter.name.value, parameter.default, literal(parameter.default)
    if (
        annotation is not None
        and source.name(bare) in NO_TYPES
        and not (bare is not annotation and source.name(bare) == "dict")
    ):
        yield Hit(parameter, f"{source.code(annotation)} is no type of TorchScript", harm=SCRIPT)
    elif (
        annotation is None
        and given is not None
        and type(default) in TYPES
        and "# type:" not in source.text
    ):
        one = TYPES[type(default)]
        told = f"{name} has no annotation, so it is a tensor, and cannot be {default!r}"
        start, end = source.replace(parameter.name, ""), source.replace(given, "")
        text = f"{name}: {one} = {source.code(given)}"
        edit = Edit(start.start, end.end, text)
        fix = Fix(f"annotate as {one}", (edit,), Applicability.SAFE)
        yield Hit(parameter, told, fix, SCRIPT)
    elif default is None and source.name(annotation) in ("", "torch.Tensor"):
        typed = isinstance(annotation, (cst.Name, cst.Attribute)) == bool(annotation)
        asked = {*asked_none(name, function, source)} & {cst.Is, cst.IsNot} if typed else set()
        if asked and "# type:" not in source.text:
            never = cst.Is in asked
            told = f"{name} is None` is never" if never else f"{name} is not None` is always"
            harm = WRONG if never else SCRIPT
            yield Hit(parameter, f"{name} is a tensor here: `{told} true", harm=harm)


def asked_none(
    name: str, function: cst.FunctionDef, source: Source
) -> Iterator[type[cst.BaseCompOp]]:
    """How a function compares a name with None: `is`, `is not`."""
    for node in nodes_in_body(function, cst.Comparison, source):
        compared = node.comparisons[0]
        if is_name(node.left, name) and literal(compared.comparator) is None:
            yield type(compared.operator)


def is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
