"""LT309: half precision that meets float32 where autocast does not bring them together."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.marks import ContextEntered
from lintorch.evaluator.values import Held, Items, Tensor, Value
from lintorch.facts.models.autocast_types import EXAMPLE_TAKERS, TypedCall, is_lowered
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT309",
    summary="half precision meets float32",
    why="""
        What a layer or a product gives under autocast is float16 or bfloat16, and stays so after
        the region: a layer or a product with float32 raises there. Within it, autocast takes care
        of `mm`, but not of what writes into a given tensor: `addmm_`, `out=`, index_add and
        scatter_add raise where one side is float32. So does a layer of a model that went through
        half() with a float32 input. Write `.float()` after the region, or make the tensor that is
        written to of the type of what is written: `torch.zeros(…, dtype=h.dtype)`. Measured on
        torch 2.13, on the CPU.
    """,
    bad="""
        import torch
        from torch import nn


        def scores(x, body=nn.Linear(4, 4), head=nn.Linear(4, 1)):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                features = body(x)
            return head(features)
    """,
    good="""
        import torch
        from torch import nn


        def scores(x, body=nn.Linear(4, 4), head=nn.Linear(4, 1)):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                features = body(x)
            return head(features.float())
    """,
    remedy="bring both to one dtype: y.to(x.dtype)",
    proof="""
        scores(torch.ones(2, 4))
    """,
    severity=Severity.ERROR,
)

_WRITING = {
    **dict.fromkeys(("addmm_", "baddbmm_", "addbmm_", "addmv_", "addr_"), 0),
    **dict.fromkeys(("index_add_", "index_add", "index_copy_", "index_copy"), 0),
    **dict.fromkeys(("scatter_add_", "scatter_add", "scatter_", "scatter"), 0),
}
"""What takes two types no better under autocast than elsewhere."""


_CONVERTING = tuple(
    f"torch.nn.{kind}.{method}"
    for kind in ("Module", "Sequential")
    for method in ("half", "to", "bfloat16")
)


@rule.event(ContextEntered, *_CONVERTING)
def in_source(event: ContextEntered | Called, source: Source) -> Iterator[Hit]:
    types = source.evaluation.autocast.get(event.way.root)
    if types is None:
        return
    for call in types.calls:
        if clash := _clash(call, source):
            message, remedy = clash
            yield Hit(call.event, message, remedy=remedy)
    for written, kind in types.writes:
        if _is_full(written.held, None, source) and _is_scattered(written.index):
            message = f"float32 is given {kind} of autocast by an index tensor: it raises"
            yield Hit(written, message)


def _is_scattered(index: Value) -> bool:
    """Whether places are told by a mask or by numbers in a tensor: slices convert what they are given."""
    parts = (index.items or ()) if isinstance(index, Items) else (index,)
    return any(isinstance(each, Tensor) for each in parts)


def _clash(call: TypedCall, source: Source) -> tuple[str, str] | None:
    """What is wrong, and what to write instead."""
    event = call.event
    name = name_operation(event)
    if not call.region and is_lowered(event):
        return _outside(call, name, source)
    if not isinstance(event, Called):
        return None
    if event.name in EXAMPLE_TAKERS:
        return _as_example(call, event, source)
    first, out = (event.positional or (None,))[0], event.keyword.get("out")
    if out is not None and is_lowered(event) and call.region != "?" and _is_full(out, call, source):
        return f"out= is float32, autocast makes {name} {call.region}: it raises", "take the result"
    if not call.low:
        return None
    kind = call.low[0][1]
    if name in _WRITING and first is not None and _is_full(first, call, source):
        remedy = f"make what is written to {kind}, or call .float() on what is given"
        return f"{name} of float32 is given {kind} of autocast: it raises", remedy
    return None


def _as_example(call: TypedCall, event: Called, source: Source) -> tuple[str, str] | None:
    """A model of half precision that is exported with an example of float32."""
    example = event.positional[1] if len(event.positional) > 1 else None
    parts = (example.items or ()) if isinstance(example, Items) else (example,)
    if call.weights and any(_is_full(each, call, source) for each in parts):
        said = f"the example is float32, the weights are {call.weights}: the export raises"
        return said, "convert the example too"
    return None


def _outside(call: TypedCall, name: str, source: Source) -> tuple[str, str] | None:
    """A layer or a product behind the region, or a layer whose weights are half."""
    event = call.event
    if isinstance(event, Called) and event.name.endswith(".forward"):
        given = event.positional[1] if len(event.positional) > 1 else None
        held = event.positional[0] if event.positional else None
        kind = next((kind for value, kind in call.low if value is given), "")
        if kind and not call.weights and isinstance(held, Held):
            return f"{kind} from autocast meets float32 weights here: it raises", "give it .float()"
        if call.weights and given is not None and _is_full(given, call, source):
            return f"float32 meets weights of {call.weights}: it raises", "convert the input too"
        return None
    sides = (event.left, event.right) if isinstance(event, Combined) else ()
    if isinstance(event, Called):
        sides = event.positional[:2]  # type: ignore[assignment]
    if len(call.low) == 1 and any(_is_full(each, call, source) for each in sides):
        kind = call.low[0][1]
        return f"{kind} from autocast meets float32 in {name}: it raises", "call .float() on it"
    return None


def _is_full(value: Value | None, call: TypedCall | None, source: Source) -> bool:
    """Whether a tensor is surely float32: it was made so, and only seen in other forms since."""
    if call is not None and any(value is each for each, _ in call.low):
        return False
    for _ in range(_STEPS):
        made = source.evaluation.ways.find_maker(value)
        if not isinstance(made, Called):
            return False
        if name_operation(made) in _MAKERS and made.name.count(".") == 1:
            known = isinstance(made.result, Tensor) and made.result.dtype == "float32"
            return known and "dtype" not in made.keyword and not made.open
        if name_operation(made) not in _FORMS:
            return False
        value = find_operand(made)
    return False


_STEPS = 8
_MAKERS = frozenset({"zeros", "ones", "randn", "rand", "empty", "eye", "linspace"})
_FORMS = frozenset(
    {"view", "reshape", "t", "transpose", "permute", "unsqueeze", "squeeze", "expand", "contiguous"}
)
