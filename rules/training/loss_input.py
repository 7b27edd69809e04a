"""LT404: a loss that is given what another loss wants: probabilities for logits, logits for probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT404",
    summary="a loss that is given what another loss wants",
    why="""
        CrossEntropyLoss and BCEWithLogitsLoss apply log-softmax or sigmoid themselves. Given
        probabilities they run, and train badly: a right and certain answer among three classes
        still costs 0.55, so that the loss never comes near zero and gradients are flat.
        NLLLoss, KLDivLoss and CTCLoss want log-probabilities; given scores or probabilities
        they only become negative numbers. BCELoss raises as soon as one raw score leaves 0 to 1.
        Of sigmoid followed by BCELoss, a note: from a score of 17 for the wrong answer on, the
        gradient is exactly 0, which `binary_cross_entropy_with_logits` does not suffer from.
        Targets of another kind than the loss takes (one-hot integers, floats as class numbers)
        raise, and so do a list or number as weight, and tensors handed to the loss's
        constructor. Measured on torch 2.13.

        The last operation of a model is followed into the classes of the same file.
    """,
    bad="""
        import torch.nn.functional as F


        def step(model, images, labels):
            scores = model(images)
            return F.cross_entropy(F.softmax(scores, dim=1), labels)
    """,
    good="""
        import torch.nn.functional as F


        def step(model, images, labels):
            scores = model(images)
            return F.cross_entropy(scores, labels)
    """,
    proof="""
        import torch

        certain = torch.tensor([[20.0, 0.0, 0.0]])
        assert step(lambda x: x, certain, torch.tensor([0])) < 0.01
    """,
    fix=Applicability.UNSAFE,
)


@dataclass(frozen=True)
class Loss:
    """What a loss wants as its input, as a name of INPUTS, and as its target."""

    wants: str
    target: str = ""


_CLASSES, _SHARES = "class numbers", "floats"
_NLL, _BCE = Loss("log-probabilities", _CLASSES), Loss("probabilities", _SHARES)
_CE, _LOGITS = Loss("scores", _CLASSES), Loss("scores", _SHARES)
_LOG = Loss("log-probabilities")
_F = "torch.nn.functional."
LOSSES = {
    "torch.nn.CrossEntropyLoss": _CE,
    _F + "cross_entropy": _CE,
    "torch.nn.BCEWithLogitsLoss": _LOGITS,
    _F + "binary_cross_entropy_with_logits": _LOGITS,
    "torch.nn.MultiLabelSoftMarginLoss": Loss("scores"),
    _F + "multilabel_soft_margin_loss": Loss("scores"),
    "torchvision.ops.sigmoid_focal_loss": Loss("scores"),
    "torch.nn.NLLLoss": _NLL,
    _F + "nll_loss": _NLL,
    "torch.nn.KLDivLoss": _LOG,
    _F + "kl_div": _LOG,
    "torch.nn.CTCLoss": _LOG,
    _F + "ctc_loss": _LOG,
    "torch.nn.BCELoss": _BCE,
    _F + "binary_cross_entropy": _BCE,
}
WORDS = (
    "ross_entropy", "rossEntropy", "BCE", "NLLLoss", "nll_loss", "CTCLoss", "ctc_loss",
    "KLDivLoss", "kl_div", "oft_margin_loss", "SoftMarginLoss", "sigmoid_focal_loss",
)  # fmt: skip
INPUTS = {
    "probabilities": frozenset({"softmax", "sigmoid", "softmin"}),
    "log-probabilities": frozenset({"log_softmax", "logsigmoid"}),
    "raw scores": frozenset(
        {
            "linear", "lazylinear", "bilinear", "conv1d", "conv2d", "conv3d",
            "convtranspose1d", "convtranspose2d", "convtranspose3d",
        }
    ),
}  # fmt: skip
"""What the last operation before a loss makes of a tensor; anything else is unknown."""
WRONG = {
    "scores": ("probabilities",),
    "log-probabilities": ("probabilities", "raw scores"),
    "probabilities": ("raw scores", "log-probabilities"),
}
_MOVES = frozenset(
    {
        "view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "permute", "transpose",
        "contiguous", "to", "cpu", "cuda", "clone", "detach", "getitem", "t", "movedim",
        "view_as", "reshape_as", "ravel", "T", "identity", "narrow", "select",
    }
)  # fmt: skip
_CASTS = frozenset({"float", "double", "half", "bfloat16"})
_WHOLE = frozenset({"int", "short", "char"})
_LAYERS = tuple(name for name in LOSSES if name.startswith("torch.nn.") and _F not in name)
_WEIGHTS = ("weight", "pos_weight")


@rule.source(cst.Call, needs=WORDS)
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in _LAYERS:
        yield from _constructed(call, name, source)
        return
    loss_name = name if name in LOSSES else _called(call, source)
    loss = LOSSES.get(loss_name)
    if loss is None:
        return
    given = source.arguments(call, "input", "target")
    short = loss_name.rpartition(".")[2]
    first = given.get("input") or given.get("inputs") or given.get("log_probs")
    if first is not None:
        yield from _input(call, first, short, loss, source)
    target = given.get("target")
    if target is not None and (wrong := _wrong_target(target, short, loss, source)):
        yield Hit(call, wrong, severity=Severity.ERROR)


def _called(call: cst.Call, source: Source) -> str:
    """The loss that a layer of torch is, where it is called: `criterion(out, y)`."""
    if len(call.args) < 2:
        return ""
    names = {source.name(made.func) for made in source.origins(call.func)}
    return names.pop() if len(names) == 1 and names <= set(_LAYERS) else ""


def _input(
    call: cst.Call, first: cst.BaseExpression, short: str, loss: Loss, source: Source
) -> Iterator[Hit]:
    steps = [s for s in source.steps(first) if s.name not in _MOVES | _CASTS]
    last = steps[0] if steps else None
    if last is None:
        return
    kind = next((kind for kind, names in INPUTS.items() if last.name in names), "")
    if kind in WRONG[loss.wants]:
        message = f"{short} wants {loss.wants}, and is given the {kind} of {last.name}"
        raises = loss.wants == "probabilities" and kind == "raw scores"
        fix = _without(first, last.node, source) if loss.wants == "scores" else None
        yield Hit(call, message, fix, severity=Severity.ERROR if raises else None)
    elif loss is _BCE and last.node is first and last.name == "sigmoid":
        message = f"{short} after sigmoid has no gradient where the score is large and wrong"
        yield Hit(call, message, _with_logits(call, first, source), severity=Severity.NOTE)


def _inner(first: cst.BaseExpression, source: Source) -> cst.BaseExpression | None:
    """The scores in `F.softmax(scores, 1)`, `scores.softmax(1)` and `nn.Softmax(1)(scores)`."""
    if not isinstance(first, cst.Call):
        return None
    if source.name(first.func) or not isinstance(first.func, cst.Attribute):
        return source.arguments(first, "input").get("input")
    own = source.origins(first.func)
    return None if own else first.func.value


def _without(first: cst.BaseExpression, made: cst.CSTNode, source: Source) -> Fix | None:
    inner = _inner(first, source) if made is first else None
    if inner is None:
        return None
    edit = source.replace(first, source.fitted(source.code(inner), first))
    return Fix("give the loss the scores themselves", (edit,), Applicability.UNSAFE)


def _with_logits(call: cst.Call, first: cst.BaseExpression, source: Source) -> Fix | None:
    inner = _inner(first, source)
    dotted = _F + "binary_cross_entropy_with_logits"
    spelled = source.spell(dotted, call)
    if inner is None or not spelled or source.name(call.func) != _F + "binary_cross_entropy":
        return None
    edits = (
        source.replace(call.func, spelled),
        source.replace(first, source.fitted(source.code(inner), first)),
    )
    return Fix("work it out from the scores", edits, Applicability.UNSAFE)


def _wrong_target(target: cst.BaseExpression, short: str, loss: Loss, source: Source) -> str:
    steps = [s.name for s in source.steps(target) if s.name not in _MOVES]
    last, before = (*steps, "", "")[:2]
    if loss.target == _SHARES and last in {"long", "one_hot"} | _WHOLE:
        return f"{short} wants floats as target, and is given the integers of {last}"
    if loss.target != _CLASSES:
        return ""
    if last == "one_hot":
        wanted = "class numbers" if loss is _NLL else "class numbers, or one-hot floats,"
        return f"{short} wants {wanted} as target, and is given one-hot integers"
    if last in _WHOLE:
        return f"{short} wants a target of dtype long, and is given {last}"
    if last in _CASTS and (loss is _NLL or before in ("long", "argmax")):
        return f"{short} wants class numbers of dtype long as target, and is given {last}"
    return ""


def _constructed(call: cst.Call, name: str, source: Source) -> Iterator[Hit]:
    """`nn.BCEWithLogitsLoss(out, y)`, `nn.CrossEntropyLoss(weight=[1, 2])`."""
    short = name.rpartition(".")[2]
    plain = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    if len(plain) == 2 and all(_may_be_tensor(value, source) for value in plain):
        message = f"{short} is given tensors when it is made; it is to be called with them"
        yield Hit(call, message, severity=Severity.ERROR)
    for word in _WEIGHTS:
        given = source.arguments(call).get(word)
        value = literal(given)
        if given is not None and value is not UNKNOWN and value is not None:
            message = f"{short} wants a tensor as {word}, and is given {source.code(given)}"
            yield Hit(call, message, severity=Severity.ERROR)


def _may_be_tensor(value: cst.BaseExpression, source: Source) -> bool:
    text = source.code(value)
    settings = ("average", "reduc", "weight", "index", "mean", "none")
    return literal(value) is UNKNOWN and not any(word in text.lower() for word in settings)
