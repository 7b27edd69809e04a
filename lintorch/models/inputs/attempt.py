"""One try at running a model, and whether there is any point in trying."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from torch import nn

from lintorch.models.inputs.guess import Guess
from lintorch.trace import feed
from lintorch.trace.raised import raised as event_of
from lintorch.trace.record import Event, Site
from lintorch.trace.run import call
from lintorch.trace.site import Files
from lintorch.worker import surroundings
from lintorch.worker.limits import TooSlow, within


@dataclass(frozen=True)
class Error:
    """How one try failed."""

    kind: str
    text: str
    site: Site | None
    event: Event | None = None

    def __str__(self) -> str:
        where = f" ({self.site.path}:{self.site.row})" if self.site else ""
        if self.kind == "TooSlow":
            return f"{self.text}{where}"
        return f"{self.kind}: {self.text.strip().partition(chr(10))[0][:300]}{where}"


def attempt(module: nn.Module, guess: Guess, files: Files, seconds: float) -> Error | None:
    """How the model fails on a guess; None where it runs and gives a tensor back."""
    surroundings.seed()
    try:
        with within(seconds):
            output = call(module, feed.placed(module, guess.inputs, guess.sizes))
    except (Exception, SystemExit, TooSlow) as raised:  # whatever user code raises
        where = files.of_error(raised)
        return Error(type(raised).__name__, str(raised), where, event_of(raised, module, files))
    if feed.flatten(output):
        return None
    return Error("ValueError", f"forward gave {type(output).__name__}, and no tensor", None)


def unfeedable(module: nn.Module) -> str:
    """Why no tensor will do for an argument; "" where tensors may."""
    plain = {"bool": bool, "str": str, "int": int, "float": float}
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.default is not parameter.empty:
            continue
        annotation = parameter.annotation
        name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        if name in plain or parameter.kind is parameter.KEYWORD_ONLY:
            kind = f"is a {name}" if name in plain else "is passed by name only"
            return f"its argument {parameter.name} {kind}: give it a default, or export a wrapper"
    return ""
