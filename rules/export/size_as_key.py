"""LT136: a size as the key of a dictionary or cache."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Entered, Indexed, ItemSet
from lintorch.evaluator.find_baked import is_sequence
from lintorch.evaluator.operators.arguments import is_unnamed
from lintorch.evaluator.sizes import Dim, is_symbol, list_symbols
from lintorch.evaluator.values import Held, Items, Number, Value
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT136",
    summary="a size as the key of a dictionary or cache",
    why="""
        A grid or mask that is kept by its size, `self.masks[x.shape[1]] = mask`: the size that
        `torch.export` traces has no hash, and it raises TypeError, "unhashable type:
        non-nested SymInt". The new ONNX exporter tries again with dynamo, which takes it, as the
        tracers do. A list, or a ModuleList, that is indexed by a size, `self.scales[x.shape[1]]`,
        gives the item for the example: torch.export refuses it, tracers keep it. Of a number that
        other sizes give too, `self.layers[n % 3]`, torch.export guards the answer, and the new ONNX
        exporter keeps it without a word. Measured on torch 2.13, with sizes that are declared
        dynamic.

        Key by the text of the size, `str(x.shape[1])`, which all of them take, or work it out
        anew in each forward. What was kept by one run is a constant in an export made after it.
    """,
    bad="""
        import torch
        from torch import nn


        class Fade(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)
                self.ramps = {}

            def forward(self, image):
                width = image.shape[3]
                if width not in self.ramps:
                    self.ramps[width] = torch.arange(width) / 7
                return self.conv(image) * self.ramps[width]
    """,
    good="""
        import torch
        from torch import nn


        class Fade(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)

            def forward(self, image):
                return self.conv(image) * (torch.arange(image.shape[3]) / 7)
    """,
    remedy="key it by text: str(size)",
    proof="""
        import torch

        torch.manual_seed(0)
        sizes = ({3: torch.export.Dim.DYNAMIC},)
        model = Fade()
        program = torch.export.export(model, (torch.ones(2, 3, 8, 8),), dynamic_shapes=sizes)
        image = torch.rand(2, 3, 8, 12)
        assert torch.equal(program.module()(image), model(image))
    """,
)

HARM = {"torch.export": Harm.REFUSED}
REFUSAL = "unhashable type: non-nested SymInt"


@rule.event(ItemSet, Indexed)
def in_model(event: ItemSet | Indexed, source: Source) -> Iterator[Hit]:
    """One line of those that use a dictionary: where it is written, if it is."""
    if not source.profile.dynamic or not event.way.forward:
        return
    if not has_size(event.index, sure=isinstance(event, Indexed)):
        return
    if isinstance(event, Indexed) and is_sequence(event.held):
        text = source.evaluation.text(event.spot)
        said = f"`{text}` is looked up by the size of the example"
        of_layers = isinstance(event.held, Held) and event.held.kind not in ("list", "tuple")
        whole = isinstance(event.index, Number) and is_symbol(event.index.size)
        harm = LOOKED_UP if whole else WORKED_OUT
        yield Hit(event, said, harm=harm, remedy=LAYERS if of_layers else TABLE)
        return
    if not isinstance(event.held, Held) or event.held.kind != "dict":
        return
    if isinstance(event, Indexed) and is_written(event, source):
        return
    if isinstance(event, ItemSet) and getattr(event.value, "origin", "") == "parameter":
        return  # weights are made for one size
    text = source.evaluation.text(event.spot).partition(" = ")[0]
    yield Hit(event, f"`{text}` is kept by a size", harm=HARM)


@rule.event(Entered)
def in_cached(event: Entered, source: Source) -> Iterator[Hit]:
    """A call with a size of a function under `@lru_cache`."""
    if not source.profile.dynamic or not event.way.forward or not event.way.spots:
        return
    cached = [each for each in getattr(event.node, "decorator_list", ()) if is_cache(each)]
    called = event.way.spots[-1]
    if not cached or called.path != source.path:
        return
    if any(has_size(each) for each in event.given.values()):
        text = f"@{ast.unparse(cached[0]).partition('(')[0]}"
        said = f"a size is the key that {text} keeps results by"
        yield Hit(source.evaluation.place(called), said, harm=HARM, remedy=UNCACHED)


TABLE = "keep that size fixed, or index a tensor: table = torch.tensor([...])"
LAYERS = "choose the layer by a setting of the model, or keep that size fixed"
LOOKED_UP = {
    **HARM, "onnx": Harm.AUTO, **dict.fromkeys(("onnx-legacy", "torchscript-trace"), Harm.WARNED)
}  # fmt: skip


UNCACHED = "leave the cache out: what is made of a size belongs into the graph"


WORKED_OUT = {**LOOKED_UP, "torch.export": Harm.FAILS, "onnx": Harm.SILENT}
"""Of a number that other sizes give too: `n % 3`, `n // 2`. The guard says so when the program runs."""


def is_cache(decorator: ast.expr) -> bool:
    """`@lru_cache`, `@functools.lru_cache(maxsize=None)`, `@functools.cache`."""
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    match func:
        case ast.Name(id="lru_cache"):
            return True
        case ast.Attribute(value=ast.Name(id="functools"), attr="lru_cache" | "cache"):
            return True
    return False


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if REFUSAL in outcome.message:
        yield report_refusal(trial.find_line(), outcome, REFUSAL)


def has_size(index: Value, sure: bool = False) -> bool:
    """Whether a key is, or holds, a size that varies; who keeps things by their size thinks that it does.

    Of a size of which nothing is known, as behind `x.view(-1, self.channels, self.side)`, a run tells.
    """
    if isinstance(index, Items):
        return any(has_size(each, sure) for each in index.items or ())
    if not isinstance(index, Number) or index.size is None or index.data:
        return False
    return index.varies is True or (index.varies is None and not sure and is_named(index.size))


def is_named(size: Dim) -> bool:
    """Whether it is known of which input it comes."""
    return not all(map(is_unnamed, list_symbols(size)))


def is_written(event: Indexed, source: Source) -> bool:
    """Whether the same dictionary is written by a size, which is told."""
    written = (each for _, each in source.evaluation.list_events({ItemSet}))
    return any(
        isinstance(each, ItemSet) and each.held == event.held and has_size(each.index)
        for each in written
    )
