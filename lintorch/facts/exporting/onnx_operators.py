"""What of a forward pass the ONNX exporters write as operators, by the name that was measured."""

from __future__ import annotations

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.facts.models.evaluation import Evaluation
from lintorch.targets import written_operators

INTERPOLATE = "torch.nn.functional.interpolate"
MODES = ("nearest", "linear", "bilinear", "trilinear", "bicubic")


def name_exported(event: Called, evaluation: Evaluation) -> str:
    """The full name of a layer that is built, or of a function that a forward pass calls; "" for none."""
    name = event.name.replace("torch.Tensor.", "torch.")
    if is_built(name):
        return name
    known = name in written_operators.load_rows() or name.startswith("torch.nn.functional.")
    runs = known and event.way.forward and evaluation.uses.may_be_in_graph(event)
    return name if runs and not is_other_mode(event) else ""


def is_built(name: str) -> bool:
    """Whether a call makes a layer: `torch.nn.Conv2d`."""
    functional = name.startswith(("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils."))
    return name.startswith("torch.nn.") and not functional and not name.endswith(".forward")


def is_other_mode(event: Called) -> bool:
    """Whether an interpolate is written otherwise than was measured."""
    return event.name == INTERPOLATE and read_plain(event.arguments.get("mode")) not in MODES
