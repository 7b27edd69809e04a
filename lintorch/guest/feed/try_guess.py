"""One try at running a model, and whether there is any point in trying."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from dataclasses import dataclass

from torch import nn

from lintorch.guest.feed.asked_sizes import AskedSize, find_asked_size, quote_assertion
from lintorch.guest.feed.begun_state import begin_state
from lintorch.guest.feed.first_training_run import asks_for_training, run_in_training
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.input_origins import InputOrigins, follow_inputs
from lintorch.guest.feed.run_weight import RunWeight, TooHeavy, weigh_run
from lintorch.guest.imports.name_missing import name_missing
from lintorch.guest.imports.named_devices import helps_to_take_cpu
from lintorch.guest.imports.user_frames import name_line
from lintorch.guest.process import surroundings
from lintorch.guest.process.error_text import class_name_of, format_traceback, is_of_memory, text_of
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.raised_errors import record_error as event_of
from lintorch.guest.watch.record_run import call_model
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.arguments import pick_tensors
from lintorch.record.events import Raised
from lintorch.record.models import Input
from lintorch.record.sites import Site


@dataclass(frozen=True)
class FailedTry:
    """How one try failed."""

    kind: str
    text: str
    site: Site | None
    event: Raised | None = None
    limit: str = ""
    """The limit that it met: "time", "memory", "weight", or none."""
    traceback: str = ""
    blamed: frozenset[Input] = frozenset()
    """The inputs that what raised was given, or what came of them; empty where that is not known."""
    asked: AskedSize | None = None
    """What a condition of the user's asks of a size."""
    condition: str = ""
    """That of an assertion of the user's, as it is written: it names what is asked for."""
    steps: int = 0
    """Operators that ran before it failed."""
    ended: bool = False
    """Whether `forward` came to its end."""

    @property
    def at_line(self) -> str:
        """Its line, behind what is said of it."""
        return f" ({name_line(self.site)})" if self.site else ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text.strip().partition(chr(10))[0][:300]}{self.at_line}"


def try_guess(
    module: nn.Module,
    guess: Guess,
    files: UserLines,
    seconds: float,
    weight: RunWeight | None = None,
) -> FailedTry | None:
    """How the model fails on a guess, in so many seconds; None where it runs and gives a tensor back.

    What the run computes is added to `weight`, which may end it.
    """
    surroundings.seed_generators()
    weight = weight or RunWeight()
    listed = guess.list_arguments()
    origins: InputOrigins | None = None
    try:
        with limit_seconds(seconds), weigh_run(weight):
            arguments = make_tensors.make_arguments(module, listed, guess.sizes)
            origins = follow_inputs(arguments)
            with origins or nullcontext():
                output = call_model(module, arguments)
    except (Exception, SystemExit, TooSlow, TooHeavy) as raised:  # whatever user code raises
        if not weight.trained and asks_for_training(raised, module):
            given = make_tensors.make_arguments(module, listed, guess.sizes)
            failed = run_in_training(module, given)
            weight.trained = failed is None
            if failed is None:
                return try_guess(module, guess, files, seconds, weight)
            raised = failed
        error = name_missing(raised)
        where = files.of_error(error)
        begun = None
        if weight.begun is None:
            begun = begin_state(module, raised, guess.sizes.get("batch", 1))
        if begun is not None:
            weight.begun = begun
            return try_guess(module, guess, files, seconds, weight)
        if helps_to_take_cpu(raised, where):
            return try_guess(module, guess, files, seconds, weight)
        event = event_of(error, module, files)
        limit = _name_limit(error)
        stack = "" if limit else format_traceback(error)
        tensors = pick_tensors(listed)
        blamed = frozenset(tensors[n] for n in (origins.find_blamed(raised) if origins else ()))
        asked = None if limit else find_asked_size(raised, files)
        kind, text = class_name_of(error), text_of(error)
        steps, condition = len(weight.shapes), quote_assertion(raised, files)
        return FailedTry(kind, text, where, event, limit, stack, blamed, asked, condition, steps)
    if make_tensors.flatten_output(output):
        return None
    text = f"forward gave {type(output).__name__}, and no tensor"
    return FailedTry("ValueError", text, None, ended=True)


def _name_limit(error: BaseException) -> str:
    if isinstance(error, TooHeavy):
        return "weight"
    if isinstance(error, TooSlow):
        return "time"
    return "memory" if is_of_memory(error) else ""


def explain_unfeedable(module: nn.Module) -> str:
    """Why an argument cannot be given by position; "" where all can."""
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.default is not parameter.empty:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY:
            name = parameter.name
            return f"its argument {name} is passed by name only: give it a default, or export a wrapper"
    return ""
