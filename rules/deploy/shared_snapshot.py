"""LT215: a snapshot of a model that goes on changing with the model."""

from __future__ import annotations

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
        state_dict() gives the tensors of the model themselves. Every step of the optimizer
        changes them, so that the "best" state kept in a loop is the last one, and loading it back
        into the model changes nothing. Nothing is said (measured on torch 2.13). A deep copy
        keeps what the weights were.
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


@rule.source(cst.Assign, needs=(".state_dict()",))
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    model, target = _snapshot(node), node.targets[0].target
    if model is None or len(node.targets) != 1 or source.mentions(_SHARDED):
        return
    scope = source.enclosing(node, cst.ClassDef if _is_own(target) else cst.FunctionDef)
    if scope is None and _is_own(target):
        return
    uses = list(_uses(target, scope, source))
    if any(_changes(use, source) for use in uses):
        return
    text = source.code(target)
    if _outlives(node, uses, source):
        yield Hit(
            node.value,
            f"{text} goes on changing as training goes on",
            _fix(node, source),
        )
    elif _is_put_back(node, model, uses, source):
        yield Hit(
            node.value,
            f"{text} changes with the model: loading it back does nothing",
            _fix(node, source),
        )


def _snapshot(node: cst.Assign) -> cst.BaseExpression | None:
    """`m` of `best = m.state_dict()`."""
    call = node.value
    if not isinstance(call, cst.Call) or call.args or not isinstance(call.func, cst.Attribute):
        return None
    return call.func.value if call.func.attr.value == "state_dict" else None


def _is_own(target: cst.BaseExpression) -> bool:
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
    if isinstance(outer, cst.AssignTarget):
        return False
    if isinstance(outer, cst.Arg):
        call = source.parent(outer)
        name = _method(call)
        return name not in ("load_state_dict", "save") or outer.star != ""
    return not isinstance(
        outer, (cst.Return, cst.DictElement, cst.Comparison, cst.If, cst.Element, cst.Tuple)
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
        )
        if kept and after and source.place(loop).row in source.evaluation.training_rows:
            return not any(_is_break(s) for s in inside.body.body) if inside else False
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
    for use in uses:
        outer = source.parent(use)
        call = source.parent(outer) if isinstance(outer, cst.Arg) else None
        if (
            isinstance(call, cst.Call)
            and _method(call) == "load_state_dict"
            and isinstance(call.func, cst.Attribute)
            and source.code(call.func.value) == text
            and not _is_rebuilt(text, source)
            and _trains_between(node, call, source)
        ):
            return True
    return False


def _is_rebuilt(text: str, source: Source) -> bool:
    """Whether the name of the model is assigned more than once: it may be another model by then."""
    targets = [t for a in source.nodes(cst.Assign) for t in a.targets]
    return sum(source.code(t.target) == text for t in targets) > 1


def _trains_between(node: cst.Assign, call: cst.Call, source: Source) -> bool:
    """Whether something trains between a snapshot and its loading, as far as the file tells."""
    function = source.enclosing(node, cst.FunctionDef)
    if function is None or source.enclosing(call, cst.FunctionDef) is not function:
        return False
    return source.evaluation.trains_between(source.place(node).row, source.place(call).row)


def _fix(node: cst.Assign, source: Source) -> Fix | None:
    spelled, imports = source.reach("copy.deepcopy", node)
    if not spelled:
        return None
    whole = source.replace(node.value, "")
    edits = (
        Edit(whole.start, whole.start, f"{spelled}("),
        Edit(whole.end, whole.end, ")"),
        *imports,
    )
    return Fix("keep a deep copy", edits, Applicability.UNSAFE)
