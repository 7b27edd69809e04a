"""One try at running a model, and whether there is any point in trying."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.process import surroundings
from lintorch.guest.process.error_text import is_of_memory, kind_of, text_of
from lintorch.guest.process.limits import TooSlow, within
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.raised_errors import raised as event_of
from lintorch.guest.watch.record_run import call
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.trace import Event, Site


@dataclass(frozen=True)
class Error:
    """How one try failed."""

    kind: str
    text: str
    site: Site | None
    event: Event | None = None
    limit: str = ""
    """The limit that it met: "time", "memory", or none."""

    @property
    def where(self) -> str:
        """Its line, behind what is said of it."""
        return f" ({self.site.path}:{self.site.row})" if self.site else ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text.strip().partition(chr(10))[0][:300]}{self.where}"


def attempt(module: nn.Module, guess: Guess, files: UserLines, seconds: float) -> Error | None:
    """How the model fails on a guess; None where it runs and gives a tensor back."""
    surroundings.seed()
    try:
        with within(seconds):
            output = call(module, make_tensors.placed(module, guess.inputs, guess.sizes))
    except (Exception, SystemExit, TooSlow) as raised:  # whatever user code raises
        where = files.of_error(raised)
        event = event_of(raised, module, files)
        return Error(kind_of(raised), text_of(raised), where, event, _limit(raised))
    if make_tensors.flatten(output):
        return None
    return Error("ValueError", f"forward gave {type(output).__name__}, and no tensor", None)


def _limit(error: BaseException) -> str:
    if isinstance(error, TooSlow):
        return "time"
    return "memory" if is_of_memory(error) else ""


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
