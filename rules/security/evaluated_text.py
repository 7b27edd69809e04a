"""LT705: text of a file that is run as Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Compared
from lintorch.evaluator.values import Unknown, Value
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT705",
    summary="text of a file that is run as Python",
    why="""
        `eval(settings["activation"])` runs whatever the file says, with all rights of who reads it; that
        yaml.safe_load or torch.load(weights_only=True) read it is of no use then. A name can be looked up in
        a table or by getattr, and numbers, tuples and lists are read by ast.literal_eval.

        Reported where the text surely comes out of a file or an answer of the network; an option of the
        command line is given by who runs the program, and where every file that is opened has a literal
        path, it is taken to be your own. Measured on torch 2.13.
    """,
    bad="""
        import json

        import torch


        def activate(path):
            with open(path) as file:
                settings = json.load(file)
            return eval(settings["activation"])()
    """,
    good="""
        import json

        import torch


        def activate(path):
            with open(path) as file:
                settings = json.load(file)
            return getattr(torch.nn, settings["activation"].rpartition(".")[2])()
    """,
    remedy="look it up: getattr(torch.nn, name), or ast.literal_eval(text) for plain values",
    proof="""
        import pathlib

        pathlib.Path("settings.json").write_text('{"activation": "exit"}')
        try:
            activate("settings.json")
        except AttributeError:
            pass
    """,
)

IMPORTED = "keep the code in the project and import it, and read values alone"
READING = re.compile(
    r"^(yaml\.\w*load(_all)?|json\.loads?|tomllib\.loads?|toml\.loads?|torch\.load|pickle\.loads?"
    r"|requests\.\w+|omegaconf\.OmegaConf\.load|OmegaConf\.load)\(\)"
)


@rule.event("eval", "exec")
def in_calls(event: Called, source: Source) -> Iterator[Hit]:
    given = event.positional[0] if event.positional else None
    if given is None or source.is_test or opens_own(source):
        return
    if reader := find_reader(given, source):
        remedy = IMPORTED if event.name == "exec" else None
        said = f"{event.name}() runs whatever code is in what {reader} reads"
        yield Hit(event, said, remedy=remedy)


_COUNTING = frozenset({"len", "int", "float", "bool", "abs", "round", "sum", "hash", "ord"})


def keeps_text(made: object) -> bool:
    """Whether text may come through: no counting hands it on, nor a question."""
    return not isinstance(made, Compared) and getattr(made, "name", "") not in _COUNTING


def find_reader(value: Value, source: Source) -> str:
    """The function that read a text, or a part of it; "" where that is not known."""
    for each in source.evaluation.ways.list_sources(value, keeps_text):
        if isinstance(each, Unknown) and (found := READING.match(each.path)):
            return found[0].removesuffix("()")
    return ""


def opens_own(source: Source) -> bool:
    """Whether all files that are opened have paths that are written out: `open(os.path.join("data", "table.json"))`."""
    calls = [each for each in source.nodes(cst.Call) if source.name(each.func) == "open"]
    read = [each for each in calls if each.args and not writes(each)]
    return bool(read) and all(is_literal_path(each.args[0].value, source) for each in read)


def writes(call: cst.Call) -> bool:
    """`open(path, "w")`."""
    modes = [literal(each.value) for each in call.args[1:2]]
    return any(isinstance(each, str) and each[:1] in ("w", "a", "x") for each in modes)


def is_literal_path(path: cst.BaseExpression, source: Source) -> bool:
    """A text, one joined of texts, or a name that is given one."""
    if isinstance(path, cst.Call) and path.args:
        return all(literal(each.value) is not UNKNOWN for each in path.args)
    if isinstance(path, cst.Name):
        given = source.classes.assigned(path)
        return bool(given) and all(literal(each) is not UNKNOWN for each in given)
    return literal(path) is not UNKNOWN
