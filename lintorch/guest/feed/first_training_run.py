"""A model that has to be run in training mode once, before it can be evaluated, as one that is deployed has been."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from torch import nn

from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.process import surroundings
from lintorch.guest.process.error_text import text_of
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.record_run import call_model

_ASKS = re.compile(
    r"\beval(uation)? mode\b|\b(not|un|isn't|never) ?(been |yet )*init(ed|iali[sz]ed)\b"
    r"|(has|have|needs?) to be trained|\bin train(ing)? mode first\b",
    re.IGNORECASE,
)
"""What a layer says that sets its weights by the first samples of training, and has met none."""


def asks_for_training(error: BaseException, module: nn.Module) -> bool:
    """Whether an error in evaluation asks for a run in training mode first."""
    return not module.training and bool(_ASKS.search(text_of(error)))


def run_in_training(module: nn.Module, arguments: Sequence[Any]) -> Exception | None:
    """Run a model once in training mode; what it raises, if anything. It is back in evaluation then."""
    surroundings.seed_generators()
    try:
        call_model(module.train(), arguments)
    except Exception as error:  # whatever user code raises
        return error
    finally:
        module.eval()
    return None


def repeat_training_run(module: nn.Module, fed: Fed) -> None:
    """The same run where the model was found to need it, in another process."""
    if fed.trained and not make_tensors.is_weightless(module):
        run_in_training(module, make_tensors.make_arguments(module, fed.inputs, fed.sizes))
