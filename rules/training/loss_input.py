"""LT404: a loss that is given what another loss wants: probabilities for logits, logits for probabilities."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import Tensor, Unknown, Value
from lintorch.facts.models.operation_steps import MOVES
from lintorch.source import UNKNOWN, Source

rule = Rule(
    __name__,
    code="LT404",
    summary="a loss that is given what another loss wants",
    why="""
        CrossEntropyLoss and BCEWithLogitsLoss apply log-softmax or sigmoid themselves. Given
        probabilities they run, and train badly: a right and certain answer among three classes
        still costs 0.55, so that the loss never comes near zero and gradients are flat.
        NLLLoss, KLDivLoss and CTCLoss want log-probabilities; given logits or probabilities
        they only become negative numbers. BCELoss raises as soon as one logit leaves 0 to 1.
        Of sigmoid followed by BCELoss, a note: from a logit of 17 for the wrong answer on, the
        gradient is exactly 0, which `binary_cross_entropy_with_logits` does not suffer from.
        Targets of another kind than the loss takes (one-hot integers, floats as class numbers)
        raise, and so do a list or number as weight, and tensors handed to the loss's
        constructor. The output of the model comes first: with labels of 0 and 1 in its place
        BCEWithLogitsLoss gives another number, without a word. Measured on torch 2.13.

        The last operation of a model is followed into the classes of the same file.
    """,
    bad="""
        import torch.nn.functional as F


        def step(model, images, labels):
            logits = model(images)
            return F.cross_entropy(F.softmax(logits, dim=1), labels)
    """,
    good="""
        import torch.nn.functional as F


        def step(model, images, labels):
            logits = model(images)
            return F.cross_entropy(logits, labels)
    """,
    remedy="give the loss what it wants: logits, log-probabilities or probabilities",
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
_CE, _LOGITS = Loss("logits", _CLASSES), Loss("logits", _SHARES)
_LOG = Loss("log-probabilities")
_F = "torch.nn.functional."
LOSSES = {
    "torch.nn.CrossEntropyLoss": _CE,
    _F + "cross_entropy": _CE,
    "torch.nn.BCEWithLogitsLoss": _LOGITS,
    _F + "binary_cross_entropy_with_logits": _LOGITS,
    "torch.nn.MultiLabelSoftMarginLoss": Loss("logits"),
    _F + "multilabel_soft_margin_loss": Loss("logits"),
    "torchvision.ops.sigmoid_focal_loss": Loss("logits"),
    "torch.nn.NLLLoss": _NLL,
    _F + "nll_loss": _NLL,
    "torch.nn.KLDivLoss": _LOG,
    _F + "kl_div": _LOG,
    "torch.nn.CTCLoss": _LOG,
    _F + "ctc_loss": _LOG,
    "torch.nn.BCELoss": _BCE,
    _F + "binary_cross_entropy": _BCE,
}
INPUTS = {
    "probabilities": frozenset({"softmax", "sigmoid", "softmin"}),
    "log-probabilities": frozenset({"log_softmax", "logsigmoid"}),
    "logits": frozenset(
        {
            "linear", "lazylinear", "bilinear", "conv1d", "conv2d", "conv3d",
            "convtranspose1d", "convtranspose2d", "convtranspose3d",
        }
    ),
}  # fmt: skip
"""What the last operation before a loss makes of a tensor; anything else is unknown."""
WRONG = {
    "logits": ("probabilities",),
    "log-probabilities": ("probabilities", "logits"),
    "probabilities": ("logits", "log-probabilities"),
}
INSTEAD = {
    ("logits", "probabilities"): "leave {last} out, the loss applies it itself",
    ("log-probabilities", "probabilities"): "give it log_softmax(...) for softmax(...)",
    (
        "log-probabilities",
        "logits",
    ): "give it log_softmax(logits), or use CrossEntropyLoss for NLLLoss",
    ("probabilities", "logits"): "use BCEWithLogitsLoss, which takes logits",
    ("probabilities", "log-probabilities"): "give it their exp()",
}
"""What to do, by what a loss wants and what it is given."""
_CASTS = frozenset({"float", "double", "half", "bfloat16"})
_WHOLE = frozenset({"int", "short", "char"})
_LAYERS = tuple(name for name in LOSSES if name.startswith("torch.nn.") and _F not in name)
_FUNCTIONS = tuple(name for name in LOSSES if name not in _LAYERS)
_WEIGHTS = ("weight", "pos_weight")
_PARAMETERS = (("input", "inputs", "log_probs"), ("target", "targets"))


@rule.event(*_FUNCTIONS, *(f"{name}.forward" for name in _LAYERS))
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    name = event.name.removesuffix(".forward")
    loss, short = LOSSES[name], name.rpartition(".")[2]
    given = event.positional[event.name.endswith(".forward") :]
    first, target = (_pick(event, given, at) for at in (0, 1))
    if first is not None and not _is_another_way(event, source):
        yield from _judge_input(event, first, short, loss, source)
    if target is not None and (wrong := _wrong_target(target, short, loss, source)):
        whole = "leave one_hot out" if "one-hot" in wrong else "write target.long()"
        remedy = "write target.float()" if loss.target == _SHARES else whole
        yield Hit(event, wrong, severity=Severity.ERROR, remedy=remedy)


@rule.event(*_FUNCTIONS, *(f"{name}.forward" for name in _LAYERS))
def in_order(event: Called, source: Source) -> Iterator[Hit]:
    """`criterion(labels, outputs)`: these losses are not the same both ways."""
    given = event.node.args if isinstance(event.node, ast.Call) else []
    first, second = (_name_written(each) for each in (*given[:2], ast.Pass(), ast.Pass())[:2])
    if _TARGETS.fullmatch(first) and _OUTPUTS.fullmatch(second):
        short = event.name.removesuffix(".forward").rpartition(".")[2]
        said = f"{short} is given the target, {first}, where it wants the output of the model"
        yield Hit(event, said, remedy=f"change them round, {second} first")


_TARGETS = re.compile(
    r"(y|(y_)?(true|label|target|gt)s?(_?(idx|ids?|batch))?|batch_(y|labels?)|ground_truth)"
)
_OUTPUTS = re.compile(
    r"(y_?hat|y_?pred|(y_)?(output|pred|prediction|logit|score)s?|out|model\(\)|net\(\))"
)


def _name_written(node: ast.AST) -> str:
    """A name as it is written, `model()` of a call; "" of anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return f"{node.func.id}()"
    return node.id if isinstance(node, ast.Name) else ""


@rule.event(*_LAYERS)
def in_construction(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.BCEWithLogitsLoss(out, y)`, `nn.CrossEntropyLoss(weight=[1, 2])`."""
    short = event.name.rpartition(".")[2]
    if len(event.positional) == 2 and all(_is_tensor(each, source) for each in event.positional):
        message = f"{short} is given tensors when it is made"
        remedy = f"write {short}()(output, target)"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)
    for word in _WEIGHTS:
        given = event.keyword.get(word)
        plain = read_plain(given)
        if given is not None and plain is not UNKNOWN and plain is not None:
            message = f"{short} wants a tensor as {word}, and is given {plain!r}"
            remedy = f"write {word}=torch.tensor({plain!r})"
            yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)


def _is_another_way(event: Called, source: Source) -> bool:
    """Whether the layer is one of two, chosen before, of which the other takes logits: `CTCLoss() if ctc else …`."""
    if not event.name.endswith(".forward"):
        return False
    wants = LOSSES[event.name.removesuffix(".forward")].wants
    for name in _LAYERS:
        for _, other in source.evaluation.list_events((f"{name}.forward",)):
            if (
                isinstance(other, Called)
                and other.spot == event.spot
                and LOSSES[name].wants != wants
            ):
                return True
    return False


def _pick(event: Called, given: tuple[Value, ...], at: int) -> Value | None:
    if at < len(given):
        return given[at]
    return next((event.keyword[n] for n in _PARAMETERS[at] if n in event.keyword), None)


def _is_tensor(value: Value, source: Source) -> bool:
    """Whether it is a tensor, or something unknown that functions of torch take as one."""
    if isinstance(value, Tensor):
        return value.origin != "constant"
    taken = source.evaluation.ways.find_users(value)
    return isinstance(value, Unknown) and any(
        isinstance(each, Called) and each.name.startswith((_F, "torch.Tensor.")) for each in taken
    )


def _judge_input(
    event: Called, first: Value, short: str, loss: Loss, source: Source
) -> Iterator[Hit]:
    names = source.evaluation.steps.last_names(first, MOVES | _CASTS)
    kinds = {next((k for k, listed in INPUTS.items() if name in listed), "") for name in names}
    kind = kinds.pop() if len(kinds) == 1 else ""
    last = min(names, default="")
    if kind and kind in WRONG[loss.wants]:
        message = f"{short} wants {loss.wants}, and is given the {kind} of {last}"
        raises = loss.wants == "probabilities" and kind == "logits"
        fix = _without(event, first, source) if loss.wants == "logits" else None
        severity, remedy = Severity.ERROR if raises else None, INSTEAD[loss.wants, kind]
        yield Hit(event, message, fix, severity=severity, remedy=remedy.format(last=last))
    elif loss is _BCE and last == "sigmoid" and _is_written_there(event, first, source):
        message = f"{short} after sigmoid has no gradient where the logit is large and wrong"
        fix, remedy = _with_logits(event, source), "give BCEWithLogitsLoss the logits"
        yield Hit(event, message, fix, severity=Severity.NOTE, remedy=remedy)


def _is_written_there(event: Called, first: Value, source: Source) -> bool:
    """Whether the last operation stands in the call of the loss: `F.cross_entropy(x.softmax(1), y)`."""
    steps = [s for s in source.evaluation.steps.list_steps(first) if s.name not in MOVES | _CASTS]
    inner = event.node.args[0] if isinstance(event.node, ast.Call) and event.node.args else None
    return bool(steps) and steps[0].event.node is inner


def _find_input(call: cst.Call | None, source: Source) -> cst.BaseExpression | None:
    """The logits in `F.softmax(logits, 1)` and `logits.softmax(1)`, where that is what a loss is given."""
    first = source.arguments(call, "input").get("input") if call is not None else None
    if not isinstance(first, cst.Call):
        return None
    if source.name(first.func) or not isinstance(first.func, cst.Attribute):
        return source.arguments(first, "input").get("input")
    return first.func.value if first.func.attr.value in INPUTS["probabilities"] else None


def _without(event: Called, first: Value, source: Source) -> Fix | None:
    call = source.call_at(event)
    inner = _find_input(call, source) if _is_written_there(event, first, source) else None
    if call is None or inner is None or _is_own(inner):
        return None
    given = source.arguments(call, "input").get("input")
    assert given is not None
    edit = source.replace(given, source.fitted(source.code(inner), given))
    return Fix("give the loss the logits themselves", (edit,), Applicability.UNSAFE)


def _is_own(inner: cst.BaseExpression) -> bool:
    """`self` of `self.softmax(x)`, which is a layer."""
    return isinstance(inner, cst.Name) and inner.value == "self"


def _with_logits(event: Called, source: Source) -> Fix | None:
    call = source.call_at(event)
    inner = _find_input(call, source)
    dotted = _F + "binary_cross_entropy_with_logits"
    spelled = source.spell(dotted, call) if call is not None else ""
    if call is None or inner is None or not spelled:
        return None
    first = source.arguments(call, "input").get("input")
    if first is None or source.name(call.func) != _F + "binary_cross_entropy" or _is_own(inner):
        return None
    edits = (
        source.replace(call.func, spelled),
        source.replace(first, source.fitted(source.code(inner), first)),
    )
    return Fix("work it out from the logits", edits, Applicability.UNSAFE)


def _may_convert(event: object) -> bool:
    """`y.to(x)`, `y.to(kind)`, which may give another type; `y.to("cuda")`, `y.to(x.device)` do not."""
    if not isinstance(event, Called) or event.name != "torch.Tensor.to":
        return False
    asked = [*event.positional[1:], *(v for k, v in event.keyword.items() if k != "device")]
    return any(isinstance(v, (Tensor, Unknown)) and not _is_device(v) for v in asked)


def _is_device(value: Value) -> bool:
    return isinstance(value, Unknown) and "device" in value.path


def _wrong_target(target: Value, short: str, loss: Loss, source: Source) -> str:
    passed = source.evaluation.steps.list_steps(target)
    steps = [s.name for s in passed if s.name not in MOVES or _may_convert(s.event)]
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
