"""LT220: what torch.load reads is used as a model, which torch.load refuses to read."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.facts.exporting.whole_loads import WHOLE_MODEL, find_refused_use
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT220",
    summary="a whole model read by torch.load",
    why="""
        What is read is called, or put into eval mode: the file holds a pickled model, not its
        weights. Since torch 2.6 torch.load reads weights only unless it is told otherwise, and
        raises UnpicklingError at any class of a model or layer; at a TorchScript archive it
        raises RuntimeError. Measured on torch 2.13.

        Save `model.state_dict()`, make the model by its class, and load the weights into it. Where
        the file is your own, `weights_only=False` reads it, and runs whatever code it holds;
        torch.jit.load reads TorchScript.
    """,
    bad="""
        import torch
        from torch import nn


        def predict(path, image):
            model = torch.load(path, map_location="cpu")
            return model.eval()(image)


        def save(model, path):
            torch.save(model, path)
    """,
    good="""
        import torch
        from torch import nn


        def predict(path, image):
            model = nn.Linear(4, 2)
            model.load_state_dict(torch.load(path, map_location="cpu"))
            return model.eval()(image)


        def save(model, path):
            torch.save(model.state_dict(), path)
    """,
    proof="""
        save(nn.Linear(4, 2), "model.pt")
        predict("model.pt", torch.ones(1, 4))
    """,
    severity=Severity.ERROR,
)

REMEDY = "save its state_dict() and load that into the class"
FIRST = (2, 6)
"""The release since which torch.load reads weights only by itself."""


@rule.event("torch.load")
def in_loads(event: Called, source: Source) -> Iterator[Hit]:
    if source.profile.torch < FIRST:
        return
    if used := find_refused_use(event, source.evaluation, source.text):
        message = f"{used} what torch.load reads: a pickled model is refused since torch 2.6"
        yield Hit(event, message, remedy=REMEDY, cause=WHOLE_MODEL)
