"""LT111: a layer or parameter that forward makes anew at each call, so that it is never trained or saved."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import dropwhile

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE, TRUE, Constant
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT111",
    summary="a layer or parameter made in forward",
    why="""
        A layer draws its weights when it is made. Made in forward, it has other weights at each
        call, the optimizer never sees them, the state dict never holds them, and an exported
        model has those of one call baked in. Nothing warns. The same goes for nn.Parameter.
        A layer without weights (ReLU, pooling) may be made anywhere. Seen on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norm = nn.BatchNorm1d(width)

            def forward(self, x):
                return nn.Linear(x.shape[1], 10)(self.norm(x))
    """,
    good="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norm = nn.BatchNorm1d(width)
                self.linear = nn.Linear(width, 10)

            def forward(self, x):
                return self.linear(self.norm(x))
    """,
    remedy="make it in __init__ and call it here",
    proof="""
        model, x = Head(4).eval(), torch.randn(2, 4)
        assert torch.equal(model(x), model(x))
    """,
)

RANKS = ("1d", "2d", "3d")
DRAWN = frozenset(
    {
        *(f"torch.nn.{kind}{n}" for kind in ("Conv", "ConvTranspose") for n in RANKS),
        *(f"torch.nn.{kind}" for kind in ("Linear", "Bilinear", "Embedding", "EmbeddingBag")),
        *(f"torch.nn.{kind}{cell}" for kind in ("LSTM", "GRU", "RNN") for cell in ("", "Cell")),
        "torch.nn.MultiheadAttention", "torch.nn.Transformer", "torch.nn.TransformerEncoderLayer",
        "torch.nn.TransformerDecoderLayer",
    }
)  # fmt: skip
"""Layers with weights drawn at random."""
NORMS = {
    **{f"torch.nn.BatchNorm{n}": ("affine", True) for n in RANKS},
    **{f"torch.nn.InstanceNorm{n}": ("affine", False) for n in RANKS},
    "torch.nn.GroupNorm": ("affine", True),
    "torch.nn.LayerNorm": ("elementwise_affine", True),
    "torch.nn.PReLU": ("", True),
}
"""Layers with weights that start at one: trained if it were kept, and what says whether they have any."""
PARAMETER = "torch.nn.Parameter"
PLAIN = re.compile(r"^(static|class)method$|^property$|no_grad|inference_mode|autocast|jit\.")
"""Decorators that run the function at each call."""
MOVES = ("eval", "to", "train", "cuda", "forward")


@rule.event(*DRAWN, *NORMS, PARAMETER)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    inside = [*dropwhile(lambda name: not name.endswith(".forward"), event.way.names)]
    if not inside or any(name.endswith(".__init__") for name in inside):
        return
    if event.name in NORMS and not has_weights(event):
        return
    if event.name == PARAMETER and name_given(event).get("requires_grad") == FALSE:
        return  # a constant
    if is_deliberate(event, source) or is_kept_by_decorator(event, inside[1:], source):
        return
    short = event.name.rpartition(".")[2]
    if event.name == PARAMETER:
        yield Hit(event, "a Parameter made at each call: no optimizer ever sees it")
    elif event.name in DRAWN:
        drawn = "new random weights, never trained, never saved"
        yield Hit(event, f"a {short} made at each call: {drawn}")
    else:
        kept = "its weights are never trained, never saved"
        yield Hit(event, f"a {short} made at each call: {kept}")


def has_weights(event: Called) -> bool:
    """Whether a normalisation layer has weights, and is not there for what its batch gives alone."""
    switch, default = NORMS[event.name]
    if event.keyword.get("track_running_stats") == FALSE and switch not in event.keyword:
        return False
    return not event.open and event.arguments.get(switch, Constant(default)) == TRUE


def is_deliberate(event: Called, source: Source) -> bool:
    """Whether the layer is made once, gets its weights by hand, or is what a helper is to make."""
    inner = event.node
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and "self" in ast.unparse(outer.test):
            return True  # if self.head is None, if not hasattr(self, "head")
        if isinstance(outer, ast.Assign) and outer.value is inner:
            function = source.evaluation.find_function(event)
            if any(is_given_weights(target, function) for target in outer.targets):
                return True
        if isinstance(outer, ast.FunctionDef):
            if outer.name == "__init__":
                return True  # what it keeps to make layers with later
            helper = not outer.name.startswith("forward")
            return bool(outer.decorator_list) or (helper and not is_run(event, source))
    return False


def is_kept_by_decorator(event: Called, names: list[str], source: Source) -> bool:
    """Whether a function on the way has a decorator of its own, which may keep what it made: `@singleton("head")`."""
    called = {name.rpartition(".")[2] for name in names}
    return any(
        isinstance(each, ast.FunctionDef)
        and each.name in called
        and not all(PLAIN.search(ast.unparse(decorator)) for decorator in each.decorator_list)
        for each in source.evaluation.list_all_around(event)
    )


def is_run(event: Called, source: Source) -> bool:
    """Whether a forward runs a layer and keeps it nowhere."""
    if any(e.value == event.result for _, e in source.evaluation.list_events({AttributeSet})):  # type: ignore[union-attr]
        return False
    run = source.evaluation.list_events({f"{event.name}.forward"})
    return any(isinstance(each, Called) and each.built == event.spot for _, each in run)


def is_given_weights(target: ast.expr, function: ast.AST | None) -> bool:
    """Whether weights are put into what was made: `blur.weight = ...`, `blur.load_state_dict(...)`."""
    if isinstance(target, ast.Attribute):
        return getattr(target.value, "id", "") != "self"
    if not isinstance(target, ast.Name) or function is None:
        return False
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == target.id
        and node.attr not in MOVES
        for node in ast.walk(function)
    )
