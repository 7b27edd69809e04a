"""Branches an exported forward pass never takes, and code that only checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import libcst as cst

from lintorch.evaluator.make_arguments import TARGET
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.names.scopes import dotted_text
from lintorch.facts.regions.conditions import is_condition
from lintorch.facts.regions.output_readers import reads_outputs
from lintorch.facts.regions.sample_memory import keeps_samples
from lintorch.syntax.tree import offspring

_EXPORTING = frozenset(
    {
        "torch.jit.is_tracing", "torch.jit.is_scripting", "torch.onnx.is_in_onnx_export",
        "torch.compiler.is_exporting", "torch.compiler.is_compiling",
        "torch.compiler.is_dynamo_compiling", "torch._dynamo.is_compiling",
        "torch.is_tensor",
    }
)  # fmt: skip
_ASKS = re.compile(r"(^|\.)_?is_((torch)?dynamo_)?(compiling|exporting|(jit_)?tracing)$")
"""The same by the names that libraries give to helpers of their own."""
_OFF = re.compile(
    r"^(use_tiling|use_slicing|use_framewise_\w+|use_sliding_window_validation"
    r"|_?((use|grad|gradient|activation|with)_)?(checkpoint(ing)?|ckpt|cp)(_activations)?)$"
)
"""Switches of saving memory, off unless a user turns them on."""
_DONE = re.compile(r"^_?(is_)?(initiali[sz]ed|inited)$")
"""What the first batches of training have set."""
_LOSS = re.compile(
    r"(Loss(es|Function|Wrapper)?|Criterion|Matcher|Metrics?|Evaluator|Accuracy|SSIM|PSNR|LPIPS|FID|KID"
    r"|(Inception|Dice|F1)Score|[mM](ean)?IoU)$|(^|_)(loss|losses)(_|$)|^loss[A-Z]|Discriminator|[a-z]Dis$"
    r"|^(Info)?NCE(Average|Function|Softmax|Memory)?$"
)
_LOSSES = frozenset(
    {
        "cross_entropy",
        "nll_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "kl_div",
        "mse_loss",
        "l1_loss",
        "mse",
        "criterion",
    }
)
_SEVERAL = re.compile(r"(^|_)(losses|loss_(values|dict|terms))$")
_MANY = 3
"""Losses that no model gives beside what it is run for."""
_SCORE = re.compile(
    r"^(n|num|\w+_)?_?(acc|accuracy|correct|metrics?)(_?\d+)?$"
    r"|^(records?|stats|logs?|log_(dict|vars|output)|logging_outputs?)$"
)
"""What is worked out beside a loss, for training to print."""
_AUGMENTS = re.compile(
    r"RANSAC|^Random\w*(Erasing|Crop|Flip|Rotation|Affine|Perspective|Resize|Jitter|Blur|Noise|Cutout)"
    r"|^(Random)?([mM]ix[uU]p|[cC]ut[mM]ix)$"
    r"|(^|[a-z])ColorJitter(Layer)?$|Explainer(Base)?$|Augment(s|er|or|ations?)?(Wide)?$|Pre[tT]rainer$|Contrast(ive)?(Model|Head|Learner)$"
)
"""Classes that draw in training alone, or that hold a model while it is pretrained or explained."""
_ASIDE = re.compile(
    r"(^|_)(nms|non_max_suppression|ssim|psnr)(_|$)|^rand(om)?_[a-z]|^forecast_masking$|^_?compute_mask_indices$"
    r"|^_?(debug|visuali[sz]e|plot)(_|$)"
)
"""Functions that pick boxes from what a model gave, that measure, that draw in training, or show what happens."""
_MEANS = ("torch.mean", "torch.sum")
_SOURCES = frozenset({"source", "src", "src_seq"})
"""Inputs beside which a target is no truth."""
_WRAPPERS = ("DataParallel", "DistributedDataParallel", "FullyShardedDataParallel")
_SWITCHES = frozenset({"training", "return_loss", "augment", "visualize"})
"""Arguments that are off where a model is deployed."""
_HOLD_STATEMENTS = frozenset(
    {
        cst.SimpleStatementLine, cst.IndentedBlock, cst.If, cst.Else, cst.For, cst.While, cst.With,
        cst.Try, cst.TryStar, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.Match,
        cst.MatchCase,
    }
)  # fmt: skip
_MESSAGE = re.compile(r"(^print$|(^|\.)(warn|warning|debug|info|error|log|exception)$)")


def is_skipped(outer: cst.CSTNode, inner: cst.CSTNode, names: Lookup) -> bool:
    """Whether `inner`, a child of `outer`, runs only in training, only eagerly, or after such a return."""
    if isinstance(outer, cst.If):
        verdict = deployed_outcome(outer.test, names)
        return (inner is outer.body and verdict is False) or (
            inner is outer.orelse and verdict is True
        )
    if isinstance(outer, cst.IfExp):
        verdict = deployed_outcome(outer.test, names)
        return (inner is outer.body and verdict is False) or (
            inner is outer.orelse and verdict is True
        )
    if isinstance(outer, cst.IndentedBlock):
        return _after_return(outer, inner, names)
    return False


def _after_return(block: cst.IndentedBlock, child: cst.CSTNode, names: Lookup) -> bool:
    """Whether an earlier statement of the block returns whenever the model is deployed."""
    for statement in block.body:
        if statement is child:
            return False
        if not isinstance(statement, cst.If) or not _ends(statement.body):
            continue
        if deployed_outcome(statement.test, names) is True:
            return True
    return False


def deployed_outcome(test: cst.BaseExpression, names: Lookup) -> bool | None:
    """What a test is when the model is exported in eval mode: True, False, or None if open."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = deployed_outcome(test.expression, names)
        return None if inner is None else not inner
    if isinstance(test, cst.BooleanOperation):
        return _both(test, names)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        asked = dotted_text(test.comparisons[0].comparator)
        same = isinstance(test.comparisons[0].operator, (cst.Is, cst.Equal))
        if same and asked in ("True", "False"):
            inner = deployed_outcome(test.left, names)
            return None if inner is None else inner is (asked == "True")
    if isinstance(test, cst.Attribute) and test.attr.value in ("training", "requires_grad"):
        return False
    if isinstance(test, cst.Attribute) and _DONE.match(test.attr.value):
        return True
    if isinstance(test, cst.Attribute) and _OFF.match(test.attr.value):
        return False
    if isinstance(test, cst.Name) and test.value in _SWITCHES:
        return False
    if isinstance(test, cst.Call):
        asked = names.name(test.func)
        if asked == "isinstance" and len(test.args) == 2:
            return True if names.name(test.args[1].value) == "torch.SymInt" else None
        return True if asked in _EXPORTING or _ASKS.search(asked) else None
    return _target_given(test)


def _both(test: cst.BooleanOperation, names: Lookup) -> bool | None:
    sides = (deployed_outcome(test.left, names), deployed_outcome(test.right, names))
    decisive = not isinstance(test.operator, cst.And)
    if decisive in sides:
        return decisive
    return None if None in sides else not decisive


def _target_given(test: cst.BaseExpression) -> bool | None:
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    compared = test.comparisons[0]
    if not (isinstance(test.left, cst.Name) and TARGET.match(test.left.value)):
        return None
    if dotted_text(compared.comparator) != "None":
        return None
    if isinstance(compared.operator, cst.IsNot):
        return False
    return True if isinstance(compared.operator, cst.Is) else None


def scripted_only(outer: cst.CSTNode, inner: cst.CSTNode, names: Lookup) -> bool:
    """Whether `inner`, a child of `outer`, runs only where TorchScript compiles."""
    if not isinstance(outer, (cst.If, cst.IfExp)) or inner is not outer.body:
        return False
    test = outer.test
    return isinstance(test, cst.Call) and names.name(test.func) == "torch.jit.is_scripting"


def wants_target(forward: cst.FunctionDef) -> bool:
    """Whether a forward cannot do without a target: it is a loss, which nobody exports.

    The target of a source is what attention looks at.
    """
    needed = [p.name.value for p in forward.params.params if p.default is None]
    return not _SOURCES.intersection(needed) and any(
        TARGET.match(name) and not is_condition(forward, name) for name in needed
    )


def is_loss(owner: cst.ClassDef | cst.FunctionDef) -> bool:
    """Whether a class or function is named as what judges: a loss, a metric, a discriminator."""
    bases = owner.bases if isinstance(owner, cst.ClassDef) else ()
    named = [owner.name.value, *(dotted_text(base.value) for base in bases)]
    return any(map(_LOSS.search, named))


@cache
def has_aside_name(name: str) -> bool:
    """Whether a function or class is named as no part of a deployed model."""
    return bool(_LOSS.search(name) or _ASIDE.search(name) or _AUGMENTS.search(name))


def is_left_out(owner: cst.ClassDef | cst.FunctionDef) -> bool:
    """Whether a class or function is no part of a deployed model: a loss, an augmentation, NMS."""
    if is_loss(owner):
        return True
    if isinstance(owner, cst.ClassDef):
        bases = (dotted_text(base.value) for base in owner.bases)
        spreads = any(
            base.rpartition(".")[2] in _WRAPPERS or base.endswith(("Explainer", "ExplainerBase"))
            for base in bases
        )
        return spreads or bool(_AUGMENTS.search(owner.name.value)) or keeps_samples(owner)
    aside = bool(_ASIDE.search(owner.name.value)) or wants_target(owner) or _gives_loss(owner)
    return aside or reads_outputs(owner)


def returns_or_raises(function: cst.FunctionDef) -> bool:
    """Whether a function returns anything, or raises, as one that is to be overridden."""
    return any(True for _ in _returned(function.body)) or _only_raises(function.body)


def _gives_loss(function: cst.FunctionDef) -> bool:
    """Whether all that a function returns is a loss, as where a model is given for pretraining."""
    given = list(_returned(function.body))
    if given and all(map(_is_loss_value, given)):
        return True
    return bool(given) and all(map(_begins_with_losses, given)) and not _asks_mode(function)


def _begins_with_losses(value: cst.BaseExpression) -> bool:
    """`loss_values, generated`: several of them under one name, and what they were worked out of."""
    first = value.elements[0].value if isinstance(value, cst.Tuple) and value.elements else None
    return isinstance(first, cst.Name) and bool(_SEVERAL.search(first.value))


def _asks_mode(function: cst.FunctionDef) -> bool:
    """Whether it says itself what it does where nothing is trained."""
    waiting: list[cst.CSTNode] = [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.Attribute) and node.attr.value == "training":
            return True
        waiting += offspring(node)
    return False


def _is_loss_value(value: cst.BaseExpression) -> bool:
    """Whether a value is a loss by its name, or by that of the function that gives it.

    Of several all but scores, or three, or the first where it is worked out there and so always given: `loss.mean(), out`.
    """
    if isinstance(value, cst.Tuple):
        given = [each.value for each in value.elements if not _is_score(each.value)]
        if sum(map(_is_loss_value, given)) >= _MANY:
            return True
        reduced = isinstance(given[0], (cst.Call, cst.BinaryOperation)) if given else False
        return bool(given) and all(map(_is_loss_value, given[:1] if reduced else given))
    if isinstance(value, cst.BinaryOperation):
        return _is_loss_value(value.left) or _is_loss_value(value.right)
    if isinstance(value, cst.Call) and len(value.args) == 1 and dotted_text(value.func) in _MEANS:
        return _is_loss_value(value.args[0].value)
    if isinstance(value, (cst.Call, cst.Subscript)):
        return _is_loss_value(value.func if isinstance(value, cst.Call) else value.value)
    if isinstance(value, cst.Attribute):
        return _names_loss(value.attr.value) or _is_loss_value(value.value)
    return isinstance(value, cst.Name) and _names_loss(value.value)


def _is_score(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and bool(_SCORE.match(value.value))


def _names_loss(name: str) -> bool:
    parts = re.match(r"Loss[A-Z]", name)  # an object of losses: LossBreakdown(loss, None)
    return bool(parts or _LOSS.search(name)) or name in _LOSSES or name.endswith("_mse")


def _returned(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    for child in offspring(node):
        if child.__class__ is cst.Return and child.value is not None:
            yield child.value
        elif child.__class__ in _HOLD_STATEMENTS:
            yield from _returned(child)


def _statements(block: cst.BaseSuite) -> list[cst.CSTNode]:
    flat: list[cst.CSTNode] = []
    for statement in block.body:
        flat += statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]
    return flat


def _only_checks(branch: cst.If) -> bool:
    """Whether no branch does more than to raise, assert or tell."""
    orelse = branch.orelse
    rest = orelse is None or (
        _only_checks(orelse) if isinstance(orelse, cst.If) else _only_raises(orelse.body)
    )
    return rest and _only_raises(branch.body)


def _only_raises(block: cst.BaseSuite) -> bool:
    lines = _statements(block)
    return isinstance(lines[-1], cst.Raise) or all(map(_tells, lines))


def _tells(line: cst.CSTNode) -> bool:
    """An assert, a message, or a branch of nothing but such."""
    if isinstance(line, cst.If):
        return _only_checks(line)
    said = line.value if isinstance(line, cst.Expr) else None
    if isinstance(said, cst.Call):
        return bool(_MESSAGE.search(dotted_text(said.func)))
    return isinstance(line, cst.Assert)


def _ends(block: cst.BaseSuite) -> bool:
    return isinstance(_statements(block)[-1], (cst.Return, cst.Raise))
