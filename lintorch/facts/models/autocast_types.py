"""Types under autocast: which values are of half precision, by the operations and the regions they came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lintorch.evaluator.events import Called, Combined, ItemSet, Occurrence
from lintorch.evaluator.marks import ContextEntered, ContextLeft
from lintorch.evaluator.values import NONE, TRUE, Constant, External, Held, Items, Tensor, Value
from lintorch.facts.models.gradient_graphs import GradientGraphs
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import Operation, is_one

_LOW = frozenset(
    {
        "linear", "bilinear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
        "conv_transpose3d", "convtranspose1d", "convtranspose2d", "convtranspose3d", "mm", "matmul",
        "bmm", "addmm", "baddbmm", "addbmm", "MatMult", "einsum", "__matmul__",
    }
)  # fmt: skip
"""What autocast runs in half precision, on the CPU and on CUDA."""
_KEEPS = frozenset(
    {
        "view", "reshape", "permute", "transpose", "t", "T", "mT", "contiguous", "flatten", "squeeze",
        "unsqueeze", "expand", "expand_as", "clone", "detach", "relu", "gelu", "silu", "leaky_relu",
        "dropout", "leakyrelu", "sigmoid", "tanh", "getitem", "chunk", "split", "cpu", "cuda",
        "batchnorm1d", "batchnorm2d", "masked_fill", "max_pool2d", "maxpool2d", "identity", "data",
    }
)  # fmt: skip
"""What gives the type that it is given."""
_NAMES = {
    **dict.fromkeys(("torch.half", "torch.float16"), "float16"),
    **dict.fromkeys(("torch.bfloat16",), "bfloat16"),
}
EXAMPLE_TAKERS = ("torch.onnx.export", "torch.export.export", "torch.jit.trace")
"""What runs a model, its first argument, on the example that is its second."""
_METHODS = {"half": "float16", "bfloat16": "bfloat16", "float": "float32", "double": "float64"}


@dataclass(frozen=True)
class TypedCall:
    """An operation, with the type of the region it happens in ("" outside), of its layer's weights, and operands."""

    event: Operation
    region: str
    weights: str
    low: tuple[tuple[Value, str], ...]
    """The operands that are surely of half precision."""


class AutocastTypes:
    """Followed through the events of one root, in order."""

    def __init__(self, events: tuple[Occurrence, ...], graphs: GradientGraphs) -> None:
        self._events = events
        self._graphs = graphs

    def find_type(self, value: Value) -> str:
        """The half-precision type that a value surely has, else ""."""
        return self._followed[0].get(id(value), "")

    @property
    def calls(self) -> tuple[TypedCall, ...]:
        """Operations in which something of half precision meets what may not be."""
        return self._followed[1]

    @property
    def writes(self) -> tuple[tuple[ItemSet, str], ...]:
        """What of half precision is written into other tensors, with its type."""
        return self._followed[2]

    @cached_property
    def _followed(
        self,
    ) -> tuple[dict[int, str], tuple[TypedCall, ...], tuple[tuple[ItemSet, str], ...]]:
        types: dict[int, str] = {}
        weights: dict[int, str] = {}
        regions: list[str] = []
        calls: list[TypedCall] = []
        writes: list[tuple[ItemSet, str]] = []
        for event in self._events:
            if isinstance(event, ContextEntered) and _is_autocast(event.manager):
                regions.append(_read_region(self._find_making(event.manager)))
            elif isinstance(event, ContextLeft) and _is_autocast(event.manager):
                regions = regions[:-1]
            elif isinstance(event, Called) and _is_conversion(event):
                self._convert(event, weights)
            elif isinstance(event, Operation):
                region = regions[-1] if regions else ""
                call = _type_call(event, region, weights, types)
                if call.low or call.weights or (region and _is_given_place(event)):
                    calls.append(call)
                _note_result(call, types)
            elif isinstance(event, ItemSet) and id(event.value) in types:
                writes.append((event, types[id(event.value)]))
        return types, tuple(calls), tuple(writes)

    def _convert(self, event: Called, weights: dict[int, str]) -> None:
        """`model.half()`, `model.to(torch.bfloat16)`."""
        method = event.name.rpartition(".")[2]
        given = (*event.positional[1:], *event.keyword.values())
        asked = [_NAMES[v.path] for v in given if isinstance(v, External) and v.path in _NAMES]
        full = [v for v in given if isinstance(v, External) and v.path == "torch.float32"]
        held = event.positional[0] if event.positional else None
        kind = _METHODS.get(method) or (asked[0] if asked else "float32" if full else "")
        if kind and isinstance(held, Held):
            for part in self._graphs.list_parts(held.address):
                weights[part] = kind if kind in ("float16", "bfloat16") else ""

    def _find_making(self, manager: Value) -> Called | None:
        found = (e for e in self._events if isinstance(e, Called) and is_one(e.result, manager))
        return next(found, None)


def _is_conversion(event: Called) -> bool:
    """Whether a module is moved or converted."""
    path, _, method = event.name.rpartition(".")
    return path.startswith("torch.nn.") and method in {"to", *_METHODS} and "(" not in path


def _is_given_place(event: Occurrence) -> bool:
    """Whether it writes its result into a tensor that it is given."""
    return isinstance(event, Called) and "out" in event.keyword


def is_lowered(event: Operation) -> bool:
    """Whether autocast runs it in half precision."""
    return name_operation(event) in _LOW


def _is_autocast(manager: Value) -> bool:
    kind = manager.of if isinstance(manager, Held) else None
    return isinstance(kind, External) and kind.path.endswith("autocast")


def _read_region(made: Called | None) -> str:
    """The type of a region, "?" where it is not known."""
    if made is None or made.open:
        return "?"
    given = made.arguments
    enabled, dtype, device = (given.get(name) for name in ("enabled", "dtype", "device_type"))
    if enabled is not None and enabled != TRUE:
        return "?"
    if isinstance(dtype, External):
        return _NAMES.get(dtype.path, "?")
    on_cuda = made.name == "torch.cuda.amp.autocast" or device == Constant("cuda")
    if dtype is not None and dtype != NONE and "dtype" in made.keyword:
        return "?"
    if on_cuda:
        return "float16"
    return "bfloat16" if device == Constant("cpu") or "cpu" in made.name else "?"


def _type_call(
    event: Operation, region: str, weights: dict[int, str], types: dict[int, str]
) -> TypedCall:
    operands = [*_list_tensors(event)]
    low = tuple((each, types[id(each)]) for each in operands if id(each) in types)
    held = event.positional[0] if isinstance(event, Called) and event.positional else None
    runs = isinstance(event, Called) and (
        event.name.endswith(".forward") or event.name in EXAMPLE_TAKERS
    )
    own = weights.get(held.address, "") if runs and isinstance(held, Held) else ""
    return TypedCall(event, region, own, low)


def _list_tensors(event: Operation) -> Iterator[Value]:
    if isinstance(event, Called):
        given = (*event.positional, *event.keyword.values())
    elif isinstance(event, Combined):
        given = (event.left, event.right)
    else:
        given = (event.held,)
    for value in given:
        yield value
        yield from (value.items or ()) if isinstance(value, Items) else ()


def _note_result(call: TypedCall, types: dict[int, str]) -> None:
    kind, event = "", call.event
    name = name_operation(event)
    if is_lowered(event) and call.region not in ("", "?"):
        kind = call.region
    elif is_lowered(event) and not call.region and call.weights:
        kind = call.weights
    elif name in _KEEPS:
        kind = types.get(id(find_operand(event)), "")
    elif isinstance(event, Combined) and call.region and event.operator == "Pow":
        kind = ""  # which autocast computes in float32
    elif isinstance(event, Combined) and call.low and not call.region.startswith("?"):
        sides = (event.left, event.right)
        plain = [v for v in sides if id(v) not in types and not isinstance(v, Constant)]
        kinds = {kind for _, kind in call.low}
        kind = kinds.pop() if not plain and len(kinds) == 1 else ""
    for value in (
        event.result,
        *(event.result.items or () if isinstance(event.result, Items) else ()),
    ):
        if kind and isinstance(value, Tensor):
            types[id(value)] = kind
