"""LT405: an assignment that is meant to freeze, and does nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Compared, Occurrence
from lintorch.evaluator.unknown_objects import UnknownMethod
from lintorch.evaluator.values import FALSE, TRUE, External, Held, Tensor, Unknown, Value
from lintorch.facts.training.part_values import role_of_object
from lintorch.facts.training.roles import Role
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT405",
    summary="an assignment that freezes nothing",
    why="""
        A module has no `requires_grad`. `model.fc.requires_grad = False` puts a new attribute on
        the module and leaves its parameters as they are: the layer goes on training, without a
        word. So does a misspelt `param.require_grad = False`, `param.requires_grad_ = False`,
        which hides the method, and `param.requires_grad == False`, which compares. Measured on
        torch 2.13.

        `module.requires_grad_(False)` freezes all parameters of a module.
    """,
    bad="""
        from torch import nn


        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.backbone = nn.Linear(8, 8)
                self.head = nn.Linear(8, 2)
                self.backbone.requires_grad = False
    """,
    good="""
        from torch import nn


        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.backbone = nn.Linear(8, 8)
                self.head = nn.Linear(8, 2)
                self.backbone.requires_grad_(False)
    """,
    proof="""
        assert not any(p.requires_grad for p in Classifier().backbone.parameters())
    """,
    fix=Applicability.UNSAFE,
)

MISSPELT = frozenset(
    {
        "require_grad", "requires_grads", "require_grads", "required_grad", "requires_gard",
        "require_gard", "requires_gradient", "require_gradient", "requireds_grad",
    }
)  # fmt: skip
_WORDS = MISSPELT | {"requires_grad", "requires_grad_"}
_MAKERS = frozenset(
    f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "tensor", "arange", "eye")
)
_MOVES = ("torch.Tensor.float", "torch.Tensor.to", "torch.Tensor.double", "torch.Tensor.half")
_CHILD = re.compile(r"\.(children|modules)\(\)\[\]$|\.named_(children|modules)\(\)(\[\])?\[1\]$")
"""What a loop takes out of the modules of something unknown."""


@rule.event(AttributeSet)
def in_assignment(event: AttributeSet, source: Source) -> Iterator[Hit]:
    word, node = event.attribute, event.node
    if word not in _WORDS or not isinstance(node, ast.Attribute):
        return
    owner = ast.unparse(node.value)
    if owner in ("self", "cls"):
        return
    plain = event.value in (TRUE, FALSE)
    if _is_plain_module(event.held, source):
        if event.value != TRUE or not _is_trained_anyway(event, owner, source):
            message = f"{owner} is a module: setting its {word} leaves its parameters as they are"
            yield Hit(event, message, _call_instead(event, owner, source))
    elif (
        word in MISSPELT
        and (plain or isinstance(event.held, Tensor))
        and not isinstance(event.held, Held)
    ):
        message = f"{owner} has no {word}: the name is requires_grad"
        idle = event.value == FALSE and _needs_none(event.held, source)
        severity, remedy = Severity.NOTE if idle else None, f"write {owner}.requires_grad"
        yield Hit(event, message, _respell(event, source), severity=severity, remedy=remedy)
    elif word == "requires_grad_" and plain:
        message = f"hides the method requires_grad_ of {owner}, and sets nothing"
        yield Hit(event, message, _call_instead(event, owner, source))


@rule.event(Compared)
def in_comparison(event: Compared, source: Source) -> Iterator[Hit]:
    """`param.requires_grad == False` as a statement."""
    node = event.node
    left = node.left if isinstance(node, ast.Compare) and len(node.ops) == 1 else None
    asked = isinstance(left, ast.Attribute) and left.attr == "requires_grad"
    if asked and event.operator == "==" and source.evaluation.is_dropped(event):
        written, fix = source.node_at(event, cst.Comparison), None
        if written is not None:
            other = written.comparisons[0].comparator
            text = f"{source.code(written.left)} = {source.code(other)}"
            fix = Fix(f"write {text}", (source.replace(written, text),), Applicability.UNSAFE)
        yield Hit(event, "compares requires_grad and throws the answer away", fix)


def _needs_none(value: Value, source: Source) -> bool:
    """Whether it is a tensor that is made of numbers, and needs no gradient anyway: `torch.zeros(3)`."""
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(made, Called) or "requires_grad" in made.keyword:
        return False
    held = made.arguments.get("self") if made.name in _MOVES else None
    return made.name in _MAKERS or (held is not None and _needs_none(held, source))


def _is_plain_module(value: Value, source: Source) -> bool:
    """Whether it is a module without an attribute of that name of its own."""
    if isinstance(value, UnknownMethod) and isinstance(value.held, Held):
        return any(_is_plain_module(each, source) for each in _list_given(value, source))
    if isinstance(value, Unknown):
        return _CHILD.search(value.path) is not None
    if role_of_object(value) is not Role.MODEL or not isinstance(value, Held):
        return False
    return isinstance(value.of, External) or not any(
        isinstance(each, ast.Attribute) and each.attr in ("requires_grad", "__setattr__")
        for each in ast.walk(value.of.node if value.of is not None else ast.Pass())
    )


def _list_given(part: UnknownMethod, source: Source) -> Iterator[Value]:
    """What the class of an object, which was left closed, gives an attribute where it is followed."""
    kind = part.held.of if isinstance(part.held, Held) else None
    for reached in source.evaluation.reached:
        for each in reached.events:
            if not isinstance(each, AttributeSet) or each.attribute != part.method:
                continue
            if isinstance(each.held, Held) and each.held.of is kind:
                yield each.value


def _is_trained_anyway(event: AttributeSet, owner: str, source: Source) -> bool:
    """Whether a module said to need gradients is new, or nothing of the file was frozen."""
    around = source.evaluation.find_function(event)
    made = around is not None and any(
        isinstance(each, ast.Assign) and any(ast.unparse(t) == owner for t in each.targets)
        for each in ast.walk(around)
    )
    return made or not any(
        _freezes(each) for reached in source.evaluation.reached for each in reached.events
    )


def _freezes(event: Occurrence) -> bool:
    if isinstance(event, AttributeSet):
        return event.attribute == "requires_grad" and event.value == FALSE
    frozen = isinstance(event, Called) and FALSE in event.positional
    return isinstance(event, Called) and frozen and event.name.endswith(".requires_grad_")


def _call_instead(event: AttributeSet, owner: str, source: Source) -> Fix | None:
    node = _find_assignment(event, source)
    if node is None or len(node.targets) > 1:
        return None
    text = f"{owner}.requires_grad_({source.code(node.value)})"
    return Fix(f"write {text}", (source.replace(node, text),), Applicability.UNSAFE)


def _respell(event: AttributeSet, source: Source) -> Fix | None:
    node = _find_assignment(event, source)
    target = node.targets[0].target if node is not None else None
    if not isinstance(target, cst.Attribute):
        return None
    edit = source.replace(target.attr, "requires_grad")
    return Fix("write requires_grad", (edit,), Applicability.UNSAFE)


def _find_assignment(event: AttributeSet, source: Source) -> cst.Assign | None:
    """The whole statement, where one target of it is meant."""
    target = source.node_at(event, cst.Attribute)
    return source.enclosing(target, cst.Assign) if target is not None else None
