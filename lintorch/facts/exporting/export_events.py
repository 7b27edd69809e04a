"""Export calls as they happened: which exporter one took."""

from __future__ import annotations

import ast

from lintorch.core.exporter_calls import DYNAMO_BY_DEFAULT, DYNAMO_SINCE
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE, NONE, TRUE, UNKNOWN, Class, Constant, Held, Value
from lintorch.facts.exporting.export_calls import HasProfile
from lintorch.facts.models.value_ways import ValueWays

JIT_CALLS = ("torch.jit.trace", "torch.jit.trace_module", "torch.jit.script")
PROGRAMS = (*JIT_CALLS, "torch.jit.load")
"""What gives a program of TorchScript."""


def choose_exporter(event: Called, source: HasProfile) -> str:
    """Which of the two ONNX exporters a `torch.onnx.export` took; "" where it cannot be told."""
    release, given = source.profile.torch, name_given(event)
    if release < DYNAMO_SINCE:
        return "onnx-legacy"
    if event.open and "dynamo" not in given:
        return ""
    chosen = given.get("dynamo", Constant(release >= DYNAMO_BY_DEFAULT))
    return "onnx" if chosen == TRUE else "onnx-legacy" if chosen == FALSE else ""


def find_script(event: Called, ways: ValueWays) -> Called | None:
    """The call of torch.jit that made the model of an export, which the new exporter refuses."""
    made = ways.find_maker(name_given(event).get("model"))
    return made if isinstance(made, Called) and made.name in PROGRAMS else None


def read_option(event: Called, name: str) -> Value | None:
    """An argument; of one that is None only where nobody switches it on, nothing is known."""
    value = name_given(event).get(name)
    if value != NONE or not isinstance(event.node, ast.Call):
        return value
    written = (each.value for each in event.node.keywords if each.arg == name)
    fixed = all(isinstance(each, ast.Constant) for each in written)
    return value if fixed else UNKNOWN


def name_model(value: Value | None) -> str:
    """`path:Class` of an object of a class of the project, so that trials of the very model join the hit."""
    kind = value.of if isinstance(value, Held) else None
    return f"{kind.file.path}:{kind.name}" if isinstance(kind, Class) else ""
