"""LT140: a value of another type than TorchScript takes it for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Place, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, GivenBack
from lintorch.evaluator.values import Constant, Spot, Tensor, Value
from lintorch.facts.classes.classes import ClassInfo
from lintorch.facts.classes.written_once import find_written
from lintorch.facts.exporting.compiled_code import CompiledCode, find_compiled, report_compiled
from lintorch.facts.exporting.script_lengths import is_listed
from lintorch.facts.exporting.script_locals import STATIC, list_changed, list_unlike
from lintorch.facts.exporting.script_terms import SCRIPT
from lintorch.facts.exporting.scripted import is_compiled, is_self_attribute
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT140",
    summary="a value of another type than TorchScript takes it for",
    why="""
        torch.jit.script gives every name and attribute one type, before it runs anything. A
        parameter without annotation is a tensor: it can neither be given to `torch.cat` or
        `range`, nor unpacked, nor be a number. An attribute that the constructor leaves None is
        None for good, one that it does not make cannot be assigned. All returns of a function
        give the same type, even where `self.training` or a flag picks one of them. The scale of
        `interpolate` is a float or a list of floats: `2` is refused, `2.0` is not. Measured on
        torch 2.13.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Annotate parameters and attributes
        (`features: list[Tensor]`), and return one type.
    """,
    bad="""
        import torch
        from torch import nn


        class Root(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(6, 3, 1)

            def forward(self, features):
                return self.conv(torch.cat(features, 1))


        def compiled():
            return torch.jit.script(Root())
    """,
    good="""
        import torch
        from torch import nn


        class Root(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(6, 3, 1)

            def forward(self, features: list[torch.Tensor]):
                return self.conv(torch.cat(features, 1))


        def compiled():
            return torch.jit.script(Root())
    """,
    remedy="annotate the parameter with its type: List[torch.Tensor], float, Tuple[int, int]",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
)

JOINS = frozenset(
    f"torch.{name}"
    for name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack")
)
RESIZES = ("torch.nn.functional.interpolate", "torch.nn.functional.upsample")
SUMMED = "sum() of a list of tensors is not compiled"
UNTYPED = "has no annotation, so it is a tensor"
SCALED = "the scale of interpolate is an int: it takes floats alone"
FLOAT = "write a float: scale_factor=2.0"
MAKE = "set it in __init__"
OPTIONAL = "annotate it in the class: cache: Optional[torch.Tensor]"
BASES = frozenset({"Module"})


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    for hit in report_compiled(
        source, in_calls, in_unpacking, in_returns, in_attributes, in_changes
    ):
        if isinstance(hit.node, cst.CSTNode) and is_compiled(hit.node, source):
            yield hit


def in_changes(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`y = None` that becomes a tensor in a branch, `n = 0` that becomes a float, `1.0 if long else 0`."""
    remedy = "begin with a value of that type, or annotate: y: Optional[torch.Tensor] = None"
    for node, told in list_changed(here):
        yield Hit(node, told, harm=SCRIPT, remedy=remedy)
    for node, told in list_unlike(here):
        yield Hit(node, told, harm=SCRIPT, remedy="write both as floats")
    for call in here.nodes(cst.Call):
        given = call.args[0].value if len(call.args) == 1 else None
        listed = find_written(given, source) if given is not None else None
        elements = listed.elements if isinstance(listed, cst.List) else ()
        tensors = any(is_tensor_parameter(e.value, call, here, source) for e in elements)
        if source.name(call.func) == "sum" and tensors:
            yield Hit(call, SUMMED, harm=SCRIPT, remedy="write torch.stack(list).sum(0)")
    for choice in here.nodes(cst.IfExp):
        sides = (choice.body, choice.orelse)
        plain = [type(literal(each)) in (int, float) for each in sides]
        tensor = any(is_tensor_parameter(each, choice, here, source) for each in sides)
        if any(plain) and tensor and not any(w in source.code(choice.test) for w in STATIC):
            yield Hit(choice, "a tensor on one side, a number on the other", harm=SCRIPT)


@rule.event(*RESIZES)
def in_resize(event: Called, source: Source) -> Iterator[Hit]:
    """`interpolate(x, scale_factor=self.scale)` where the model makes it an int."""
    call = source.call_at(event)
    scale = event.keyword.get("scale_factor", (*event.positional, None, None, None)[2])
    if call is None or not is_int(scale) or not is_compiled(call, source):
        return
    here = find_compiled(source)
    if (function := here.home(call)) in here.table:
        yield here.tell(Hit(call, SCALED, harm=SCRIPT, remedy=FLOAT), function)


def is_int(value: Value | None) -> bool:
    return isinstance(value, Constant) and type(value.value) is int


def in_calls(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """A parameter that is taken for a tensor, given as a list or number; a number given as a tensor."""
    for call in here.nodes(cst.Call):
        name = source.name(call.func)
        first = call.args[0].value if call.args and not call.args[0].star else None
        if first is not None and name in JOINS and is_tensor_parameter(first, call, here, source):
            yield Hit(call, f"{source.code(first)} {UNTYPED}, and no list", harm=SCRIPT)
        elif name == "range" and any(
            is_tensor_parameter(arg.value, call, here, source) for arg in call.args
        ):
            yield Hit(call, f"{source.code(call.args[-1])} {UNTYPED}, and no int", harm=SCRIPT)
        elif name in RESIZES:
            scale = source.arguments(call, "input", "size", "scale_factor").get("scale_factor")
            if type(literal(scale)) is int:
                yield Hit(call, SCALED, harm=SCRIPT, remedy=FLOAT)
        yield from given_numbers(call, here, source)


def given_numbers(call: cst.Call, here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`drop(x, 0.1)` of `def drop(x, rate)`."""
    function = source.function(call.func)
    if function is None or function not in here.table or any(arg.star for arg in call.args):
        return
    parameters = [each for each in function.params.params if each.name.value != "self"]
    for index, arg in enumerate(call.args):
        name = arg.keyword.value if arg.keyword else ""
        taken = [p for p in parameters if p.name.value == name] or parameters[index : index + 1]
        if taken and is_untyped(taken[0], source) and is_plain_number(arg.value, source):
            told = f"{taken[0].name.value} of {function.name.value} {UNTYPED}, and no number"
            yield Hit(arg, told, harm=SCRIPT)


def is_plain_number(value: cst.BaseExpression, source: Source) -> bool:
    """A literal number, or an attribute that the constructor gives one."""
    if not is_self_attribute(value):
        return type(literal(value)) in (int, float, bool)
    given = source.classes.assigned(value)
    return bool(given) and all(
        type(literal(default_of(each, source))) in (int, float, bool) for each in given
    )


def default_of(value: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """The default of a parameter, where the value is a parameter of the function around."""
    function = source.enclosing(value, cst.FunctionDef)
    if isinstance(value, cst.Name) and function is not None:
        for parameter in function.params.params:
            if parameter.name.value == value.value and parameter.default is not None:
                return parameter.default
    return value


def is_untyped(parameter: cst.Param, source: Source) -> bool:
    """Whether TorchScript takes a parameter for a tensor for want of an annotation."""
    bare = parameter.annotation is None and parameter.default is None
    return bare and "# type:" not in source.text


def is_tensor_parameter(
    value: cst.BaseExpression | None, at: cst.CSTNode, here: CompiledCode, source: Source
) -> bool:
    """Whether a name is an untyped parameter that nothing else was assigned to before."""
    function = here.home(at)
    if not isinstance(value, cst.Name) or function is None:
        return False
    taken = [each for each in function.params.params if each.name.value == value.value]
    if not taken or value.value == "self" or not is_untyped(taken[0], source):
        return False
    mentions = [m for m in source.mentions_of(value.value) if here.home(m) is function]
    return not any(is_set_before(m, at, source) or is_asked(m, source) for m in mentions)


def is_set_before(mention: cst.Name, at: cst.CSTNode, source: Source) -> bool:
    statement = source.enclosing(mention, cst.Assign, cst.For, cst.AugAssign, cst.CompFor)
    part: cst.CSTNode | None = source.enclosing(mention, cst.AssignTarget)
    if isinstance(statement, (cst.For, cst.AugAssign, cst.CompFor)):
        part = statement.target
    if statement is None or part is None:
        return False
    bound = mention is part or part in source.ancestors(mention)
    around = isinstance(statement, cst.Assign) and statement in (at, *source.ancestors(at))
    return bound and not around and source.precedes(statement, at)


def is_asked(mention: cst.Name, source: Source) -> bool:
    """`if isinstance(x, list)`: of a tensor that branch is not compiled."""
    call = source.enclosing(mention, cst.Call)
    if call is None or source.name(call.func) not in ("isinstance", "torch.is_tensor"):
        return False
    return any(isinstance(each, (cst.If, cst.IfExp)) for each in asks(call, source))


def asks(call: cst.Call, source: Source) -> Iterator[cst.CSTNode]:
    """What a call decides directly."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.If, cst.IfExp)) and inner is outer.test:
            yield outer
        inner = outer


def in_unpacking(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`height, width = size` of a parameter, `batch, *rest = x.shape`."""
    for assign in here.nodes(cst.Assign):
        target = assign.targets[0].target
        starred = isinstance(target, cst.Tuple) and any(
            isinstance(each, cst.StarredElement) for each in target.elements
        )
        if starred and is_listed(assign.value):
            told = "a starred name takes what is left of a list, whose length is not known"
            remedy = "name each size: batch, channels, height, width = x.shape"
            yield Hit(assign, told, harm=SCRIPT, remedy=remedy)
        if isinstance(target, cst.Tuple) and is_tensor_parameter(
            assign.value, assign, here, source
        ):
            told = f"{source.code(assign.value)} {UNTYPED}, and cannot be unpacked"
            yield Hit(assign, told, harm=SCRIPT)


def in_returns(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """Returns of several types."""
    if "Final" in source.text or "__constants__" in source.text:
        return  # the compiler may decide on the branches
    found: dict[cst.FunctionDef, dict[str, cst.Return]] = {}
    tensors = find_tensors(source) if here.table else frozenset()
    for line in here.nodes(cst.Return):
        function = here.home(line)
        if function is None or function.returns is not None or not is_compiled(line, source):
            continue
        if not is_static(line, source) and (kind := kind_of(line.value, tensors, source)):
            found.setdefault(function, {}).setdefault(kind, line)
    for kinds in found.values():
        (first, _), *others = kinds.items()
        for kind, line in others[:1]:
            told = f"{kind} is returned here, and {first} before"
            yield Hit(line, told, harm=SCRIPT, remedy="return the same type everywhere")


def find_tensors(source: Source) -> frozenset[Place]:
    """The values of returns that were a tensor each time."""
    given: dict[Spot, bool] = {}
    for _, event in source.evaluation.list_events({GivenBack}):
        if isinstance(event, GivenBack) and event.spot.path == source.path:
            sure = isinstance(event.value, Tensor) and event.value.sure
            given[event.spot] = sure and given.get(event.spot, True)
    return frozenset(source.evaluation.place(spot) for spot, sure in given.items() if sure)


def kind_of(value: cst.BaseExpression | None, tensors: frozenset[Place], source: Source) -> str:
    """The type of what surely has one; else ""."""
    if isinstance(value, cst.Tuple):
        plain = all(isinstance(each, cst.Element) for each in value.elements)
        return f"a tuple of {len(value.elements)}" if plain else ""
    if isinstance(value, cst.List):
        return "a list"
    return "a tensor" if value is not None and source.place(value) in tensors else ""


def is_static(line: cst.Return, source: Source) -> bool:
    """Whether the compiler itself decides on a branch around, or on one left before."""
    function = source.enclosing(line, cst.FunctionDef)
    tests = [source.code(each.test) for each in source.nodes(cst.If)
             if source.enclosing(each, cst.FunctionDef) is function]  # fmt: skip
    return any(word in test for test in tests for word in STATIC)


def in_attributes(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`self.x = y` of what the constructor leaves None, or does not make."""
    for assign in here.nodes(cst.Assign):
        for target in assign.targets:
            for part in parts_of(target.target):
                if isinstance(part, cst.Attribute) and is_self_attribute(part):
                    yield from in_attribute(part, assign, here, source)


def parts_of(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    elements = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
    yield from (each.value for each in elements)
    yield target


def in_attribute(
    part: cst.Attribute, assign: cst.Assign, here: CompiledCode, source: Source
) -> Iterator[Hit]:
    info, name = source.classes.around(assign), part.attr.value
    if info is None or not info.is_module or literal(assign.value) is None:
        return
    lineage = [*source.classes.lineage(info)]
    known = {*BASES, *(f"{each.name}" for each in lineage)}
    if not all({base.rpartition(".")[2] for base in each.bases} <= known for each in lineage):
        return
    made = [v for each in lineage for v in each.attributes.get(name, [])]
    outside = [v for v in made if here.home(v) not in here.table]
    if is_named_in_class(name, lineage, source):
        return
    if not outside:
        yield Hit(
            part, f"{source.code(part)} is not made by the constructor", harm=SCRIPT, remedy=MAKE
        )
    elif all(literal(each) is None for each in outside):
        yield Hit(part, f"{source.code(part)} is None for good", harm=SCRIPT, remedy=OPTIONAL)


def is_named_in_class(name: str, lineage: list[ClassInfo], source: Source) -> bool:
    """Whether a class body, or a text such as of register_buffer, speaks of an attribute."""
    quoted = (f'"{name}"', f"'{name}'")
    for each in lineage:
        for line in each.node.body.body:
            inner = line.body if isinstance(line, cst.SimpleStatementLine) else ()
            for small in inner:
                target = small.target if isinstance(small, cst.AnnAssign) else None
                if isinstance(target, cst.Name) and target.value == name:
                    return True
                if isinstance(small, cst.Assign) and source.code(small.targets[0].target) == name:
                    return True
        if name in each.methods or any(text in source.code(each.node) for text in quoted):
            return True
    return False
