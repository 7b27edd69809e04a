"""LT208: a method that is named where it should be called."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT208",
    summary="a method that is named but not called",
    why="""
        Without brackets a method is only an object. `model.eval` on a line of its own does
        nothing and says nothing; `if torch.cuda.is_available:` is always true;
        `torch.save(model.state_dict, path)` writes a pickled method, whole model included, that
        torch.load refuses. `Adam(model.parameters)` and `with torch.no_grad:` raise when they
        are reached. Measured on torch 2.13.

        The brackets are a safe fix where the code cannot run without them, and an unsafe one
        where it has run without.
    """,
    bad="""
        import torch
        from torch import nn


        def predict(x):
            model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
            model.eval
            with torch.no_grad():
                return model(x)
    """,
    good="""
        import torch
        from torch import nn


        def predict(x):
            model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
            model.eval()
            with torch.no_grad():
                return model(x)
    """,
    proof="""
        assert predict(torch.ones(64, 4)).ne(0).all(), "dropout is still on"
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

ALONE = frozenset(
    {
        "eval", "train", "zero_grad", "backward", "step", "cuda", "cpu", "half", "empty_cache",
        "synchronize", "barrier", "init_process_group", "destroy_process_group", "reset_parameters",
    }
)  # fmt: skip
"""Methods and functions whose name alone, as a statement, does nothing."""
ASKED = ("is_available", "is_initialized", "is_grad_enabled", "is_built", "is_bf16_supported")
QUESTIONS = re.compile(rf"^torch\.(\w+\.)*({'|'.join(ASKED)})$")
CONTEXTS = frozenset(
    f"torch.{name}"
    for name in (
        "no_grad",
        "enable_grad",
        "inference_mode",
        "autograd.no_grad",
        "autograd.profiler.profile",
    )
)
WEIGHTS = frozenset(
    ("parameters", "named_parameters", "children", "named_children", "named_modules")
)
TAKES_WEIGHTS = re.compile(
    r"^torch\.(optim\.([A-Z]\w*|\w+\.[A-Z]\w*)|nn\.utils\.(clip_grad_\w+|parameters_to_vector))$"
)
_NOT_WEIGHTS = ("torch.optim.lr_scheduler.", "torch.optim.swa_utils.")


@rule.source(cst.Expr, needs=tuple(f".{name}\n" for name in sorted(ALONE)))
def alone(statement: cst.Expr, source: Source) -> Iterator[Hit]:
    method = statement.value
    if not isinstance(method, cst.Attribute) or method.attr.value not in ALONE:
        return
    if source.enclosing(statement, cst.Try) or not isinstance(
        source.parent(statement), cst.SimpleStatementLine
    ):
        return
    if not _is_property(method, source):
        yield Hit(
            method,
            f"{source.code(method)} is not called: the line does nothing",
            _fix(method, source),
        )


@rule.source(
    cst.Attribute,
    cst.Name,
    needs=tuple(f"{name}{end}" for name in ASKED for end in (" else", ":", " and", " or", ")")),
)
def tested(expression: cst.Attribute | cst.Name, source: Source) -> Iterator[Hit]:
    last = expression.attr if isinstance(expression, cst.Attribute) else expression
    if not last.value.startswith("is_") or not _is_test(expression, source):
        return
    if QUESTIONS.match(source.name(expression)):
        yield Hit(
            expression,
            f"{source.code(expression)} is not called: a function is always true",
            _fix(expression, source),
        )


@rule.source(
    cst.WithItem, needs=("no_grad:", "enable_grad:", "inference_mode:", "no_grad,", "profile:")
)
def entered(item: cst.WithItem, source: Source) -> Iterator[Hit]:
    if source.name(item.item) in CONTEXTS:
        message = f"{source.code(item.item)} is not called: a class cannot be entered"
        yield Hit(item.item, message, _fix(item.item, source, Applicability.SAFE))


@rule.source(
    cst.Attribute,
    needs=tuple(f".{name}{end}" for name in ("state_dict", *sorted(WEIGHTS)) for end in "),:]}\n"),
)
def handed(method: cst.Attribute, source: Source) -> Iterator[Hit]:
    if method.attr.value not in WEIGHTS and method.attr.value != "state_dict":
        return
    outer = source.parent(method)
    if method.attr.value == "state_dict":
        wrong = _is_saved(method, source)
    elif isinstance(outer, cst.Arg):
        wrong = _is_weights(outer, source)
    else:
        over = isinstance(outer, (cst.For, cst.CompFor)) and outer.iter is method
        wrong = over and source.presumed_role(method.value) is Role.MODEL
    if wrong and not _is_property(method, source):
        written = method.attr.value == "state_dict" and not _is_loaded(method, source)
        promise = Applicability.UNSAFE if written else Applicability.SAFE
        end = "the method itself is saved" if written else "a method is not what is asked for"
        yield Hit(
            method, f"{source.code(method)} is not called: {end}", _fix(method, source, promise)
        )


def _is_property(method: cst.Attribute, source: Source) -> bool:
    """Whether the file has something of this name that is no method: a property, an attribute."""
    name = method.attr.value
    return any(
        name in info.attributes or (name in info.methods and info.methods[name].decorators)
        for info in source.classes.all.values()
    )


def _is_test(expression: cst.CSTNode, source: Source) -> bool:
    """Whether only the truth of an expression is asked for."""
    outer = source.parent(expression)
    while isinstance(outer, (cst.BooleanOperation, cst.UnaryOperation)):
        if isinstance(outer, cst.UnaryOperation) and isinstance(outer.operator, cst.Not):
            return True
        expression, outer = outer, source.parent(outer)
    return (
        isinstance(outer, (cst.If, cst.IfExp, cst.While, cst.Assert)) and outer.test is expression
    )


def _is_weights(arg: cst.Arg, source: Source) -> bool:
    """The first argument of an optimizer, or of gradient clipping."""
    call = source.parent(arg)
    if not isinstance(call, cst.Call) or not TAKES_WEIGHTS.match(name := source.name(call.func)):
        return False
    first = arg.keyword.value in ("params", "parameters") if arg.keyword else call.args[0] is arg
    return first and not name.startswith(_NOT_WEIGHTS)


def _is_loaded(method: cst.Attribute, source: Source) -> bool:
    arg = source.parent(method)
    call = source.parent(arg) if isinstance(arg, cst.Arg) else None
    func = call.func if isinstance(call, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict"


def _is_saved(method: cst.Attribute, source: Source) -> bool:
    """What load_state_dict gets, or torch.save writes, by itself or in a dict."""
    if _is_loaded(method, source):
        return True
    outer = source.parent(method)
    if isinstance(outer, cst.DictElement) and outer.value is method:
        outer = source.parent(source.parent(outer) or outer)
    call = source.parent(outer) if isinstance(outer, cst.Arg) else None
    return isinstance(call, cst.Call) and source.name(call.func) == "torch.save"


def _fix(method: cst.CSTNode, source: Source, promise: Applicability = Applicability.UNSAFE) -> Fix:
    end = source.replace(method, "").end
    return Fix("call it", (Edit(end, end, "()"),), promise)
