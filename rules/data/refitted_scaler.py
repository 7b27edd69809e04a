"""LT532: a scaler that is fitted again to what a model is measured with."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT532",
    summary="a scaler fitted again to the data of a test",
    why="""
        A model is trained on numbers that were scaled by the mean and the range of the training data. Fitted again
        to the test data, the scaler moves and stretches those by other numbers: the same input means something
        else, and what is measured is not what the model does when it is deployed, where a single sample has
        no mean. `transform` scales by what was fitted. scikit-learn's guide on data leakage says the same.
    """,
    bad="""
        import torch
        from sklearn.preprocessing import StandardScaler


        def prepare(train, test):
            scaler = StandardScaler()
            train = scaler.fit_transform(train)
            test = scaler.fit_transform(test)
            return torch.tensor(train), torch.tensor(test)
    """,
    good="""
        import torch
        from sklearn.preprocessing import StandardScaler


        def prepare(train, test):
            scaler = StandardScaler()
            train = scaler.fit_transform(train)
            test = scaler.transform(test)
            return torch.tensor(train), torch.tensor(test)
    """,
    remedy="write transform, which scales by what was fitted to the training data",
    unproven="""
        Running it takes scikit-learn, which these proofs do not install.
    """,
    fix=Applicability.UNSAFE,
)

_FITS = ("fit_transform", "fit")
_MEASURED = re.compile(r"test|valid|(^|[^a-z])(val|dev|eval)([^a-z]|$)", re.I)
_TRAINED = re.compile(r"train|(^|[^a-z])tr([^a-z]|$)", re.I)


@rule.source(cst.Call, needs=("fit_transform",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    held, given = read_fit(call, source)
    if not held or not _MEASURED.search(given) or _TRAINED.search(given):
        return
    func = call.func
    for other in source.nodes(cst.Call):
        owner, first = read_fit(other, source)
        if owner != held or not source.precedes(other, call) or not _TRAINED.search(first):
            continue
        if source.enclosing(other, cst.FunctionDef) is source.enclosing(call, cst.FunctionDef):
            fix = None
            if isinstance(func, cst.Attribute) and func.attr.value == "fit_transform":
                edit = source.replace(func.attr, "transform")
                fix = Fix("scale by what was fitted", (edit,), Applicability.UNSAFE)
            yield Hit(
                call,
                f"{held} was fitted to {first}: fitted again, {given} is scaled otherwise",
                fix,
            )
            return


def read_fit(call: cst.Call, source: Source) -> tuple[str, str]:
    """The scaler, made once, and what it is fitted to; "" where a call fits none."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in _FITS or not call.args:
        return "", ""
    made = source.built(func.value)
    known = len(made) == 1 and source.name(made[0].func).startswith(
        ("sklearn.preprocessing.", "sklearn.decomposition.")
    )
    return (source.code(func.value), source.code(call.args[0].value)) if known else ("", "")
