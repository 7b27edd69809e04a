"""LT215: a snapshot of a model that goes on changing with the model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT215",
    summary="a snapshot that shares its tensors with the model",
    why="""
        state_dict() gives the tensors of the model themselves, and so does a list of
        `p.data` or `p.detach()` of its parameters. Every step of the optimizer
        changes them, so that the "best" state kept in a loop is the last one, and loading it back
        into the model changes nothing. Nothing is said (measured on torch 2.13). A deep copy
        keeps what the weights were. A moving average that begins so, and is updated in place,
        shrinks the model: after 100 updates of `average.mul_(0.9).add_(p.data, alpha=0.1)` 0.37
        of each weight is left.
    """,
    bad="""
        import copy


        def fit(model, optimizer, batches):
            best, lowest = None, float("inf")
            for x in batches:
                loss = model(x).square().mean()
                if loss < lowest:
                    lowest = loss.detach()
                    best = model.state_dict()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return best
    """,
    good="""
        import copy


        def fit(model, optimizer, batches):
            best, lowest = None, float("inf")
            for x in batches:
                loss = model(x).square().mean()
                if loss < lowest:
                    lowest = loss.detach()
                    best = copy.deepcopy(model.state_dict())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return best
    """,
    remedy="keep copy.deepcopy(model.state_dict())",
    proof="""
        model = torch.nn.Linear(2, 2)
        start = copy.deepcopy(model.state_dict())
        best = fit(model, torch.optim.SGD(model.parameters(), 10.0), [torch.ones(1, 2)] * 2)
        assert torch.equal(best["weight"], start["weight"]), "the best weights were the first"
    """,
    fix=Applicability.UNSAFE,
)

_SHARDED = ("FullyShardedDataParallel", "FSDP", "deepspeed")
"""Their state_dict() gathers, which copies."""


@rule.source(cst.Assign, needs=(".state_dict()", "parameters()"))
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    if len(node.targets) == 1 and not source.mentions(_SHARDED):
        for target, value in _list_pairs(node.targets[0].target, node.value):
            yield from _judge(node, target, value, source)


_AVERAGES = re.compile(r"(^|[._])(ema|swa|avg|averages?d?|shadow|mean)s?(_|$)", re.I)
"""How an average of weights is named."""
_STEPS = re.compile(r"(\.mul_\(.+\)\.add_\(|\.lerp_\()(?!.*grad)", re.S)


def _averages_into(use: cst.CSTNode, source: Source) -> bool:
    """`shadow[name].mul_(decay).add_(p.data, alpha=1 - decay)`."""
    outer = source.parent(use)
    line = source.enclosing(use, cst.Expr)
    held = isinstance(outer, cst.Subscript) and outer.value is use and line is not None
    return held and line is not None and bool(_STEPS.search(source.code(line)))


def _list_pairs(
    target: cst.BaseExpression, value: cst.BaseExpression
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """`best, weights = score, model.state_dict()`: what each name is given."""
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
        if len(target.elements) == len(value.elements):
            for one, other in zip(target.elements, value.elements, strict=True):
                yield one.value, other.value
    else:
        yield target, value


def _judge(
    node: cst.Assign, target: cst.BaseExpression, value: cst.BaseExpression, source: Source
) -> Iterator[Hit]:
    shared = _find_shared(value)
    model = None if shared is None else _snapshot(shared)
    if model is None or shared is None or not isinstance(target, (cst.Name, cst.Attribute)):
        return
    scope = source.enclosing(node, cst.ClassDef if _is_own(target) else cst.FunctionDef)
    if scope is None and _is_own(target):
        return
    uses, text = list(_uses(target, scope, source)), source.code(target)
    if _AVERAGES.search(text) and any(_averages_into(use, source) for use in uses):
        said = f"{text} begins as the weights themselves: averaging into it changes them"
        yield Hit(value, said, remedy="begin with copies: value.detach().clone() of each")
        return
    if any(_changes(use, source) for use in uses):
        return
    fix = _fix(value, node, source) if shared is value else None
    if _outlives(node, uses, source):
        yield Hit(value, f"{text} goes on changing as training goes on", fix, cause=text)
    elif _is_put_back(node, model, uses, source) or _is_restored(node, model, uses, source):
        said = f"{text} changes with the model: loading it back does nothing"
        yield Hit(value, said, fix, cause=text)


def _find_shared(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """`m.state_dict()`, by itself, in a dictionary that is written there, or gone over without a copy."""
    if isinstance(value, cst.Dict):
        given = (e.value for e in value.elements if isinstance(e, cst.DictElement))
        return next(
            (each for each in given if _method(each) == "state_dict" and _snapshot(each)), None
        )
    if isinstance(value, cst.DictComp) and _holds_itself(value.for_in.target, value.value):
        over = value.for_in.iter
        if _method(over) == "named_parameters":
            return over
        items = over.func if isinstance(over, cst.Call) and not over.args else None
        held = items.value if isinstance(items, cst.Attribute) else None
        return held if isinstance(items, cst.Attribute) and items.attr.value == "items" else None
    if isinstance(value, cst.ListComp) and _method(value.for_in.iter) == "parameters":
        return value.for_in.iter if _holds_itself(value.for_in.target, value.elt) else None
    return None if _method(value) in _PARAMETERS else value


_PARAMETERS = ("parameters", "named_parameters")


def _holds_itself(target: cst.BaseExpression, kept: cst.BaseExpression) -> bool:
    """`{k: v.detach() for k, v in …}`, `[p.data for p in …]`: neither is a copy."""
    if isinstance(kept, cst.Call) and not kept.args and _method(kept) == "detach":
        kept = kept.func.value if isinstance(kept.func, cst.Attribute) else kept
    elif isinstance(kept, cst.Attribute) and kept.attr.value == "data":
        kept = kept.value
    names = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    last = names[-1]
    return isinstance(last, cst.Name) and isinstance(kept, cst.Name) and last.value == kept.value


def _snapshot(call: cst.CSTNode) -> cst.BaseExpression | None:
    """`m` of `m.state_dict()`, and of what a list of its parameters is made from."""
    if not isinstance(call, cst.Call) or call.args or not isinstance(call.func, cst.Attribute):
        return None
    return call.func.value if call.func.attr.value in ("state_dict", *_PARAMETERS) else None


def _is_own(target: cst.CSTNode) -> bool:
    return isinstance(target, cst.Attribute)


def _uses(
    target: cst.BaseExpression, scope: cst.CSTNode | None, source: Source
) -> Iterator[cst.CSTNode]:
    """All mentions of the name in its function, or of the attribute in its class."""
    text, kind = source.code(target), type(target)
    boundary = cst.ClassDef if _is_own(target) else cst.FunctionDef
    for other in source.nodes(kind):
        if other is target or source.code(other) != text:
            continue
        if source.enclosing(other, boundary) is scope and not _is_part(other, source):
            yield other


def _is_part(name: cst.CSTNode, source: Source) -> bool:
    outer = source.parent(name)
    named = isinstance(outer, cst.Attribute) and outer.attr is name
    return named or (isinstance(outer, cst.Arg) and outer.keyword is name)


def _changes(use: cst.CSTNode, source: Source) -> bool:
    """Whether a use may copy or replace entries, or does anything but read the whole."""
    outer = source.parent(use)
    if isinstance(outer, cst.Subscript) and outer.value is use:  # one of several that are kept
        use, outer = outer, source.parent(outer)
    if isinstance(outer, cst.AssignTarget):
        return isinstance(use, cst.Subscript)
    if isinstance(outer, cst.Arg):
        call = source.parent(outer)
        name = _method(call)
        if isinstance(call, cst.Call) and source.name(call.func) == "zip":
            return False
        return name not in ("load_state_dict", "save") or outer.star != ""
    return not isinstance(
        outer,
        (
            cst.Return,
            cst.DictElement,
            cst.Comparison,
            cst.ComparisonTarget,
            cst.If,
            cst.Element,
            cst.Tuple,
        ),
    )


def _method(call: cst.CSTNode | None) -> str:
    func = call.func if isinstance(call, cst.Call) else None
    return func.attr.value if isinstance(func, cst.Attribute) else ""


def _outlives(node: cst.Assign, uses: list[cst.CSTNode], source: Source) -> bool:
    """Whether it is made under a condition of a loop that trains and read after that loop."""
    inside = source.enclosing(node, cst.If)
    for loop in _list_loops(node, source):
        kept = inside is not None and loop in source.ancestors(inside)
        after = any(
            source.precedes(loop, use) and loop not in source.ancestors(use)
            for use in uses
            if not isinstance(source.parent(use), cst.AssignTarget)
            and not _is_bound_anew(loop, use, uses, source)
        )
        if kept and after and source.place(loop).row in source.evaluation.training_rows:
            return not any(_is_break(s) for s in inside.body.body) if inside else False
    return False


def _is_bound_anew(
    loop: cst.CSTNode, use: cst.CSTNode, uses: list[cst.CSTNode], source: Source
) -> bool:
    """Whether the name is given something else between the loop and a use, on every way there."""
    for each in uses:
        target = source.parent(each)
        line = source.enclosing(each, cst.SimpleStatementLine)
        if isinstance(target, cst.AssignTarget) and line is not None:
            between = source.precedes(loop, each) and source.precedes(each, use)
            if between and source.parent(line) in [*source.ancestors(use)]:
                return True
    return False


def _list_loops(node: cst.CSTNode, source: Source) -> Iterator[cst.For | cst.While]:
    """The loops around a statement in its function, innermost first."""
    for outer in source.ancestors(node):
        if isinstance(outer, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            return
        if isinstance(outer, (cst.For, cst.While)):
            yield outer


def _is_break(statement: cst.CSTNode) -> bool:
    last = statement.body[-1] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(last, (cst.Break, cst.Return))


def _is_put_back(
    node: cst.Assign, model: cst.BaseExpression, uses: list[cst.CSTNode], source: Source
) -> bool:
    """Whether the same model is given it back later, having been used in between."""
    text = source.code(model)
    return any(
        source.code(call.func.value) == text
        and not _is_rebuilt(text, source)
        and _trains_between(node, call, source)
        for call in _list_loads(uses, source)
        if isinstance(call.func, cst.Attribute)
    )


def _list_loads(uses: list[cst.CSTNode], source: Source) -> Iterator[cst.Call]:
    """The calls of load_state_dict that are given it."""
    for use in uses:
        outer = source.parent(use)
        if isinstance(outer, cst.Subscript):
            outer = source.parent(outer)
        call = source.parent(outer) if isinstance(outer, cst.Arg) else None
        if isinstance(call, cst.Call) and _method(call) == "load_state_dict":
            yield call


def _is_restored(
    node: cst.Assign, model: cst.BaseExpression, uses: list[cst.CSTNode], source: Source
) -> bool:
    """Whether one method keeps it on its object, under a condition, and another gives it back to what it is of."""
    keeper = source.enclosing(node, cst.FunctionDef)
    kept = source.enclosing(node, cst.If)
    if keeper is None or kept is None or not all(_is_own(each) for each in uses):
        return False
    text = source.code(model)
    names = {each.name.value for each in keeper.params.params}
    if text not in names and not text.startswith("self."):
        return False
    return any(
        source.code(call.func.value) == text
        and source.enclosing(call, cst.FunctionDef) is not keeper
        for call in _list_loads(uses, source)
        if isinstance(call.func, cst.Attribute)
    )


def _is_rebuilt(text: str, source: Source) -> bool:
    """Whether the name of the model is assigned more than once: it may be another model by then."""
    targets = [t for a in source.nodes(cst.Assign) for t in a.targets]
    return sum(source.code(t.target) == text for t in targets) > 1


def _trains_between(node: cst.Assign, call: cst.Call, source: Source) -> bool:
    """Whether something trains between a snapshot and its loading, or may train the model in a loop."""
    function = source.enclosing(node, cst.FunctionDef)
    if function is None or source.enclosing(call, cst.FunctionDef) is not function:
        return False
    if source.evaluation.trains_between(source.place(node).row, source.place(call).row):
        return True
    kept = source.enclosing(node, cst.If)
    return kept is not None and any(
        loop in source.ancestors(kept) and _is_handed_on(loop, call, source)
        for loop in _list_loops(node, source)
        if loop not in source.ancestors(call)
    )


def _is_handed_on(loop: cst.CSTNode, load: cst.Call, source: Source) -> bool:
    """`train_epoch(model, loader)`: whether a call in a loop, of a statement alone, is given the model."""
    model = source.code(load.func.value) if isinstance(load.func, cst.Attribute) else ""
    for each in source.nodes(cst.Call):
        given = any(source.code(arg.value) == model for arg in each.args)
        if given and loop in source.ancestors(each) and source.name(each.func) not in _LOOKING:
            return True
    return False


_LOOKING = frozenset({"isinstance", "hasattr", "getattr", "print", "id", "len", "type"})


def _fix(value: cst.BaseExpression, node: cst.Assign, source: Source) -> Fix | None:
    spelled, imports = source.reach("copy.deepcopy", node)
    if not spelled:
        return None
    whole = source.replace(value, "")
    edits = (
        Edit(whole.start, whole.start, f"{spelled}("),
        Edit(whole.end, whole.end, ")"),
        *imports,
    )
    return Fix("keep a deep copy", edits, Applicability.UNSAFE)
