"""LT602: an argument that torch or torchvision has retired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.tables import Table, release
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Tensor
from lintorch.facts.api.version_guards import is_name_guarded
from lintorch.source import Arguments, Source, literal

rule = Rule(
    __name__,
    code="LT602",
    summary="an argument that torch has retired",
    why="""
        `size_average` and `reduce` of the losses warn since long, and they win over `reduction`
        without a word: `nn.MSELoss(size_average=False, reduction="none")` sums (measured on
        torch 2.13). `pretrained` of torchvision's models warns since torchvision 0.13 and "may
        be removed"; it stands for the first weights of a model (`IMAGENET1K_V1`), not for the
        best ones (`DEFAULT`), and the fix keeps them. `x.add_(-lr, grad)`, with the number
        before the tensor, is an overload that warns; the others are in
        `_retired_arguments.json`.

        Only values that can be read off the code are reported: `size_average=size_average`,
        which may be None, is not. Positional arguments are followed by the signature.
    """,
    bad="""
        import torch
        from torch import nn


        criterion = nn.MSELoss(size_average=False)
    """,
    good="""
        import torch
        from torch import nn


        criterion = nn.MSELoss(reduction="sum")
    """,
    proof="""
        assert criterion(torch.ones(2), torch.zeros(2)) == 2
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

TABLE = Table(__file__, "_retired_arguments.json")
BUILDERS = Table(__file__, "_vision_builders.json")
VISION_SINCE = (1, 12)
"""The torch that torchvision 0.13 belongs to."""
OVERLOADS = {
    "add": ("alpha", 1), "add_": ("alpha", 1), "sub": ("alpha", 1), "sub_": ("alpha", 1),
    "addcmul": ("value", 2), "addcmul_": ("value", 2), "addcdiv": ("value", 2),
    "addcdiv_": ("value", 2),
}  # fmt: skip
"""Functions that once took a number before their tensors: its keyword, and how many tensors."""
_ARGUMENTS = (
    "size_average", "elementwise_mean", "oss(", "reduce=", "min_value", "max_value",
    "gumbel_softmax", "grad_variables", "only_inputs", "use_cuda", "check_reduction",
    "broadcast_buffers", "return_lse", "_compile", "return_complex", "_loss(", "entropy(", "div(",
)  # fmt: skip


@rule.source(cst.Call, needs=_ARGUMENTS)
def in_torch(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not call.args or _last(call.func) not in _names():
        return
    for row in _rows().get(source.name(call.func), ()):
        since = release(row["since"])
        if source.profile.torch < since or is_name_guarded(call.func, source):
            continue
        given = source.arguments(call, *row["parameters"])
        if row["kind"] == "reduction":
            yield from _reduction(call, row, given, source)
        else:
            yield from _argument(call, row, given, source)


@rule.source(cst.Call, needs=("pretrained", "torchvision", "pytorch/vision"))
def in_torchvision(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not call.args or source.profile.torch < VISION_SINCE:
        return
    name = _builder(call, source)
    known = BUILDERS.rows.get(name) if name else None
    if known is None or is_name_guarded(call.func, source):
        return
    for old, (new, weights) in known.items():
        arg = next((a for a in call.args if a.keyword and a.keyword.value == old), None)
        if arg is None and old == "pretrained":
            arg = _positional_switch(call)
        if arg is not None:
            message = f"{old} of {name.rpartition('.')[2]} is deprecated since torchvision 0.13"
            fix = _weights_fix(call, arg, new, weights, source)
            remedy = f"use {new}={_written(arg, weights, source) or '...'}"
            yield Hit(arg, message, fix, remedy=remedy)


@rule.source(cst.Call, needs=(".add_(", ".sub_(", ".addc"))
def in_place(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`p.data.add_(-lr, grad)`: with that many arguments it is no other object's method."""
    func = call.func
    if isinstance(func, cst.Attribute) and func.attr.value.endswith("_") and not source.name(func):
        yield from _overload(call, call.args, source)


@rule.event(*(f"torch.{of}{name}" for name in OVERLOADS for of in ("", "Tensor.")))
def overload(event: Called, source: Source) -> Iterator[Hit]:
    call, others = source.call_at(event), event.positional[1:]
    if call is None or not others or isinstance(others[0], Tensor):
        return
    function = not event.name.startswith("torch.Tensor.")
    yield from _overload(call, call.args[1:] if function else call.args, source)


def _overload(call: cst.Call, args: Sequence[cst.Arg], source: Source) -> Iterator[Hit]:
    keyword, tensors = OVERLOADS.get(_last(call.func), ("", 0))
    plain = all(arg.keyword is None and not arg.star for arg in call.args)
    if not keyword or not plain or source.profile.torch < (1, 5) or len(args) != tensors + 1:
        return
    message = f"{_last(call.func)} with the number before the tensor is deprecated: pass {keyword}="
    yield Hit(call, message, _moved(args, keyword, source))


# torch


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in TABLE.rows:
        found.setdefault(row["name"], []).append(row)
    return found


@cache
def _names() -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in _rows())


def _last(func: cst.BaseExpression) -> str:
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


def _reduction(
    call: cst.Call, row: dict[str, Any], given: Arguments, source: Source
) -> Iterator[Hit]:
    if literal(given.get("reduction")) == "elementwise_mean":
        edit = source.replace(given.by_name["reduction"].value, '"mean"')
        message = 'reduction="elementwise_mean" is deprecated since torch 1.0: use "mean"'
        yield Hit(given.by_name["reduction"], message, Fix('use "mean"', (edit,)))
        return
    old = [name for name in ("size_average", "reduce") if name in given.by_name]
    meant = _meant(given.get("size_average"), given.get("reduce"), source)
    if old and meant:
        same = repr(literal(given.get("reduction"))).replace("'", '"') == meant
        over = ", and wins over reduction=" if "reduction" in given.by_name and not same else ""
        message = f"{' and '.join(old)} of {_last(call.func)} {'is' if len(old) == 1 else 'are'} deprecated{over}"
        edits = _reduced(call, given, old, meant, source)
        fix = Fix(f"use reduction={meant}", edits) if edits else None
        severity = Severity.WARNING if over else None
        remedy = f"use reduction={meant}"
        yield Hit(given.by_name[old[0]], message, fix, severity=severity, remedy=remedy)


def _meant(
    average: cst.BaseExpression | None, reduce: cst.BaseExpression | None, source: Source
) -> str:
    """The reduction that the two switches stand for, as code; "" where it cannot be told."""
    averaged, reduced = _switch(average), _switch(reduce)
    if reduced is False:
        return '"none"'
    if average is not None and averaged is ... and reduced is None and _is_truth(average):
        return f'"mean" if {source.code(average)} else "sum"'
    if averaged is ... or reduced is ... or (averaged is None and reduced is None):
        return ""
    return '"sum"' if averaged is False else '"mean"'


def _switch(node: cst.BaseExpression | None) -> Any:
    """True, False, None where left out or None, and `...` for all else."""
    value = None if node is None else literal(node)
    return value if value is None or isinstance(value, bool) else ...


def _is_truth(node: cst.BaseExpression) -> bool:
    negated = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
    return isinstance(node, cst.Comparison) or negated


def _reduced(
    call: cst.Call, given: Arguments, old: list[str], meant: str, source: Source
) -> tuple[Edit, ...]:
    """`reduction=` in the place of the two switches; None stays where others stand behind them."""
    args = [given.by_name[name] for name in old]
    if not given.complete or "#" in source.code(call):
        return ()
    already = given.by_name.get("reduction")
    behind = [a for a in call.args if not a.keyword and a not in args]
    if any(a.keyword is None and _comes_after(call, behind, a) for a in args):
        kept = tuple(source.replace(a.value, "None") for a in args)
        if already is not None:
            return (*kept, source.replace(already.value, meant))
        return (*kept, source.insert_argument(call, f"reduction={meant}"))
    if already is not None:
        gone = tuple(_without(call, a, source) for a in args)
        return (*gone, source.replace(already.value, meant))
    first, *others = args
    return (
        source.replace(first, f"reduction={meant}"),
        *(_without(call, a, source) for a in others),
    )


def _comes_after(call: cst.Call, behind: list[cst.Arg], arg: cst.Arg) -> bool:
    order = list(call.args)
    return any(order.index(other) > order.index(arg) for other in behind)


def _without(call: cst.Call, arg: cst.Arg, source: Source) -> Edit:
    """Takes an argument out together with the comma before it, or after it where it is the first."""
    at = list(call.args).index(arg)
    start, end = _ends(arg, source)
    if at:
        return Edit(_ends(call.args[at - 1], source)[1], end, "")
    return Edit(start, _ends(call.args[1], source)[0] if len(call.args) > 1 else end, "")


def _ends(node: cst.CSTNode, source: Source) -> tuple[int, int]:
    edit = source.replace(node, "")
    return edit.start, edit.end


def _argument(
    call: cst.Call, row: dict[str, Any], given: Arguments, source: Source
) -> Iterator[Hit]:
    arg = given.by_name.get(row["argument"])
    if arg is None or ("value" in row and literal(arg.value) is not row["value"]):
        return
    if source.code(arg.value) == row.get("default"):
        return
    message = f"{row['argument']} of {row['name']} is deprecated since torch {row['since']}"
    fix = _argument_fix(call, arg, row, given, source)
    remedy = row["message"]
    if remedy.startswith("it "):
        message = f"{message}: {remedy}"
        becomes = row.get("becomes", "").partition("=")[0]
        remedy = f"write {becomes}=" if becomes else "leave it out"
    yield Hit(arg, message, fix, remedy=remedy)


def _argument_fix(
    call: cst.Call, arg: cst.Arg, row: dict[str, Any], given: Arguments, source: Source
) -> Fix | None:
    if row["applicability"] is None or not given.complete or "#" in source.code(call):
        return None
    written = row["becomes"].format(source.code(arg.value))
    if written.partition("=")[0] in given.by_name:
        return None
    if written:
        edit = source.replace(arg, written)
    elif arg.keyword is None and arg is not call.args[-1]:
        edit = source.replace(arg, row["default"])
    else:
        edit = _without(call, arg, source)
    return Fix(row["message"], (edit,), Applicability(row["applicability"]))


# torchvision


def _builder(call: cst.Call, source: Source) -> str:
    """The builder of a model that is called, also by `torch.hub.load`; "" for anything else."""
    name = source.name(call.func)
    if name == "torch.hub.load" and len(call.args) > 1:
        place, model = (literal(arg.value) for arg in call.args[:2])
        return f"torchvision.models.{model}" if place == "pytorch/vision" else ""
    return name if name.startswith("torchvision.models.") else ""


def _positional_switch(call: cst.Call) -> cst.Arg | None:
    first = call.args[0]
    named = first.keyword is None and not first.star
    return first if named and isinstance(literal(first.value), bool) else None


def _written(arg: cst.Arg, weights: str | None, source: Source) -> str:
    """The weights that a switch stands for; "" where they depend on something else."""
    value = literal(arg.value)
    if value is False:
        return "None"
    if not weights:
        return ""
    if value is True:
        return f'"{weights}"'
    plain = isinstance(
        arg.value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Comparison)
    )
    code = source.code(arg.value)
    return f'"{weights}" if {code if plain else f"({code})"} else None'


def _weights_fix(
    call: cst.Call, arg: cst.Arg, new: str, weights: str | None, source: Source
) -> Fix | None:
    written = _written(arg, weights, source)
    others = [a for a in call.args if a is not arg]
    clash = any(a.star or (a.keyword and a.keyword.value == new) for a in others)
    followed = arg.keyword is None and any(a.keyword is None for a in others)
    if not written or clash or followed:
        return None
    return Fix(f"use {new}=", (source.replace(arg, f"{new}={written}"),))


# overloads


def _moved(args: Any, keyword: str, source: Source) -> Fix | None:
    number, *tensors = (source.code(arg.value) for arg in args)
    last = args[-1].value
    if any(isinstance(arg.value, cst.GeneratorExp) for arg in args) or "#" in "".join(tensors):
        return None
    start, end = _ends(args[0], source)[0], _ends(last, source)[1]
    written = ", ".join([*tensors, f"{keyword}={number}"])
    between = source.text[start:end]
    return Fix(f"pass {keyword}=", (Edit(start, end, written),)) if "#" not in between else None
