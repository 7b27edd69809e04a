"""LT605: an argument that torch's own signature does not take, or takes for another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.profile import MEASURED_TORCH
from lintorch.core.rule import Rule
from lintorch.core.tables import Table, release
from lintorch.facts.api.offered_names import CallableParameters, last_parts, parameters_by_callable
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT605",
    summary="an argument that torch does not take, or takes for another one",
    why="""
        A keyword that a torch function or class does not know raises TypeError, but only when
        the line runs. Keywords are compared with the signatures of torch 2.13 and torchvision
        0.29; for functions written in C, with every overload.

        A value in the wrong position is worse, as some of them run: nn.Conv2d(3, 8, 3, 1, 1,
        False) sets the dilation, not the bias, and raises when the layer is first called;
        DataLoader(data, 32, 4) sets shuffle, not num_workers, and works on. So True and False
        are reported where a number belongs, and other numbers where a switch belongs.

        nn.ConvTranspose2d has output_padding where nn.Conv2d has dilation. It raises where it
        is not smaller than the stride or the dilation; where it is, it may be what was meant,
        and nothing is said. per_sample_weights of an EmbeddingBag are refused by every mode but
        "sum", and the default is "mean"; that offsets fit the shape of the input cannot be told
        from the source. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        def block():
            return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, momentun=0.01))
    """,
    good="""
        from torch import nn


        def block():
            return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, momentum=0.01))
    """,
    proof="""
        block()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)
PARAMETERS = Table(__file__, "_parameters.json")
RETIRED = Table(__file__, "_retired_arguments.json")
RETIRED_NAMES = Table(__file__, "_retired_names.json")
SPELLED = {
    ("torch.nn.", "pad"): "padding",
    ("torch.nn.", "group"): "groups",
    ("torch.nn.", "dropout_p"): "dropout",
    ("torch.optim.", "learning_rate"): "lr",
    ("torch.utils.data.", "batchsize"): "batch_size",
    ("torchvision.transforms.", "resample"): "interpolation",
    ("torchvision.transforms.", "fillcolor"): "fill",
    ("torch.utils.data.", "workers"): "num_workers",
    ("torchvision.utils.", "range"): "value_range",
}
"""Keywords of other libraries, or of the papers, that are further off than a slip."""
HANDED_ON = {"torchvision.utils.save_image": "torchvision.utils.make_grid"}
"""What gives the keywords that are not its own to another function."""
TRANSPOSED = {f"torch.nn.ConvTranspose{n}d" for n in (1, 2, 3)}
TRANSPOSED_TAKES = (
    "in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "groups",
    "bias", "dilation", "padding_mode",
)  # fmt: skip
BAG = ("num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode")
WEIGHTS = "per_sample_weights"


@rule.source(cst.Call, needs=("torch",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not call.args or last_name(call.func) not in last_parts(PARAMETERS) | {"partial"}:
        return
    given, args = source.name(call.func), call.args
    if given == "functools.partial" and len(args) > 1 and not args[0].star:
        given, args = source.name(args[0].value), args[1:]
    known = parameters_by_callable(PARAMETERS).get(given) if given.startswith("torch") else None
    if known is None or is_gone(given, source):
        return
    hits = [*unknown_keywords(given, known, call, args, source), *misplaced(given, known, args)]
    if given in TRANSPOSED and args is call.args:
        hits += too_much_padding(call, source)
    if hits and not is_tentative(call, source) and not is_replaced(given, source):
        yield from hits


def is_gone(given: str, source: Source) -> bool:
    """Whether another rule says that the release has no such function any more."""
    removed = str(RETIRED_NAMES.by_name.get(given, {}).get("removed") or "")
    return bool(removed) and source.profile.torch >= release(removed)


def is_replaced(given: str, source: Source) -> bool:
    """`torch.save = save_by_dill`: whether the project puts a function of its own in the place of torch's."""
    assigned = re.compile(rb"(?<![\w.])%s\s*=[^=]" % re.escape(given).encode())
    return is_written_around(assigned, source.path, source.consulted, if_large=False)


@rule.source(cst.Call, needs=(WEIGHTS,))
def weighted_bag(call: cst.Call, source: Source) -> Iterator[Hit]:
    """Weights for each sample, given to a bag whose mode has none."""
    weights = next((arg for arg in call.args if arg.keyword and arg.keyword.value == WEIGHTS), None)
    if weights is None or literal(weights.value) is None or isinstance(weights.value, cst.Name):
        return
    built = source.built(call.func) if not isinstance(call.func, cst.Call) else (call.func,)
    if len(built) == 1 and source.name(built[0].func) == "torch.nn.EmbeddingBag":
        mode = source.arguments(built[0], *BAG).value("mode", "mean")
        if mode in ("mean", "max"):
            said = f'{WEIGHTS} for an EmbeddingBag of mode "{mode}": only "sum" takes them'
            yield Hit(weights, said, remedy='build it with mode="sum"')


def last_name(func: cst.BaseExpression) -> str:
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


# keywords


def unknown_keywords(
    given: str, known: CallableParameters, call: cst.Call, args: Sequence[cst.Arg], source: Source
) -> Iterator[Hit]:
    taker = parameters_by_callable(PARAMETERS).get(HANDED_ON.get(given, ""))
    if known.any_keyword and taker is None:
        return
    own, known = known.names, taker or known
    used = {arg.keyword.value for arg in call.args if arg.keyword}
    for arg in args:
        if arg.keyword is None or arg.keyword.value in (*own, *known.names):
            continue
        keyword = arg.keyword.value
        if (given, keyword) in retired() or _is_told_elsewhere(given, keyword):
            continue
        near = close(given, keyword, known)
        if not near and source.profile.torch != MEASURED_TORCH:
            continue
        free = near and near not in used and not taken_by_position(near, known, args)
        said = f"{given} takes no {keyword}"
        edit = source.replace(arg.keyword, near)
        fix = Fix(f"write {near}", (edit,), Applicability.UNSAFE) if free else None
        remedy = f"write {near}" if near else "leave it out"
        if known.any_position and not known.names:
            row = source.place(call).row
            said, cause = f"{given} takes no argument by name", f"by name in {row}"
            yield Hit(arg, said, remedy="give it by position, without its name", cause=cause)
            continue
        yield Hit(arg, said, fix, remedy=remedy)


def _is_told_elsewhere(given: str, keyword: str) -> bool:
    """`verbose`, of which the rule on schedulers speaks, and what that on autocast does."""
    if given.rpartition(".")[2] == "autocast":
        return True
    return keyword == "verbose" and given.startswith("torch.optim.lr_scheduler.")


@cache
def retired() -> frozenset[tuple[str, str]]:
    """Arguments of earlier releases, which another rule speaks of."""
    rows = RETIRED.rows
    return frozenset(
        (name, r["argument"]) for r in rows for name in (r["name"], *r.get("also", ()))
    )


def close(given: str, keyword: str, known: CallableParameters) -> str:
    for (prefix, wrong), right in SPELLED.items():
        if keyword == wrong and given.startswith(prefix) and right in known.names:
            return right
    return known.nearest_keyword(keyword)


def taken_by_position(name: str, known: CallableParameters, args: Sequence[cst.Arg]) -> bool:
    """Whether a positional argument fills the parameter already, or may."""
    if known.positional is None or any(arg.star for arg in args):
        return True
    plain = [arg for arg in args if arg.keyword is None]
    return name in [part.rstrip("#?") for part in known.positional[: len(plain)]]


# positions


def misplaced(given: str, known: CallableParameters, args: Sequence[cst.Arg]) -> Iterator[Hit]:
    slots = known.positional
    if slots is None:
        return
    for index, arg in enumerate(args):
        if arg.star:
            return
        if arg.keyword is not None:
            continue
        if index >= len(slots):
            if not known.any_position:
                said = f"{given} takes {len(slots)} arguments by position, not more"
                named = known.any_keyword or len(known.names) > len(slots)
                remedy = "give it by name" if named else "leave out what follows them"
                yield Hit(arg, said, remedy=remedy)
            return
        if said := mistaken(slots[index], literal(arg.value)):
            remedy = "leave it out" if len(known.names) == 1 else "give it by name"
            yield Hit(arg, f"{given} takes this for {said}", remedy=remedy)


def mistaken(slot: str, value: Any) -> str:
    """How a literal does not fit a position; "" where it may."""
    if value is UNKNOWN or isinstance(value, (tuple, list)):
        return ""
    name = slot.rstrip("#?")
    if slot.endswith("#") and isinstance(value, bool):
        return f"{name}, which is an int and not {value}"
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if slot.endswith("?") and number and value not in (0, 1):
        return f"{name}, which is a bool and not {value}"
    return ""


def too_much_padding(call: cst.Call, source: Source) -> Iterator[Hit]:
    """An output padding that no stride or dilation is larger than, so that every call raises."""
    given = source.arguments(call, *TRANSPOSED_TAKES)
    numbers = [
        given.value(name, default)
        for name, default in (("output_padding", 0), ("stride", 1), ("dilation", 1))
    ]
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        return
    padding, stride, dilation = numbers
    if padding and padding >= max(stride, dilation):
        arg = given.by_name["output_padding"]
        slot = "the sixth argument is output_padding, and " if arg.keyword is None else ""
        said = f"{slot}{padding} is not smaller than stride {stride} or dilation {dilation}"
        remedy = f"pass an output_padding below {max(stride, dilation)}"
        yield Hit(arg, f"{said}: every call raises", remedy=remedy)
