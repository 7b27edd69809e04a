"""LT405: an assignment that is meant to freeze, and does nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet
from lintorch.evaluator.values import TRUE, External, Held, Value
from lintorch.facts.nets.child_modules import is_module
from lintorch.facts.training.part_values import role_of_object
from lintorch.facts.training.roles import Role
from lintorch.source import Source, literal

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

WORDS = ("requires_grad", "require_grad", "required_grad", "requires_gard", "require_gard")
MISSPELT = frozenset(
    {
        "require_grad", "requires_grads", "require_grads", "required_grad", "requires_gard",
        "require_gard", "requires_gradient", "require_gradient", "requireds_grad",
    }
)  # fmt: skip


@rule.source(cst.Assign, needs=WORDS)
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    for target in (t.target for t in node.targets):
        if isinstance(target, cst.Attribute) and _is_self_made(target) is False:
            yield from _assigned(node, target, source)


@rule.event(AttributeSet)
def in_functions(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """Of a module that a function is given."""
    word, node = event.attribute, event.node
    if word not in MISSPELT | {"requires_grad"} or not _is_plain_module(event.held):
        return
    if event.value == TRUE or not isinstance(node, ast.Attribute):
        return
    owner = ast.unparse(node.value)
    if owner not in ("self", "cls") and not _is_seen(event, source):
        message = f"{owner} is a module: setting its {word} leaves its parameters as they are"
        yield Hit(event, message)


def _is_plain_module(value: Value) -> bool:
    """Whether it is a module without an attribute of that name of its own."""
    if role_of_object(value) is not Role.MODEL or not isinstance(value, Held):
        return False
    return isinstance(value.of, External) or not any(
        isinstance(each, ast.Attribute) and each.attr == "requires_grad"
        for each in ast.walk(value.of.node if value.of is not None else ast.Pass())
    )


def _is_seen(event: AttributeSet, source: Source) -> bool:
    """Whether the file shows by itself that it is a module."""
    place = source.place(event)
    return any(
        isinstance(target.target, cst.Attribute)
        and source.place(target.target).row == place.row
        and is_module(target.target.value, source)
        for assign in source.nodes(cst.Assign)
        for target in assign.targets
    )


@rule.source(cst.Expr, needs=("requires_grad ==", "requires_grad is", "requires_grad=="))
def in_comparisons(node: cst.Expr, source: Source) -> Iterator[Hit]:
    compared = node.value
    left = compared.left if isinstance(compared, cst.Comparison) else None
    if not isinstance(left, cst.Attribute) or left.attr.value != "requires_grad":
        return
    assert isinstance(compared, cst.Comparison)
    other = compared.comparisons[0]
    if isinstance(other.operator, cst.Equal) and len(compared.comparisons) == 1:
        text = f"{source.code(left)} = {source.code(other.comparator)}"
        fix = Fix(f"write {text}", (source.replace(node, text),), Applicability.UNSAFE)
        yield Hit(node, "compares requires_grad and throws the answer away", fix)


def _is_self_made(target: cst.Attribute) -> bool:
    """`self.requires_grad = flag`: an attribute of a class of one's own."""
    return isinstance(target.value, cst.Name) and target.value.value in ("self", "cls")


def _assigned(node: cst.Assign, target: cst.Attribute, source: Source) -> Iterator[Hit]:
    word, owner = target.attr.value, source.code(target.value)
    if word not in MISSPELT | {"requires_grad", "requires_grad_"}:
        return
    if is_module(target.value, source):
        if literal(node.value) is True and _is_trained_anyway(node, owner, source):
            return
        message = f"{owner} is a module: setting its {word} leaves its parameters as they are"
        yield Hit(node, message, _called(node, owner, source))
    elif word in MISSPELT and "torch" in source.text and literal(node.value) in (True, False):
        fix = (source.replace(target.attr, "requires_grad"),)
        message = f"{owner} has no {word}: the name is requires_grad"
        yield Hit(node, message, Fix("write requires_grad", fix, Applicability.UNSAFE))
    elif word == "requires_grad_" and literal(node.value) in (True, False):
        message = f"hides the method requires_grad_ of {owner}, and sets nothing"
        yield Hit(node, message, _called(node, owner, source))


def _is_trained_anyway(node: cst.Assign, owner: str, source: Source) -> bool:
    """Whether a module said to need gradients is new, or nothing of the file was frozen."""
    frozen = ("requires_grad = False", "requires_grad=False", "requires_grad_(False)")
    if not source.mentions(frozen):
        return True
    function = source.enclosing(node, cst.FunctionDef)
    return any(
        source.enclosing(other, cst.FunctionDef) is function
        and any(source.code(target.target) == owner for target in other.targets)
        for other in source.nodes(cst.Assign)
    )


def _called(node: cst.Assign, owner: str, source: Source) -> Fix | None:
    if len(node.targets) > 1:
        return None
    text = f"{owner}.requires_grad_({source.code(node.value)})"
    return Fix(f"write {text}", (source.replace(node, text),), Applicability.UNSAFE)
