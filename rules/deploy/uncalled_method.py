"""LT208: a method that is named where it should be called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence, Repeated
from lintorch.evaluator.training_code import OPTIMIZERS
from lintorch.evaluator.unknown_objects import UnknownCalled, UnknownMethod
from lintorch.evaluator.values import UNKNOWN, Bound, Items, Value
from lintorch.source import Source

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
    remedy="write the parentheses: ()",
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
WEIGHTS = ("parameters", "named_parameters", "children", "named_children", "named_modules")
STATES = ("state_dict",)
TAKE_WEIGHTS = tuple(
    f"torch.nn.utils.{name}"
    for name in ("clip_grad_norm_", "clip_grad_value_", "get_total_norm", "parameters_to_vector")
)


@rule.source(cst.Expr, needs=tuple(f".{name}" for name in sorted(ALONE)))
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


@rule.event(Repeated)
def repeated(event: Repeated, source: Source) -> Iterator[Hit]:
    """`for p in model.parameters:`."""
    yield from _report(event, event.over, WEIGHTS, "a method is not what is asked for", source)


@rule.event(*(f"torch.optim.{name}" for name in sorted(OPTIMIZERS)), *TAKE_WEIGHTS)
def handed(event: Called, source: Source) -> Iterator[Hit]:
    """Weights that an optimizer, or gradient clipping, is given."""
    for given in (*event.positional[:1], *map(event.keyword.get, ("params", "parameters"))):
        if given is not None:
            yield from _report(event, given, WEIGHTS, "a method is not what is asked for", source)


@rule.source(cst.Call, needs=tuple(f".{name}{end}" for name in WEIGHTS for end in (",", ")")))
def handed_unknown(call: cst.Call, source: Source) -> Iterator[Hit]:
    """The same of models that are given."""
    name, first = source.name(call.func), call.args[0].value if call.args else None
    takes = name in TAKE_WEIGHTS or name.removeprefix("torch.optim.") in OPTIMIZERS
    asked = first if isinstance(first, cst.Attribute) and first.attr.value in WEIGHTS else None
    held = asked.value if asked is not None else None
    last = held.attr if isinstance(held, cst.Attribute) else held
    named = isinstance(last, cst.Name) and _MODEL.search(last.value)
    if takes and named and asked is not None and not _is_property(asked, source):
        said = f"{source.code(asked)} is not called: a method is not what is asked for"
        yield Hit(asked, said, _fix(asked, source, Applicability.SAFE))


@rule.event("torch.nn.Module.load_state_dict", "torch.optim.Optimizer.load_state_dict")
def loaded(event: Called, source: Source) -> Iterator[Hit]:
    for given in (*event.positional[1:2], *event.keyword.values()):
        yield from _report(event, given, STATES, "a method is not what is asked for", source)


@rule.event(UnknownCalled)
def loaded_by_unknown(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    if event.method == "load_state_dict":
        for given in event.given.values[:1]:
            yield from _report(event, given, STATES, "a method is not what is asked for", source)


@rule.event("torch.save")
def saved(event: Called, source: Source) -> Iterator[Hit]:
    """What is written, by itself or in a dictionary."""
    for given in (*event.positional[:1], *map(event.keyword.get, ("obj",))):
        pairs = given.items or () if isinstance(given, Items) and given.kind == "dict" else ()
        items = [each.items[1] for each in pairs if isinstance(each, Items) and each.items]
        for each in (given, *items):
            yield from _report(event, each, STATES, "the method itself is saved", source)


@rule.source(cst.Call, needs=("state_dict",))
def written(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`torch.save({"net": net.state_dict}, path)` in code that nothing follows."""
    if source.name(call.func) != "torch.save":
        return
    if ".state_dict()" not in source.code(call):  # that of another is called there
        return
    for node in source.nodes(cst.Attribute):
        outer = source.parent(node)
        called = isinstance(outer, cst.Call) and outer.func is node
        mine = source.is_within(node, call)
        plain = mine and not called and not isinstance(outer, cst.Attribute)
        if node.attr.value == "state_dict" and plain and not _is_property(node, source):
            message = f"{source.code(node)} is not called: the method itself is saved"
            yield Hit(node, message, _fix(node, source))


def _report(
    event: Occurrence, given: Value | None, names: Collection[str], why: str, source: Source
) -> Iterator[Hit]:
    held, method = _name_method(given)
    if method not in names or event.spot.path != source.path:
        return  # of another file its own rules tell
    node = _find_written(event, method, source)
    if not (_is_model_by_name(node, event) or _is_module(held, method, event, source)):
        return
    if node is None:
        yield Hit(event, f"{method} is not called: {why}", remedy=f"write {method}()")
    elif not _is_property(node, source):
        promise = Applicability.UNSAFE if "saved" in why else Applicability.SAFE
        yield Hit(node, f"{source.code(node)} is not called: {why}", _fix(node, source, promise))


def _name_method(value: Value | None) -> tuple[Value, str]:
    """The object and the name of a method that is not called."""
    if isinstance(value, UnknownMethod):
        return value.held, value.method
    if isinstance(value, Bound) and value.positional:
        return value.positional[0], value.method
    return UNKNOWN, ""


def _is_model_by_name(node: cst.Attribute | None, event: Occurrence) -> bool:
    """Whether what is saved is `state_dict` of a thing that is called a model or an optimizer."""
    saved = isinstance(event, Called) and event.name == "torch.save" and node is not None
    held = node.value if saved and node is not None else None
    last = held.attr if isinstance(held, cst.Attribute) else held
    return isinstance(last, cst.Name) and _MODEL.search(last.value) is not None


_MODEL = re.compile(
    r"(^|_)(model|net|network|module|encoder|decoder|optim(izer)?|scheduler|scaler)$"
)


def _is_module(held: Value, method: str, event: Occurrence, source: Source) -> bool:
    """Whether the object is known to have such a method: by its class, or by what else is called on it."""
    parts = source.evaluation.parts
    if parts.find_role(held, event) is not None:
        return True
    return not isinstance(event, Repeated) and method in parts.list_uses(held, event)


def _find_written(event: Occurrence, method: str, source: Source) -> cst.Attribute | None:
    """Where the method is written, in what happened or in what is gone over."""
    rows = range(event.spot.row, event.spot.end_row + 1)
    for node in source.nodes(cst.Attribute) if event.spot.path == source.path else ():
        called = isinstance(outer := source.parent(node), cst.Call) and outer.func is node
        if node.attr.value == method and not called and source.place(node).row in rows:
            return node
    return None


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


def _fix(method: cst.CSTNode, source: Source, promise: Applicability = Applicability.UNSAFE) -> Fix:
    end = source.replace(method, "").end
    return Fix("call it", (Edit(end, end, "()"),), promise)
