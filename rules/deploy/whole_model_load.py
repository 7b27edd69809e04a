"""LT220: what torch.load reads is used as a model, which torch.load refuses to read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Indexed, Occurrence
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import NONE, TRUE, External, Value
from lintorch.facts.exporting.export_events import read_option
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

FIRST = (2, 6)
"""The release since which torch.load reads weights only by itself."""
OF_MODELS = frozenset(
    {
        "eval", "train", "parameters", "named_parameters", "modules", "named_modules", "children",
        "named_children", "state_dict", "load_state_dict", "forward", "generate", "predict",
    }
)  # fmt: skip
"""Methods that nothing has which torch.load reads by itself; a tensor, dictionary, list or number has none."""
MOVES = frozenset({"to", "cuda", "cpu", "float", "half", "double", "get", "pop"})
"""Methods whose result may be the model, or be part of what was read."""
ALLOWING = ("torch.serialization.safe_globals", "torch.serialization.add_safe_globals")
MOST_VALUES = 12


@rule.event("torch.load")
def in_loads(event: Called, source: Source) -> Iterator[Hit]:
    if source.profile.torch < FIRST or not reads_weights_only(event, source):
        return
    if is_allowed(source) or is_guarded(event, source):
        return
    if used := find_use(event, source):
        message = f"{used} what torch.load reads: a pickled model is refused since torch 2.6"
        yield Hit(event, message, remedy="save its state_dict() and load that into the class")


def reads_weights_only(event: Called, source: Source) -> bool:
    """Whether it is left at that, or asked for."""
    given = name_given(event)
    only = read_option(event, "weights_only")
    return not event.open and "pickle_module" not in given and only in (None, NONE, TRUE)


def find_use(event: Called, source: Source) -> str:
    """What is done with it that only a model takes, "" where nothing is."""
    waiting: list[Value] = [event.result]
    for value in waiting:
        if len(waiting) < MOST_VALUES:
            waiting += list_parts(value, source)
        for each in list_calls(value, source):
            if is_of_kind_asked(each, source):
                continue
            if each.method in OF_MODELS:
                return f".{each.method}() of"
            if not each.method:
                return "calls"
    return ""


def is_of_kind_asked(event: Occurrence, source: Source) -> bool:
    """Whether it is done to what was asked first for what it is: `x if isinstance(x, dict) else x.state_dict()`."""
    branches = (each for each in source.evaluation.list_around(event) if isinstance(each, BRANCHES))
    return any(ASKS_KIND.search(ast.unparse(each.test)) for each in branches)


BRANCHES = (ast.If, ast.IfExp)
ASKS_KIND = re.compile(r"\b(isinstance|type|hasattr)\(")


def list_parts(value: Value, source: Source) -> Iterator[Value]:
    """Its items, and what methods that move it give back."""
    for user in source.evaluation.ways.find_users(value):
        if isinstance(user, Indexed) and user.held is value:
            yield user.result
    for call in list_calls(value, source):
        if call.method in MOVES:
            yield call.result


def list_calls(value: Value, source: Source) -> Iterator[UnknownCalled]:
    """The calls of it and of its methods."""
    yield from source.evaluation.ways.find_asked(value)


def is_allowed(source: Source) -> bool:
    """Whether the file allows classes, or puts something else in place of torch.load."""
    called = any(True for _ in source.evaluation.list_events(ALLOWING))
    patched = any(
        isinstance(each, AttributeSet)
        and each.attribute == "load"
        and each.held == External("torch")
        for _, each in source.evaluation.list_events({AttributeSet})
    )
    return called or patched or "NO_WEIGHTS_ONLY_LOAD" in source.text


def is_guarded(event: Occurrence, source: Source) -> bool:
    """Whether it is tried, or the release is asked for first."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, ast.Try) and outer.handlers:
            return True
        if isinstance(outer, (ast.If, ast.IfExp)) and "version" in ast.unparse(outer.test):
            return True
    return False
