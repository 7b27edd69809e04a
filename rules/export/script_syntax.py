"""LT123: Python that TorchScript does not compile, in a function or model that is scripted."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.compiled_code import CompiledCode
from lintorch.facts.exporting.exported_models import nodes_in_body
from lintorch.facts.exporting.scripted import find_scripted, is_compiled, is_self_attribute
from lintorch.source import UNKNOWN, Kind, Source, literal

rule = Rule(
    __name__,
    code="LT123",
    summary="Python that TorchScript does not compile",
    why="""
        torch.jit.script compiles the text of a function and of all it calls, and of the forward
        of every part of a model, called or not. It knows a part of Python: try, lambda, yield,
        sets, `:=`, imports and functions in functions are refused wherever they stand, even in a
        branch that only training or only Python takes. `*args`, `**kwargs`, `super()`, an index
        into a ModuleList that is not a literal, attributes of the class and those that the
        constructor makes in a branch alone, layers made on the way, and functions of Python with
        `**kwargs` (einops, checkpoint) are refused where they are compiled. A parameter without annotation is a tensor, an empty list holds
        tensors: numbers in them are refused. Measured on torch 2.13.

        A parameter `mask=None` without annotation, or annotated as a tensor, compiles, and
        `mask is None` is then never true: the scripted model takes the other branch, and nothing
        says so. Behind `mask is not None` it raises where None is used.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or `unused` are not compiled.
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
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

SCRIPT = {"torchscript-script": Harm.REFUSED}
WRONG = {"torchscript-script": Harm.SILENT}
NEVER: dict[type[cst.CSTNode], str] = {
    cst.Yield: "yield", cst.Try: "try", cst.TryStar: "try", cst.Lambda: "a lambda",
    cst.Global: "global", cst.FunctionDef: "a function in a function",
    cst.ClassDef: "a class in a function", cst.Import: "an import", cst.ImportFrom: "an import",
    cst.NamedExpr: ":=", cst.Match: "match", cst.Set: "a set", cst.SetComp: "a set",
}  # fmt: skip
"""Refused wherever it stands."""
NO_TYPES = frozenset(
    {
        *(f"{home}.{name}" for home in ("typing", "collections.abc") for name in (
            "Callable", "Sequence", "Iterable", "Mapping",
        )),
        "torch.Size", "dict",
    }
)  # fmt: skip
MODES = ("torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled", "open")
"""What it cannot enter by `with`, unlike no_grad and autocast."""
VARIADIC = frozenset(
    {
        "einops.rearrange",
        "einops.reduce",
        "einops.repeat",
        "torch.utils.checkpoint.checkpoint",
        "torch.utils.checkpoint.checkpoint_sequential",
    }
)
"""Functions of Python with `**kwargs`, which it would have to compile."""
HOLDERS = frozenset({"torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ModuleDict"})
TYPES = {bool: "bool", int: "int", float: "float", str: "str"}


@rule.source(cst.Module, needs=("jit", "forward("))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    if "jit" not in source.text and not source.profile.concerns(SCRIPT):
        return
    if not (table := find_scripted(source)):
        return
    here = CompiledCode(source.file, table)
    for function in table:
        for hit in in_parameters(function, source):
            yield here.tell(hit, function)
    for found in (in_text, in_calls, in_indexing, in_containers):
        for hit in found(here, source):
            assert isinstance(hit.node, cst.CSTNode)
            yield here.tell(hit, here.home(hit.node))


def in_text(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """What is refused in any branch."""
    for kind, told in NEVER.items():
        for node in here.nodes(kind):
            yield Hit(node, f"{told} is not compiled", harm=SCRIPT)
    loops: Iterator[cst.For | cst.While] = here.nodes(cst.For, cst.While)
    for loop in loops:
        if loop.orelse is not None:
            yield Hit(loop.orelse, "else after a loop is not compiled", harm=SCRIPT)
    for part in here.nodes(cst.CompFor):
        if part.ifs or part.inner_for_in is not None:
            yield Hit(part, "a comprehension with if or a second for is not compiled", harm=SCRIPT)
    for text in here.nodes(cst.FormattedStringExpression):
        if text.format_spec is not None or text.conversion or text.equal:
            yield Hit(text, "a format in an f-string is not compiled", harm=SCRIPT)
    for assign in here.nodes(cst.AnnAssign):
        if assign.value is None:
            yield Hit(assign, "an annotation without a value is not compiled", harm=SCRIPT)
    for arg in here.nodes(cst.Arg):
        if arg.star == "**":
            yield Hit(arg, "keyword arguments from a dict are not compiled", harm=SCRIPT)


def in_calls(here: CompiledCode, source: Source) -> Iterator[Hit]:
    for call in here.nodes(cst.Call):
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        name = source.name(call.func)
        if is_compiled(call, source):
            yield from in_call(call, name, source)
        above = isinstance(owner, cst.Call) and source.name(owner.func) == "super"
        if above and is_compiled(call, source):
            yield Hit(call, "super() is not compiled", harm=SCRIPT)
        for arg in call.args:
            if arg.star == "*" and is_listed(arg.value, source) and is_compiled(call, source):
                told = f"*{source.code(arg.value)}: the number of arguments is not known"
                yield Hit(arg, told, harm=SCRIPT)
    for item in here.nodes(cst.WithItem):
        entered = item.item.func if isinstance(item.item, cst.Call) else None
        if source.name(entered) in MODES and is_compiled(item, source):
            yield Hit(item, f"{source.name(entered)} cannot be entered", harm=SCRIPT)


def in_call(call: cst.Call, name: str, source: Source) -> Iterator[Hit]:
    """What can be called in Python alone."""
    if name in VARIADIC:
        yield Hit(call, f"{name} takes any number of arguments", harm=SCRIPT)
    elif name == "getattr" and len(call.args) > 1 and literal(call.args[1].value) is UNKNOWN:
        yield Hit(call, "getattr of a name that is not a literal", harm=SCRIPT)
    elif name.startswith("torch.nn.") and source.classes.is_module_class(name):
        yield Hit(call, f"{name} cannot be made in compiled code", harm=SCRIPT)
    elif name == "zip" and len(call.args) > 1:
        held = [is_holder(arg.value, source) for arg in call.args]
        local = [is_sliced(arg.value, source) for arg in call.args]
        if any(held) and any(local):
            told = "zip of modules and of a list, whose length the compiler does not see"
            yield Hit(call, told, harm=SCRIPT)


def is_holder(value: cst.BaseExpression, source: Source) -> bool:
    """`self.blocks` of a ModuleList."""
    if not is_self_attribute(value):
        return False
    made = {source.name(call.func) for call in source.built(value)}
    return bool(made) and made <= HOLDERS


def is_sliced(value: cst.BaseExpression, source: Source) -> bool:
    """`features[::-1]` of a local name."""
    cut = isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Slice)
    return cut and isinstance(value, cst.Subscript) and isinstance(value.value, cst.Name)


def is_listed(value: cst.BaseExpression, source: Source) -> bool:
    """`x.shape`, `x.shape[1:]`, `x.size()`, `[1, 2]`: of a length that the compiler does not see."""
    if isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Slice):
        return is_listed(value.value, source)
    if isinstance(value, cst.Call):
        value = value.func if not value.args else value
        return isinstance(value, cst.Attribute) and value.attr.value == "size"
    shape = isinstance(value, cst.Attribute) and value.attr.value == "shape"
    return shape or isinstance(value, cst.List)


def in_indexing(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`self.blocks[i]`, and names of the class: `self.scale` of `scale = 2`."""
    for node in here.nodes(cst.Subscript):
        if not is_self_attribute(node.value) or is_fixed(node):
            continue
        made = {source.name(call.func) for call in source.built(node.value)}
        if made and made <= HOLDERS and is_compiled(node, source):
            told = f"{source.code(node)}: the index is not a literal"
            yield Hit(node, told, harm=SCRIPT)
    for read in here.nodes(cst.Attribute):
        if not is_self_attribute(read) or not is_compiled(read, source):
            continue
        if is_of_class(read, source):
            told = f"{source.code(read)} is an attribute of the class: not Final, nor a constant"
            yield Hit(read, told, harm=SCRIPT)
        elif is_left_out(read, here, source):
            told = f"{source.code(read)} is made in a branch of the constructor alone"
            yield Hit(read, told, harm=SCRIPT)
        elif is_left_empty(read, source):
            told = f"{source.code(read)} is left empty, and the class does not say of what type"
            yield Hit(read, told, harm=SCRIPT)


def is_fixed(node: cst.Subscript) -> bool:
    """`[0]`, `[-1]`, `["a"]`, `[1:]`."""
    index = node.slice[0].slice
    if isinstance(index, cst.Slice):
        bounds = (index.lower, index.upper, index.step)
        return all(each is None or literal(each) is not UNKNOWN for each in bounds)
    return isinstance(index, cst.Index) and literal(index.value) is not UNKNOWN


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
            if answer in source.evaluation.rows.answers(source.place(outer.test).row):
                return True
        inner = outer
    return False


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
    found = source.value(value)
    return "int" if found.kind is Kind.SIZE and found.whole else ""


def annotated(target: cst.CSTNode, annotation: str, source: Source) -> Fix:
    edit = source.replace(target, f"{source.code(target)}: {annotation}")
    return Fix(f"annotate as {annotation}", (edit,), Applicability.SAFE)


def in_parameters(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    given = function.params
    several = given.star_arg if isinstance(given.star_arg, cst.Param) else given.star_kwarg
    if several is not None:
        told = f"{function.name.value} takes any number of arguments"
        yield Hit(several, told, harm=SCRIPT)
    for parameter in given.kwonly_params:
        if parameter.default is not None:
            told = f"{parameter.name.value} is taken by keyword only and has a default"
            yield Hit(parameter, told, harm=SCRIPT)
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
