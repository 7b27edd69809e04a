"""LT535: a loader that validates on the training data, beside a validation set that nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.training.loaders import LOADER, assigned_variable, loader_arguments
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT535",
    summary="a loader for validation that reads the training data",
    why="""
        A line that was copied for the second loader keeps the dataset of the first: the model is measured with
        what it was trained on. The numbers look good, the best checkpoint is chosen by them, and a model
        that overfits is never seen to. Nothing raises.

        Reported where a dataset of the same name for validation is made and nobody reads it.
    """,
    bad="""
        from torch.utils.data import DataLoader


        def load(read):
            train_set = read("train")
            val_set = read("val")
            train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
            val_loader = DataLoader(train_set, batch_size=8)
            return train_loader, val_loader
    """,
    good="""
        from torch.utils.data import DataLoader


        def load(read):
            train_set = read("train")
            val_set = read("val")
            train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
            val_loader = DataLoader(val_set, batch_size=8)
            return train_loader, val_loader
    """,
    proof="""
        assert [*load(lambda part: [part])[1]] == [["val"]]
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_TRAINED = re.compile(r"train(ing)?|(?<![a-z])tr(?![a-z])", re.I)
_MEASURED = re.compile(
    r"valid(ation|ate)?|test(ing)?|eval(uation)?|(?<![a-z])(val|dev)(?=_|$|set|data|load)", re.I
)
_DRAWN = ("sampler", "batch_sampler")
"""What may draw other samples of the same dataset."""


@rule.source(cst.Call, needs=("DataLoader",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    held = assigned_variable(call, source)
    given = loader_arguments(call).get("dataset") if source.name(call.func) == LOADER else None
    if not isinstance(held, cst.Name) or not isinstance(given, cst.Name):
        return
    if is_measured(given.value) or not _TRAINED.search(given.value) or not is_measured(held.value):
        return
    if any(loader_arguments(call).get(each) is not None for each in _DRAWN):
        return
    for name in list_made(call, source):
        alike = _MEASURED.sub("", name) == _TRAINED.sub("", given.value)
        if is_measured(name) and alike and is_unread(name, call, source):
            yield Hit(
                call,
                f"{held.value} reads {given.value}: the model is measured with what trains it, "
                f"and nobody reads {name}",
                Fix(f"read {name}", (source.replace(given, name),), Applicability.UNSAFE),
                remedy=f"give it {name}",
            )
            return


def is_measured(name: str) -> bool:
    return bool(_MEASURED.search(name)) and not _TRAINED.search(name)


def list_made(call: cst.Call, source: Source) -> Iterator[str]:
    """The names that calls were assigned to ahead of this one, in the same function."""
    function = source.enclosing(call, cst.FunctionDef)
    for each in source.nodes(cst.Assign):
        target = each.targets[0].target
        if not isinstance(target, cst.Name) or not isinstance(each.value, cst.Call):
            continue
        if source.name(each.value.func) == LOADER or not source.precedes(each, call):
            continue
        if source.enclosing(each, cst.FunctionDef) is function:
            yield target.value


def is_unread(name: str, call: cst.Call, source: Source) -> bool:
    """Whether the function around a call only makes it, and asks how long it is."""
    function = source.enclosing(call, cst.FunctionDef)
    return all(
        is_target(each, source) or is_counted(each, source)
        for each in source.mentions_of(name)
        if function is None or source.is_within(each, function)
    )


def is_target(name: cst.Name, source: Source) -> bool:
    return isinstance(source.parent(name), cst.AssignTarget)


def is_counted(name: cst.Name, source: Source) -> bool:
    """`len(val_set)`."""
    call = source.enclosing(name, cst.Call)
    return call is not None and source.code(call) == f"len({name.value})"
