"""Which operations a backward pass goes through: what a loss was made of, as far as gradients flow."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from lintorch.core.torch_methods import takes_target
from lintorch.evaluator.events import (
    AttributeSet,
    Called,
    ClosedCalled,
    Combined,
    Indexed,
    Occurrence,
)
from lintorch.evaluator.marks import (
    LoopBegan,
)
from lintorch.evaluator.unknown_objects import ModelOutput, UnknownCalled, UnknownMethod
from lintorch.evaluator.values import (
    Choice,
    Constant,
    Held,
    Items,
    Tensor,
    Unknown,
    Value,
    find_unproven,
)
from lintorch.facts.models.cutting_operations import is_whole
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.quiet_stretches import find_quiet_stretches
from lintorch.facts.models.value_ways import Operation, ValueWays, list_operands

Node = Operation | UnknownCalled
_CUTTING = frozenset(
    {
        "detach", "detach_", "data", "item", "tolist", "numpy", "argmax", "argmin", "eq", "ne", "gt",
        "lt", "ge", "le", "size", "shape", "dim", "no_grad", "long", "int", "bool", "round", "grad",
        "sign", "zeros_like", "ones_like", "rand_like", "randn_like", "new_zeros", "new_ones",
        "full_like", "empty_like", "sample", "multinomial", "bernoulli", "argsort", "nonzero",
        "searchsorted", "bucketize", "isnan", "isinf", "isfinite", "one_hot", "logical_not",
    }
)  # fmt: skip
"""Operations through which no gradient flows."""
_PAIRING = frozenset(
    {"max", "min", "topk", "sort", "kthvalue", "median", "mode", "cummax", "cummin"}
)
"""Those that give values and where they stood."""
_MOST = 400


class GradientGraphs:
    """The graphs of one root."""

    def __init__(self, events: tuple[Occurrence, ...], ways: ValueWays) -> None:
        self._events = events
        self._ways = ways

    def list_nodes(
        self, loss: Value | None, passes: Callable[[Node], bool] = lambda node: True
    ) -> list[Node]:
        """The operations that a loss went through while gradients were recorded.

        `passes` says of one whether what it was given is looked at, too.
        """
        return [node for _, node in self._walk(loss, passes) if node is not None]

    def is_made_by(self, value: Value | None, asks: Callable[[Node], bool]) -> bool:
        """Whether, wherever paths have met, a value went through an operation that is asked for."""
        return value is not None and self._asks(value, asks, set())

    def _asks(self, value: Value, asks: Callable[[Node], bool], seen: set[int]) -> bool:
        if id(value) in seen or len(seen) >= _MOST:
            return False
        seen.add(id(value))
        if is_whole(value):
            return False
        node = self._find_node(value)
        if node is None:
            arms = value.arms if isinstance(value, Tensor) else ()
            return bool(arms) and all(self._asks(each, asks, seen) for each in arms)
        if self._is_cut(node):
            return False
        return asks(node) or any(self._asks(each, asks, seen) for each in _list_given(node))

    def _find_node(self, value: Value) -> Node | None:
        return self._ways.find_maker(value) or self._ways.find_unknown_maker(value)

    def _is_cut(self, node: Node) -> bool:
        quiet = id(node) in self._quiet or name_operation(node) in _CUTTING
        return quiet or self._takes_indices(node)

    def _takes_indices(self, node: Node) -> bool:
        """`out.max(1)[1]`."""
        if not isinstance(node, Indexed) or node.index != Constant(1):
            return False
        made = self._ways.find_maker(node.held)
        return made is not None and name_operation(made) in _PAIRING

    def list_outputs(self, loss: Value | None) -> list[ModelOutput]:
        """What closed models gave that a loss was made of."""
        return [value for value, _ in self._walk(loss) if isinstance(value, ModelOutput)]

    def _walk(
        self, loss: Value | None, passes: Callable[[Node], bool] = lambda node: True
    ) -> Iterator[tuple[Value, Node | None]]:
        waiting: list[Value] = [] if loss is None else [loss]
        seen: set[int] = set()
        while waiting and len(seen) < _MOST:
            value = waiting.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            node = self._find_node(value)
            if node is None and isinstance(value, Tensor):
                waiting += value.arms
            if self._is_given_quietly(value) or (node is not None and self._is_cut(node)):
                continue
            yield value, node
            waiting += () if node is None or not passes(node) else _list_given(node)

    def list_calls(self, output: ModelOutput) -> list[ClosedCalled]:
        """The calls of the closed model that gave something; of any, where its own are those of what it wraps."""
        calls = [*self._closed.values()]
        given = [(each, each.result) for each in calls]
        own = [e for e, r in given if isinstance(r, ModelOutput) and r.model == output.model]
        return own or calls

    def _is_given_quietly(self, value: Value) -> bool:
        """Whether a closed model gave it while no gradients are recorded."""
        called = (
            self._closed.get(id(value.whole or value)) if isinstance(value, ModelOutput) else None
        )
        return called is not None and id(called) in self._quiet

    @cached_property
    def _closed(self) -> Mapping[int, ClosedCalled]:
        """The calls of closed models by what they gave."""
        return {id(e.result): e for e in self._events if isinstance(e, ClosedCalled)}

    def list_savers(self, loss: Value | None) -> list[Node]:
        """Operations that every gradient of a loss goes through, and that keep what backward() frees."""
        way = self.list_way(loss)
        return [node for node in way if keeps_tensors(node) or _is_model_call(node)]

    def list_way(self, loss: Value | None) -> list[Node]:
        """The operations that every gradient of a loss goes through, last first."""
        found: list[Node] = []
        value = loss
        while value is not None and len(found) < _LONGEST:
            node = self._find_node(find_unproven(value))
            if node is None or self._is_cut(node):
                break
            found.append(node)
            flowing = [each for each in _list_compared(node) if self._may_carry(each)]
            value = flowing[0] if len(flowing) == 1 and not _is_model_call(node) else None
        return found

    def _may_carry(self, value: Value) -> bool:
        """Whether a gradient may flow to an operand: it is no number, class, object or whole number."""
        node = self._find_node(value)
        if node is not None and self._is_cut(node):
            return False
        if isinstance(value, Tensor):
            return not is_whole(value) and value.origin != "constant"
        return isinstance(value, (Unknown, Choice, Items)) and not isinstance(value, UnknownMethod)

    @cached_property
    def has_backward(self) -> bool:
        """Whether gradients are worked out anywhere in it."""
        return any(
            isinstance(e, (Called, UnknownCalled)) and name_operation(e) == "backward"
            for e in self._events
        )

    def precedes(self, one: Occurrence, other: Occurrence) -> bool:
        """Whether one happened ahead of another; False for what is of no such root."""
        here, there = self._order.get(id(one)), self._order.get(id(other))
        return here is not None and there is not None and here < there

    @cached_property
    def _order(self) -> Mapping[int, int]:
        return {id(each): number for number, each in enumerate(self._events)}

    def find_loop(self, loop: ast.AST, inside: Occurrence) -> Occurrence | None:
        """Where a loop began in which something happens."""
        began = (e for e in self._events if isinstance(e, LoopBegan) and e.node is loop)
        return next((e for e in began if e.way.names == inside.way.names[: len(e.way.names)]), None)

    def list_parts(self, model: int) -> set[int]:
        """A model and what it is made of, by their addresses."""
        found, waiting = {model}, [model]
        while waiting:
            more = self._parts.get(waiting.pop(), set()) - found
            found |= more
            waiting += more
        return found

    @cached_property
    def _parts(self) -> Mapping[int, set[int]]:
        found: dict[int, set[int]] = defaultdict(set)
        for event in self._events:
            if isinstance(event, AttributeSet) and isinstance(event.held, Held):
                if isinstance(event.value, Held):
                    found[event.held.address].add(event.value.address)
            elif isinstance(event, Called) and isinstance(event.result, Held):
                for value in _list_given(event):
                    if isinstance(value, Held):
                        found[event.result.address].add(value.address)
        return found

    @cached_property
    def _quiet(self) -> frozenset[int]:
        """What happens while no gradients are recorded, or may."""
        return find_quiet_stretches(self._events, self._ways).possible

    def is_quiet(self, event: Occurrence) -> bool:
        """Whether something happens while no gradients are recorded."""
        return id(event) in self._quiet


def keeps_tensors(node: Node) -> bool:
    """Whether an operation of torch keeps tensors for its gradient, which one backward pass frees."""
    if isinstance(node, Combined):
        negated = node.operator == "Mult" and node.right == Constant(-1)
        return node.operator in ("Mult", "Div", "Pow", "MatMult") and not negated
    name = name_operation(node)
    of_torch = isinstance(node, Called) and node.built is None
    return of_torch and (name in _SAVING or name.endswith("_loss"))


_SAVING = frozenset(
    {
        "cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "exp",
        "log", "log_softmax", "softmax", "sigmoid", "logsigmoid", "tanh", "sqrt", "pow", "square", "abs",
        "norm", "relu", "softplus", "logsumexp", "gather",
    }
)  # fmt: skip


def _is_model_call(node: Node) -> bool:
    """`critic(states)` of something unknown: where a gradient comes out of it, it has weights."""
    return isinstance(node, UnknownCalled) and not node.method


def _list_compared(node: Node) -> list[Value]:
    """What an operation is given; of a loss no target."""
    paired = takes_target(name_operation(node))
    return list(_list_given(node))[: 1 if paired and isinstance(node, Called) else None]


_LONGEST = 16


def has_weights(event: Called) -> bool:
    """Whether it is a run of a layer that has weights, and keeps what its gradients need."""
    name = event.name.removesuffix(".forward")
    last = name.rpartition(".")[2]
    layer = event.name.endswith(".forward") and name.startswith("torch.nn.")
    return layer and last.startswith(_WEIGHTED)


_WEIGHTED = (
    "Linear", "Bilinear", "Conv", "LSTM", "GRU", "RNN", "BatchNorm", "LayerNorm", "GroupNorm",
    "MultiheadAttention", "Transformer", "PReLU",
)  # fmt: skip


def _list_given(node: Node) -> Iterator[Value]:
    if not isinstance(node, UnknownCalled):
        yield from list_operands(node)
        return
    yield node.held
    for value in node.given.values:
        yield value
        yield from (value.items or ()) if isinstance(value, Items) else ()
