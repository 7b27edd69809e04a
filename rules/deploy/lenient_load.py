"""LT212: weights loaded so that what does not fit goes unseen."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Constant, Value
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT212",
    summary="weights loaded without a word on what does not fit",
    why="""
        The idiom that keeps the entries whose keys the model has, puts them into the model's own
        state dict and loads that, cannot fail: with a checkpoint of a wrapped model, whose keys
        all begin with `module.`, it loads nothing and reports that all keys matched. Nothing is
        said (measured on torch 2.13). `load_state_dict(state, strict=False)` returns the missing
        and the unexpected keys; where the result is looked at, a checkpoint that fits nowhere is
        seen. A load that drops that result is often meant, and is not reported, nor is a copy of what
        another model of the same program has.

        Comparing the shape of every entry with that of the model's raises a KeyError at the first
        key that the model does not have, and load_state_dict of a model instead of its state
        dict a TypeError.
    """,
    bad="""
        def restore(model, state):
            own = model.state_dict()
            state = {key: value for key, value in state.items() if key in own}
            own.update(state)
            model.load_state_dict(own)
    """,
    good="""
        def restore(model, state):
            result = model.load_state_dict(state, strict=False)
            if result.missing_keys:
                raise ValueError(f"no weights for {result.missing_keys}")
    """,
    remedy="load all of it, and look at what load_state_dict(state, strict=False) gives back",
    proof="""
        model = torch.nn.Linear(2, 2)
        other = torch.nn.DataParallel(torch.nn.Linear(2, 2)).state_dict()
        before = model.weight.clone()
        try:
            restore(model, other)
        except ValueError:
            pass
        else:
            assert not torch.equal(model.weight, before), "nothing was loaded"
    """,
)


@rule.source(cst.Call, needs=(".update(",))
def filtered(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "update" or len(call.args) != 1:
        return
    own, given = func.value, call.args[0].value
    if not isinstance(own, cst.Name) or not isinstance(given, (cst.Name, cst.DictComp)):
        return
    if not _is_own_state(own, source) or not _is_loaded(own, source):
        return
    kept = given if isinstance(given, cst.DictComp) else _assigned_filter(given, own, source)
    if (
        kept is not None
        and _keeps_known(kept, own.value, source)
        and not _is_looked_at(given, kept, source)
        and not _is_published(kept, source)
        and not _is_of_model(kept, source)
    ):
        message = (
            f"keys that {own.value} does not have are dropped: all may be, and nothing is said"
        )
        yield Hit(call, message)


@rule.source(cst.DictComp, needs=(".shape",))
def compared(kept: cst.DictComp, source: Source) -> Iterator[Hit]:
    loop = kept.for_in
    if (
        len(loop.ifs) != 1
        or not isinstance(kept.key, cst.Name)
        or not isinstance(loop.ifs[0].test, cst.Comparison)
    ):
        return
    test, key = loop.ifs[0].test, kept.key.value
    for own in _indexed(test, key):
        if _is_own_state(own, source) and not isinstance(
            test.comparisons[0].operator, (cst.In, cst.NotIn)
        ):
            if not _was_filtered(loop.iter, source):
                start = source.replace(test, "").start
                edit = Edit(start, start, f"{key} in {own.value} and ")
                fix = Fix("look for the key first", (edit,), Applicability.UNSAFE)
                message = (
                    f"{own.value}[{key}] raises a KeyError at a key that the model does not have"
                )
                remedy = f"ask `{key} in {own.value}` first"
                yield Hit(test, message, fix, severity=Severity.ERROR, remedy=remedy)
            return


@rule.event("torch.nn.Module.load_state_dict", "torch.optim.Optimizer.load_state_dict")
def of_module(event: Called, source: Source) -> Iterator[Hit]:
    given = event.keyword.get("state_dict", event.positional[1] if event.positional[1:] else None)
    yield from _report(event, given, source)
    if isinstance(given, Constant) and isinstance(given.value, str):
        message = "load_state_dict of a path, not of what the file holds: it raises"
        remedy = "load the file first: torch.load(path, weights_only=True)"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)


@rule.event(UnknownCalled)
def of_unknown(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    if event.method == "load_state_dict":
        yield from _report(event, event.given.pick(0, "state_dict"), source)


def _report(event: Occurrence, given: Value | None, source: Source) -> Iterator[Hit]:
    """A model that is given where its weights are asked for."""
    if source.evaluation.parts.find_role(given, event) is not Role.MODEL:
        return
    message = "load_state_dict of a model, not of its state dict: it raises"
    fix, remedy = _add_call(source.call_at(event), source), "give its state_dict()"
    yield Hit(event, message, fix, severity=Severity.ERROR, remedy=remedy)


def _add_call(call: cst.Call | None, source: Source) -> Fix | None:
    given = call.args[0].value if call is not None and call.args else None
    if not isinstance(given, (cst.Name, cst.Attribute)):
        return None
    end = source.replace(given, "").end
    return Fix("load its state dict", (Edit(end, end, ".state_dict()"),), Applicability.SAFE)


def _is_own_state(name: cst.Name, source: Source) -> bool:
    """`own = model.state_dict()`."""
    values = source.classes.assigned(name)
    return bool(values) and all(_method(v) == "state_dict" for v in values)


def _method(node: cst.CSTNode) -> str:
    func = node.func if isinstance(node, cst.Call) else None
    return func.attr.value if isinstance(func, cst.Attribute) else ""


def _is_loaded(own: cst.Name, source: Source) -> bool:
    function = source.enclosing(own, cst.FunctionDef)
    return any(
        _method(call) == "load_state_dict"
        and call.args
        and isinstance(call.args[0].value, cst.Name)
        and call.args[0].value.value == own.value
        and source.enclosing(call, cst.FunctionDef) is function
        for call in source.nodes(cst.Call)
    )


def _assigned_filter(given: cst.Name, own: cst.Name, source: Source) -> cst.DictComp | None:
    """The comprehension that the name was assigned from, last of all before the update."""
    function = source.enclosing(given, cst.FunctionDef)
    found = [
        assign.value
        for assign in source.nodes(cst.Assign)
        if source.enclosing(assign, cst.FunctionDef) is function
        and source.precedes(assign, given)
        and any(
            isinstance(t.target, cst.Name) and t.target.value == given.value for t in assign.targets
        )
    ]
    value = found[-1] if found else None
    return value if isinstance(value, cst.DictComp) else None


def _keeps_known(kept: cst.DictComp, own: str, source: Source) -> bool:
    """`… for k, v in state.items() if k in own`."""
    tests = [source.code(c.test) for c in kept.for_in.ifs]
    key = source.code(kept.key)
    return any(f"{key} in {own}" in test for test in tests)


def _is_published(kept: cst.DictComp, source: Source) -> bool:
    """Whether the weights come from an address: whose keys they have is known."""
    over = kept.for_in.iter
    named = (
        over.func.value
        if isinstance(over, cst.Call) and isinstance(over.func, cst.Attribute)
        else over
    )
    values = source.classes.assigned(named) if isinstance(named, cst.Name) else ()
    calls = [each.func for each in values if isinstance(each, cst.Call)]
    return any(source.name(each).rpartition(".")[2] in _FROM_ADDRESS for each in calls)


def _is_of_model(kept: cst.DictComp, source: Source) -> bool:
    """Whether the weights are those of another model of the program: no file is read, whose keys nobody sees."""
    over = kept.for_in.iter
    func = over.func if isinstance(over, cst.Call) else None
    held = func.value if isinstance(func, cst.Attribute) and _method(over) == "items" else over
    given = [held] if isinstance(held, cst.Call) else source.classes.assigned(held)
    states = [value for value in given if value is not kept]
    return bool(states) and all(_method(value) == "state_dict" for value in states)


_FROM_ADDRESS = ("load_url", "load_state_dict_from_url")


def _is_looked_at(given: cst.BaseExpression, kept: cst.DictComp, source: Source) -> bool:
    """Whether what is left is used for more than the update: counted, shown, compared."""
    function = source.enclosing(given, cst.FunctionDef)
    if not isinstance(given, cst.Name):
        return False
    if any(
        isinstance(part.operator, cst.NotIn)
        and source.code(part.comparator).removesuffix(".keys()") == given.value
        and source.enclosing(each, cst.FunctionDef) is function
        for each in source.nodes(cst.Comparison)
        for part in each.comparisons
    ):
        return True  # which keys of the model the file lacks
    return any(
        use is not given
        and source.enclosing(use, cst.FunctionDef) is function
        and not isinstance(source.parent(use), cst.AssignTarget)
        and source.precedes(kept, use)
        and kept not in source.ancestors(use)
        for use in source.mentions_of(given.value)
    )


def _indexed(test: cst.Comparison, key: str) -> Iterator[cst.Name]:
    """`own` of `own[k].shape == v.shape`."""
    for side in (test.left, test.comparisons[0].comparator):
        asked = side.func if isinstance(side, cst.Call) else side
        place = asked.value if isinstance(asked, cst.Attribute) else None
        if not isinstance(place, cst.Subscript) or not isinstance(place.value, cst.Name):
            continue
        index = place.slice[0].slice
        at = index.value if isinstance(index, cst.Index) else None
        if isinstance(at, cst.Name) and at.value == key:
            yield place.value


def _was_filtered(over: cst.BaseExpression, source: Source) -> bool:
    """Whether the dict that is gone through was filtered, or its keys were compared, before."""
    name = (
        over.func.value
        if isinstance(over, cst.Call) and isinstance(over.func, cst.Attribute)
        else over
    )
    function = source.enclosing(over, cst.FunctionDef)
    if not isinstance(name, cst.Name) or function is None:
        return True
    values = [b.node for b in source.bound(name)]
    own = any(_method(v) == "state_dict" for v in values)
    return own or " in " in "".join(source.code(v) for v in values if isinstance(v, cst.DictComp))
