"""LT207: a tensor kept as a plain attribute of a module, and an integer Parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import PlainTensor, Trace
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.classes.classes import ClassInfo, is_self
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT207",
    summary="a tensor of a module that is neither parameter nor buffer",
    why="""
        to(), cuda(), half() and double() move and cast parameters and buffers. A tensor that is
        a plain attribute stays where and what it was, so that forward raises on any other device
        or type; state_dict() does not hold it either. `register_buffer` makes it part of the
        module, with `persistent=False` one that is moved and not saved.

        A tensor that forward moves itself, one used only as an index, and one of no dimensions,
        which may meet a tensor of any device, are not reported. Constants that are made
        Parameters may be meant to be trained, and are not reported either. An integer tensor as
        a Parameter raises where it is made. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.kernel = torch.ones(1, 1, 3, 3)

            def forward(self, x):
                return nn.functional.conv2d(x, self.kernel)
    """,
    good="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("kernel", torch.ones(1, 1, 3, 3), persistent=False)

            def forward(self, x):
                return nn.functional.conv2d(x, self.kernel)
    """,
    proof="""
        Scale().half()(torch.ones(1, 1, 4, 4).half())
    """,
    fix=Applicability.UNSAFE,
)

_MADE = frozenset(
    f"torch.{name}"
    for name in (
        "zeros", "ones", "full", "empty", "eye", "arange", "linspace", "logspace", "tensor",
        "as_tensor", "from_numpy", "FloatTensor", "Tensor", "hann_window", "hamming_window",
    )
)  # fmt: skip
_RANDOM = frozenset(f"torch.{name}" for name in ("rand", "randn", "randint", "randperm"))
_SHAPED = frozenset(
    {
        "view", "reshape", "unsqueeze", "squeeze", "repeat", "expand", "float", "double", "long",
        "permute", "transpose", "t", "flatten", "tril", "triu", "clone", "contiguous", "exp", "sqrt",
        "log", "div", "mul",
    }
)  # fmt: skip
"""Methods that make another such tensor of a tensor."""
_MOVED = re.compile(r"\.(to|type_as|cuda|cpu|item|tolist|numpy|new\w*)\(|device|_like\(")
_PARAMETER = "torch.nn.Parameter"
_WHOLE = re.compile(r"^torch\.(u?int\d*|long|short|bool)$")
_MOVES = frozenset({"_apply", "to", "cuda", "__setattr__", "__getattr__"})


@rule.source(cst.Assign, needs=tuple(f".{n.rpartition('.')[2]}(" for n in sorted(_MADE | _RANDOM)))
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    target = node.targets[0].target
    info = source.classes.around(node)
    if len(node.targets) != 1 or not isinstance(target, cst.Attribute) or not is_self(target.value):
        return
    if info is None or not info.is_module or not _in_init(node, info, source):
        return
    name, made = target.attr.value, _made(node.value, source)
    if made and _is_kept(name, info) and _is_needed(name, info, source):
        message = f"self.{name} is no buffer: to(), cuda() and half() do not reach it"
        yield Hit(node, message, _fix(node, name, made, info, source))


@rule.source(cst.Call, needs=("Parameter(",))
def of_integers(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != _PARAMETER:
        return
    given = source.arguments(call, "data", "requires_grad")
    if given.value("requires_grad", True) is True and _is_whole(given.get("data"), source):
        message = "a Parameter of integers raises: only floating point can be trained"
        yield Hit(call, message, severity=Severity.ERROR)


@rule.trace(PlainTensor)
def in_trace(event: PlainTensor, trace: Trace) -> Iterator[Hit | Refuted]:
    if event.use == "computed":
        owner = event.layer_class.rpartition(".")[2]
        shape, by = list(event.shape), _short(event.operator)
        what = f"self.{event.attribute} of {owner}, {event.dtype}{shape}"
        where = f"met tensors that follow the model in {by}, and is no buffer"
        yield Hit(event, f"{what}, {where}")
    elif all(map(is_whole_run, trace.runs)) and _is_same_in_all(event, trace):
        yield Refuted(event, HARMLESS[event.use])


HARMLESS = {
    "moved": "every run moved it before it met another tensor",
    "index": "every run used it as an index only",
    "registered": "it is a parameter or a buffer once the model is built",
    "none": "it is None once the model is built",
}
"""What a run proves of a plain tensor, in words."""


def _is_same_in_all(event: PlainTensor, trace: Trace) -> bool:
    """Whether no run computed with a tensor set there."""
    said = [
        [e for e in run.events if isinstance(e, PlainTensor) and e.site == event.site]
        for run in trace.runs
    ]
    return all(found and found[0].use != "computed" for found in said)


def _short(operator: str) -> str:
    return operator.removeprefix("torch.").removeprefix("Tensor.").removeprefix("nn.functional.")


def _in_init(node: cst.CSTNode, info: ClassInfo, source: Source) -> bool:
    return source.enclosing(node, cst.FunctionDef) is info.methods.get("__init__")


def _made(value: cst.BaseExpression, source: Source) -> str:
    """The function that made a tensor; "" where it may be on a device, or of no dimensions."""
    if not isinstance(value, cst.Call) or _MOVED.search(source.code(value)):
        return ""
    name = source.name(value.func)
    if name in _MADE | _RANDOM:
        first = value.args[0].value if value.args else None
        flat = name in ("torch.tensor", "torch.as_tensor") and not isinstance(
            first, (cst.List, cst.Tuple, cst.ListComp)
        )
        return "" if flat else name
    func = value.func
    if not name and isinstance(func, cst.Attribute) and func.attr.value in _SHAPED:
        return _made(func.value, source)
    if name in ("torch.tril", "torch.triu", "torch.diag") and value.args:
        return _made(value.args[0].value, source)
    return ""


def _is_kept(name: str, info: ClassInfo) -> bool:
    """Whether nothing else is ever assigned, and the class does not move its tensors itself."""
    return len(info.attributes.get(name, ())) == 1 and not _MOVES & info.methods.keys()


def _is_needed(name: str, info: ClassInfo, source: Source) -> bool:
    """Whether forward computes with the tensor itself, and nowhere moves it."""
    uses = [
        a
        for a in source.nodes(cst.Attribute)
        if a.attr.value == name and is_self(a.value) and source.classes.around(a) is info
        if not _in_init(a, info, source)
    ]
    moved = any(_MOVED.search(_statement(use, source)) for use in uses)
    return not moved and any(source.in_forward(use) and _computes(use, source) for use in uses)


def _statement(use: cst.CSTNode, source: Source) -> str:
    line = source.enclosing(use, cst.SimpleStatementLine, cst.For, cst.If, cst.While)
    return source.code(line) if isinstance(line, cst.SimpleStatementLine) else ""


def _computes(use: cst.CSTNode, source: Source) -> bool:
    """An operand, or an argument of a function of torch."""
    outer = source.parent(use)
    while isinstance(outer, cst.Subscript) and outer.value is use:
        use, outer = outer, source.parent(outer)
    if isinstance(outer, cst.BinaryOperation):
        other = outer.right if outer.left is use else outer.left
        return source.value(other).is_tensor
    call = source.parent(outer) if isinstance(outer, cst.Arg) else None
    if not isinstance(call, cst.Call) or outer is None:
        return False
    others = [arg.value for arg in call.args if arg is not outer]
    name = source.name(call.func)
    return name.startswith("torch.") and any(source.value(v).is_tensor for v in others)


def _is_whole(data: cst.BaseExpression | None, source: Source) -> bool:
    """Whether a tensor written here is surely of integers."""
    if not isinstance(data, cst.Call):
        return False
    name = source.name(data.func)
    given = source.arguments(data)
    if name not in _MADE | _RANDOM or not given.complete:
        return False
    if dtype := given.get("dtype"):
        return bool(_WHOLE.match(source.name(dtype)))
    values = [arg.value for arg in data.args if arg.keyword is None]
    if name == "torch.arange":
        return bool(values) and all(_integers(literal(v)) for v in values)
    return (
        name in ("torch.tensor", "torch.as_tensor") and _integers(literal(values[0]))
        if values
        else False
    )


def _integers(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_integers, value))
    return value is not UNKNOWN and isinstance(value, int)


def _fix(node: cst.Assign, name: str, made: str, info: ClassInfo, source: Source) -> Fix | None:
    """Saved where the numbers are random, so that a restored model has them too."""
    own = [s for s in info.node.body.body if name in source.code(s).split("=")[0].split(":")[0]]
    if any(isinstance(s, cst.SimpleStatementLine) for s in own):
        return None
    whole, value = source.replace(node, ""), source.replace(node.value, "")
    end = ")" if made in _RANDOM else ", persistent=False)"
    edits = (
        Edit(whole.start, value.start, f'self.register_buffer("{name}", '),
        Edit(value.end, value.end, end),
    )
    return Fix("register it as a buffer", edits, Applicability.UNSAFE)
