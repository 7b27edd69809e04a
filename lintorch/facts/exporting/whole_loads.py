"""Whole models that torch.load reads, and refuses to read since torch 2.6: by what is done with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import OF_PROJECT
from lintorch.evaluator.events import AttributeSet, Called, Indexed, Occurrence
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import NONE, TRUE, External, Value
from lintorch.facts.exporting.export_events import read_option
from lintorch.facts.models.evaluation import Evaluation

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
WHOLE_MODEL = f"{OF_PROJECT}a whole model"
"""The cause of what is said of the save and of the load: who mends the one mends the other."""


def find_refused_use(event: Called, evaluation: Evaluation, text: str) -> str:
    """What is done with what is read that only a model takes, "" where nothing is, or where it may be read."""
    if not reads_weights_only(event) or is_allowed(evaluation, text):
        return ""
    if is_guarded(event, evaluation):
        return ""
    return find_use(event, evaluation) or find_resumed(event, evaluation)


def reads_weights_only(event: Called) -> bool:
    """Whether it is left at that, or asked for."""
    given = name_given(event)
    only = read_option(event, "weights_only")
    return not event.open and "pickle_module" not in given and only in (None, NONE, TRUE)


def is_read_back(evaluation: Evaluation, text: str) -> bool:
    """Whether a file reads a whole model in a way that is refused, which is told there."""
    loads = (each for _, each in evaluation.list_events(("torch.load",)))
    return any(
        isinstance(each, Called) and find_refused_use(each, evaluation, text) for each in loads
    )


def find_use(event: Called, evaluation: Evaluation) -> str:
    """What is done with it that only a model takes, "" where nothing is."""
    waiting: list[Value] = [event.result]
    for value in waiting:
        if len(waiting) < MOST_VALUES:
            waiting += list_parts(value, evaluation)
        for each in list_calls(value, evaluation):
            if is_of_kind_asked(each, evaluation):
                continue
            if each.method in OF_MODELS:
                return f".{each.method}() of"
            if not each.method:
                return "calls"
    return ""


def find_resumed(event: Called, evaluation: Evaluation) -> str:
    """`net = state["net"]` where the other branch makes `net`, and gives an optimizer its parameters."""
    for user in evaluation.ways.find_users(event.result):
        inner, name = user.node, ""
        for outer in evaluation.list_around(user) if isinstance(user, Indexed) else ():
            match outer:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if value is inner:
                    name = target
                case ast.If(body=body, orelse=other) if name:
                    apart = other if inner in body else body
                    if any(f"{name}.parameters()" in ast.unparse(line) for line in apart):
                        return f"{name}, whose parameters the other branch gives an optimizer, is"
            inner = outer
    return ""


def is_of_kind_asked(event: Occurrence, evaluation: Evaluation) -> bool:
    """Whether it is done to what was asked first for what it is: `x if isinstance(x, dict) else x.state_dict()`."""
    branches = (each for each in evaluation.list_around(event) if isinstance(each, BRANCHES))
    return any(ASKS_KIND.search(ast.unparse(each.test)) for each in branches)


BRANCHES = (ast.If, ast.IfExp)
ASKS_KIND = re.compile(r"\b(isinstance|type|hasattr|dir)\(")


def list_parts(value: Value, evaluation: Evaluation) -> Iterator[Value]:
    """Its items, and what methods that move it give back."""
    for user in evaluation.ways.find_users(value):
        if isinstance(user, Indexed) and user.held is value:
            yield user.result
    for call in list_calls(value, evaluation):
        if call.method in MOVES:
            yield call.result


def list_calls(value: Value, evaluation: Evaluation) -> Iterator[UnknownCalled]:
    """The calls of it and of its methods."""
    yield from evaluation.ways.find_asked(value)


def is_allowed(evaluation: Evaluation, text: str) -> bool:
    """Whether the file allows classes, or puts something else in place of torch.load."""
    called = any(True for _ in evaluation.list_events(ALLOWING))
    patched = any(
        isinstance(each, AttributeSet)
        and each.attribute == "load"
        and each.held == External("torch")
        for _, each in evaluation.list_events({AttributeSet})
    )
    return called or patched or "NO_WEIGHTS_ONLY_LOAD" in text


def is_guarded(event: Occurrence, evaluation: Evaluation) -> bool:
    """Whether it is tried, or the release is asked for first."""
    for outer in evaluation.list_around(event):
        if isinstance(outer, ast.Try) and outer.handlers:
            return True
        if isinstance(outer, (ast.If, ast.IfExp)) and "version" in ast.unparse(outer.test):
            return True
    return False
