"""LT207: a tensor kept as a plain attribute of a module, and an integer Parameter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Combined, Indexed
from lintorch.evaluator.objects import is_module_class, list_ancestors
from lintorch.evaluator.values import Class, Held, Items, Tensor, Value
from lintorch.evidence import PlainTensor, Trace
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.models.value_ways import Operation, list_operands
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
    remedy="register it: self.register_buffer('name', tensor)",
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
_STEPS = 8
_MOVES = frozenset({"_apply", "to", "cuda", "__setattr__", "__getattr__"})


@rule.event(AttributeSet)
def in_source(event: AttributeSet, source: Source) -> Iterator[Hit]:
    kinds = [*list_ancestors(event.held.of)] if isinstance(event.held, Held) else []
    if event.way.forward or not isinstance(event.value, Tensor) or not any(map(_is_module, kinds)):
        return
    name, made = event.attribute, _find_maker(event.value, source)
    own = [each for each in kinds if isinstance(each, Class)]
    if made and _is_kept(name, own) and _is_needed(event.value, source):
        message = f"self.{name} is no buffer: to(), cuda() and half() do not reach it"
        remedy = f'write self.register_buffer("{name}", ...)'
        node = _find_assignment(event, source)
        if name.startswith("__"):  # Python writes the class in front of it, but not in a text
            node, remedy = None, f"call it {name.lstrip('_')}, and write self.register_buffer()"
        fix = None if node is None else _fix(node, name, made, source)
        yield Hit(event, message, fix, remedy=remedy, cause="no buffer")


def _find_assignment(event: AttributeSet, source: Source) -> cst.Assign | None:
    """The statement, where it assigns nothing else."""
    target = source.node_at(event, cst.Attribute)
    node = source.enclosing(target, cst.Assign) if target is not None else None
    alone = node is not None and len(node.targets) == 1 and node.targets[0].target is target
    return node if alone else None


def _is_module(kind: Value) -> bool:
    return is_module_class(kind)


def _find_maker(value: Value | None, source: Source) -> str:
    """The function that made a tensor; "" where it may be on a device, or of no dimensions."""
    for _ in range(_STEPS):
        made = source.evaluation.ways.find_maker(value)
        if not isinstance(made, Called) or made.open or "device" in made.keyword:
            return ""
        if made.name in _MADE | _RANDOM:
            return "" if _may_be_flat(made) else made.name
        if made.name.rpartition(".")[2] not in _SHAPED | {"diag"}:
            return ""
        value = next(list_operands(made), None)
    return ""


def _may_be_flat(made: Called) -> bool:
    """`torch.tensor(0.5)`, which computes with tensors on any device."""
    copies = made.name in ("torch.tensor", "torch.as_tensor")
    return copies and not (made.positional and isinstance(made.positional[0], Items))


def _is_kept(name: str, kinds: list[Class]) -> bool:
    """Whether nothing else is ever assigned, and no class moves its tensors itself."""
    texts = (ast.unparse(kind.node) for kind in kinds)
    writes = sum(len(re.findall(rf"\bself\.{name}(: [^=\n]+)? =", text)) for text in texts)
    methods = (getattr(node, "name", "") for kind in kinds for node in kind.node.body)
    return writes <= 1 and not any(method in _MOVES for method in methods)


def _is_needed(value: Value, source: Source) -> bool:
    """Whether a forward computes with the tensor itself, and nothing moves it."""
    ways, parts, users = source.evaluation.ways, [value], list[Operation]()
    for part in parts:
        mine = [*ways.find_users(part)] if len(parts) < _STEPS else []
        users += mine
        parts += [each.result for each in mine if _is_part(each, part)]
    names = [each.name.rpartition(".")[2] for each in users if isinstance(each, Called)]
    if any(_MOVED.search(f".{name}(") for name in names):
        return False
    return any(_computes(user, parts, source) for user in users)


def _is_part(user: Operation, value: Value) -> bool:
    """`self.queue[:n]`, `self.queue.clone().detach()`: where it is, that is too."""
    if isinstance(user, Called):
        last = user.name.rpartition(".")[2]
        return last in _SHAPED | {"detach"} and next(list_operands(user), None) is value
    taken = isinstance(user, Indexed) and user.held is value
    return taken and not (isinstance(user.result, Tensor) and user.result.shape == ())


def _computes(user: Operation, values: list[Value], source: Source) -> bool:
    """Whether an operation of a forward takes it together with a tensor that is where the model is."""
    inside = user.way.forward or any(name.endswith(".forward") for name in user.way.names)
    if not inside or not isinstance(user, (Combined, Called)):
        return False
    if isinstance(user, Called) and not user.name.startswith("torch."):
        return False
    others = [v for v in list_operands(user) if not any(v is each for each in values)]
    ways = source.evaluation.ways
    return any(isinstance(each, Tensor) and ways.stands_on_data(each) for each in others)


@rule.source(cst.Call, needs=("Parameter(",))
def of_integers(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != _PARAMETER:
        return
    given = source.arguments(call, "data", "requires_grad")
    if given.value("requires_grad", True) is True and _is_whole(given.get("data"), source):
        message = "a Parameter of integers raises: only floating point can be trained"
        remedy = "pass requires_grad=False, or register it as a buffer"
        yield Hit(call, message, severity=Severity.ERROR, remedy=remedy)


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


def _fix(node: cst.Assign, name: str, made: str, source: Source) -> Fix | None:
    """Saved where the numbers are random, so that a restored model has them too."""
    info = source.classes.around(node)
    body = info.node.body.body if info is not None else ()
    own = [s for s in body if name in source.code(s).split("=")[0].split(":")[0]]
    if any(isinstance(s, cst.SimpleStatementLine) for s in own):
        return None
    whole, target = source.replace(node, ""), source.replace(node.targets[0].target, "")
    behind = source.text.index("=", target.end) + 1
    begin = behind + source.text.startswith(" ", behind)
    end = ")" if made in _RANDOM else ", persistent=False)"
    edits = (
        Edit(whole.start, begin, f'self.register_buffer("{name}", '),
        Edit(whole.end, whole.end, end),
    )
    return Fix("register it as a buffer", edits, Applicability.UNSAFE)
