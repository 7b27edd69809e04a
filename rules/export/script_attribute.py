"""LT144: an attribute that TorchScript does not find on a scripted model."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Decided
from lintorch.facts.exporting.compiled_code import CompiledCode, report_compiled
from lintorch.facts.exporting.script_globals import list_unseen, tell_unkept
from lintorch.facts.exporting.script_terms import SCRIPT
from lintorch.facts.exporting.scripted import is_compiled, is_self_attribute
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT144",
    summary="an attribute or global that TorchScript does not find",
    why="""
        A scripted model has the attributes that its constructor made, of the types that they have
        then. An attribute of the class is refused (write `Final` or set it in `__init__`), and so is
        one that the constructor makes in a branch that it did not take, and an empty list or dict of
        which the class does not say what it holds. Make it in either case (`nn.Identity()`), and
        annotate it in the class. A partial, lambda, set or array of NumPy is no attribute there, and
        numbers, texts, lists, devices and tensors at the top of the file are not seen: keep them on
        self. Measured on torch 2.13.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or
        `unused` are not compiled.
    """,
    bad="""
        import torch
        from torch import nn


        class Scaled(nn.Module):
            factor = 2.0

            def forward(self, x):
                return x * self.factor


        def compiled():
            return torch.jit.script(Scaled())
    """,
    good="""
        import torch
        from torch import nn


        class Scaled(nn.Module):
            factor: torch.jit.Final[float] = 2.0

            def forward(self, x):
                return x * self.factor


        def compiled():
            return torch.jit.script(Scaled())
    """,
    remedy="set it in __init__",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
    formerly=("LT123", "script-syntax"),
)


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    yield from report_compiled(source, in_attributes, in_globals)


def in_globals(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`x * WIDTH` of `WIDTH = 4` at the top of the file."""
    for name in list_unseen(here, source):
        if is_compiled(name, source):
            told = (
                f"{name.value} is a value at the top of the file, which compiled code does not see"
            )
            remedy = f"keep it on self: self.{name.value.lower()} = {name.value}"
            yield Hit(name, told, harm=SCRIPT, remedy=remedy, cause=name.value)


def in_attributes(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`self.scale` of `scale = 2` in the class, and what some constructors do not make."""
    for read in here.nodes(cst.Attribute):
        if not is_self_attribute(read) or not is_compiled(read, source):
            continue
        if is_of_class(read, source):
            told = f"{source.code(read)} is an attribute of the class: not Final, nor a constant"
            yield Hit(read, told, harm=SCRIPT)
        elif kind := tell_kinds(read, source):
            told = f"{source.code(read)} is {kind}, which a compiled module cannot hold"
            yield Hit(read, told, harm=SCRIPT, remedy="write a method, or a module, in its place")
        elif is_left_out(read, here, source):
            told = f"{source.code(read)} is made in a branch of the constructor alone"
            yield Hit(
                read, told, harm=SCRIPT, remedy="make it in both branches, nn.Identity() or None"
            )
        elif is_left_empty(read, source):
            told = f"{source.code(read)} is left empty, and the class does not say of what type"
            yield Hit(
                read, told, harm=SCRIPT, remedy="annotate it in the class: cache: Dict[str, Tensor]"
            )


def tell_kinds(node: cst.Attribute, source: Source) -> str:
    """What all that the constructor gives an attribute is, where TorchScript has no such type."""
    kinds = {tell_unkept(made, source) for made in source.classes.assigned(node)}
    return kinds.pop() if len(kinds) == 1 else ""


def is_of_class(node: cst.Attribute, source: Source) -> bool:
    """Whether an attribute is only given in the body of the class, as a plain value."""
    info, name = source.classes.around(node), node.attr.value
    for one in source.classes.lineage(info) if info is not None and info.is_module else ():
        if (
            name in one.attributes
            or name in one.methods
            or "__constants__" in source.code(one.node)
        ):
            return False
        given = [*assigned_in(one.node, name)]
        if given:
            return all(literal(value) is not UNKNOWN for value in given)
    return False


def is_left_out(read: cst.Attribute, here: CompiledCode, source: Source) -> bool:
    """Whether a model of the file has no such attribute: its constructor went another way."""
    info, name = source.classes.around(read), read.attr.value
    if info is None or not info.is_module or [*assigned_in(info.node, name)]:
        return False
    if "Final" in source.text or "__constants__" in source.text:
        return False  # the compiler may decide on the branch around
    if f'"{name}"' in source.text or f"'{name}'" in source.text or name in info.methods:
        return False
    spoken = [m for m in source.mentions_of(name) if is_given(m, source)]
    inside = [m for m in spoken if source.classes.around(m) in [*source.classes.lineage(info)]]
    if not inside or not all(is_in_init(m, source) and is_passed_by(m, source) for m in inside):
        return False
    first, second = (
        {branch for m in inside for branch in branches_of(m, source, taken)}
        for taken in (True, False)
    )
    return not first & second  # else one of both makes it


def branches_of(mention: cst.Name, source: Source, taken: bool) -> Iterator[cst.If]:
    """The branches in whose body a mention stands, or in whose else."""
    inner: cst.CSTNode = mention
    for outer in source.ancestors(mention):
        asked = isinstance(outer, cst.If) and inner is not outer.test
        if asked and isinstance(outer, cst.If) and (inner is outer.body) is taken:
            yield outer
        inner = outer


def is_given(mention: cst.Name, source: Source) -> bool:
    """`self.x = …`."""
    part = source.parent(mention)
    if part is None or not is_self_attribute(part):
        return False
    target = source.enclosing(mention, cst.AssignTarget, cst.AnnAssign)
    value = target.target if isinstance(target, (cst.AssignTarget, cst.AnnAssign)) else None
    return value is part or isinstance(value, (cst.Tuple, cst.List))


def is_passed_by(mention: cst.Name, source: Source) -> bool:
    """Whether some model that the file builds leaves out the branch that a mention stands in."""
    inner: cst.CSTNode = mention
    for outer in source.ancestors(mention):
        if isinstance(outer, cst.FunctionDef):
            return False
        if isinstance(outer, cst.If) and inner is not outer.test:
            answer = inner is not outer.body
            if answer in find_answers(source.place(outer.test).row, source):
                return True
        inner = outer
    return False


def find_answers(row: int, source: Source) -> frozenset[bool]:
    """How the conditions of a row were answered, in all models that asked them."""
    asked = (e for _, e in source.evaluation.list_events({Decided}) if isinstance(e, Decided))
    here = (e for e in asked if e.spot.row == row and e.spot.path == source.path)
    return frozenset(e.answer for e in here if e.kind == "if" and e.answer is not None)


def is_left_empty(node: cst.Attribute, source: Source) -> bool:
    """Whether an attribute is an empty list or dict that nothing is put into before scripting."""
    info, name = source.classes.around(node), node.attr.value
    if info is None or not info.is_module or [*assigned_in(info.node, name)]:
        return False
    values = info.attributes.get(name, [])
    spoken = source.mentions_of(name)
    made = [m for m in spoken if is_in_init(m, source)]
    alone = len(made) == 1 and all(source.classes.around(m) is info for m in spoken)
    return alone and len(values) == 1 and is_empty(values[0], source)


def is_in_init(mention: cst.Name, source: Source) -> bool:
    function = source.enclosing(mention, cst.FunctionDef)
    return function is not None and function.name.value == "__init__"


def is_empty(value: cst.BaseExpression, source: Source) -> bool:
    """`[]`, `{}`, `torch.jit.annotate(List[int], [])`."""
    if isinstance(value, cst.Call) and source.name(value.func) == "torch.jit.annotate":
        value = value.args[-1].value
    return isinstance(value, (cst.List, cst.Dict)) and not value.elements


def assigned_in(node: cst.ClassDef, name: str) -> Iterator[cst.BaseExpression | None]:
    """What a class body assigns to a name; None for what is Final."""
    for line in node.body.body:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign):
                targets = [target.target for target in small.targets]
                yield from [small.value for t in targets if is_name(t, name)]
            elif isinstance(small, cst.AnnAssign) and is_name(small.target, name):
                yield None


def is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
