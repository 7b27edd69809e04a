"""LT406: an iterator of parameters that is empty when it is read again."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.facts.training.part_values import role_of_class
from lintorch.source import UNKNOWN, Role, Source, literal
from lintorch.syntax.tree import ends_in_jump, names_in

rule = Rule(
    __name__,
    code="LT406",
    summary="an iterator that was used up before",
    why="""
        `model.parameters()`, `filter(...)` and `map(...)` can be gone through once; after that
        they are empty. Handed to an optimizer and then to `clip_grad_norm_`, such an iterator
        clips nothing; counted first and then handed over inside a group, the optimizer trains
        nothing, without a word. A loop around the second use empties it in its first round.
        An iterator that calls a lambda reads the lambda's names when it is gone through: a name
        that was given another value in between selects other parameters. Measured on torch 2.13.

        A list can be read as often as one likes.
    """,
    bad="""
        import torch


        def make(model):
            params = filter(lambda p: p.requires_grad, model.parameters())
            count = sum(p.numel() for p in params)
            return count, torch.optim.SGD([{"params": params, "lr": 0.1}], lr=0.01)
    """,
    good="""
        import torch


        def make(model):
            params = list(filter(lambda p: p.requires_grad, model.parameters()))
            count = sum(p.numel() for p in params)
            return count, torch.optim.SGD([{"params": params, "lr": 0.1}], lr=0.01)
    """,
    proof="""
        count, optimizer = make(torch.nn.Linear(2, 2))
        assert len(optimizer.param_groups[0]["params"]) == 2
    """,
    fix=Applicability.UNSAFE,
)

METHODS = frozenset(
    {
        "parameters", "named_parameters", "buffers", "named_buffers", "modules", "named_modules",
        "children", "named_children",
    }
)  # fmt: skip
LAZY = ("filter", "map")
CONSUMERS = frozenset(
    {
        "list", "tuple", "set", "frozenset", "dict", "sum", "sorted", "max", "min",
        "collections.OrderedDict", "itertools.tee",
        "torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_",
        "torch.nn.utils.parameters_to_vector",
        "torch.nn.utils.vector_to_parameters", "torch.nn.utils.clip_grad_norm",
    }
)  # fmt: skip
WORDS = ("filter(", "map(", "parameters()", "modules()", "children()", "buffers()")
_LOOPS = (cst.For, cst.While)
_SCOPES = (cst.FunctionDef, cst.Module, cst.Lambda, cst.ClassDef)


@rule.source(cst.Assign, needs=WORDS)
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    made = node.value
    target = node.targets[0].target
    if not isinstance(made, cst.Call) or len(node.targets) != 1:
        return
    kind = _kind(made, source)
    if kind and isinstance(target, cst.Attribute):
        yield from _kept(target, made, kind, source)
    if not kind or not isinstance(target, cst.Name):
        return
    uses = _uses(target, made, source)
    if spent := _spent(uses, node, source):
        message = f"{target.value} was used up before: a {kind} can be gone through once"
        yield Hit(spent, message, _listed(made, source))
    elif uses and kind in LAZY and (name := _rebound(made, node, uses[0], source)):
        message = f"reads {name} only when it is gone through, and {name} has changed"
        yield Hit(made, message, _listed(made, source))


def _kept(target: cst.Attribute, made: cst.Call, kind: str, source: Source) -> Iterator[Hit]:
    """`self.params = model.parameters()`, where another method clips by it: every time again."""
    if source.classes.assigned(target) != [made]:
        return
    info, method = source.classes.around(target), source.enclosing(target, cst.FunctionDef)
    text = source.code(target)
    for call in source.nodes(cst.Call):
        if not source.name(call.func).startswith("torch.nn.utils.clip_grad") or not call.args:
            continue
        elsewhere = source.enclosing(call, cst.FunctionDef) is not method
        same = source.classes.around(call) is info and source.code(call.args[0].value) == text
        if elsewhere and same:
            message = f"{text} is used up from the second call on: it is a {kind}"
            yield Hit(call, message, _listed(made, source))


def _kind(made: cst.Call, source: Source) -> str:
    """What sort of iterator a call gives; "" where it is none."""
    name = source.name(made.func)
    if name in LAZY:
        return name
    method = made.func.attr.value if isinstance(made.func, cst.Attribute) else ""
    if method in METHODS and not name and len(made.args) <= 1:
        return f"{method}() iterator"
    return ""


def _listed(made: cst.Call, source: Source) -> Fix:
    edit = source.replace(made, f"list({source.code(made)})")
    return Fix("keep a list", (edit,), Applicability.UNSAFE)


def _uses(target: cst.Name, made: cst.Call, source: Source) -> list[cst.Name]:
    """The places that go through the iterator, in order; [] where it is taken from by hand."""
    scope = source.enclosing(target, cst.FunctionDef) or source.module
    found: list[cst.Name] = []
    for name in source.mentions_of(target.value):
        if name is target:
            continue
        if source.enclosing(name, cst.FunctionDef) not in (scope, None):
            continue
        if not _reads(name, made, source):
            continue
        if _takes_by_hand(name, source):
            return []
        if _consumes(name, source):
            found.append(name)
    return found


def _reads(name: cst.Name, made: cst.Call, source: Source) -> bool:
    definitions = reaching_definitions(name, source)
    return len(definitions) == 1 and definitions[0].value is made and definitions[0].index is None


def _takes_by_hand(name: cst.Name, source: Source) -> bool:
    """`next(it)`, and `zip(it, it)`."""
    outer = source.parent(source.parent(name) or name)
    if not isinstance(outer, cst.Call):
        return False
    called = source.name(outer.func)
    again = sum(source.code(arg.value) == name.value for arg in outer.args) > 1
    return called in ("next", "iter") or (called == "zip" and again)


def _consumes(name: cst.Name, source: Source) -> bool:
    outer = source.parent(name)
    if isinstance(outer, (cst.For, cst.CompFor)):
        return outer.iter is name and not _is_lazy(outer, source)
    if isinstance(outer, cst.StarredElement):
        return True
    if isinstance(outer, cst.DictElement):
        return _for_optimizer(outer, source)
    if not isinstance(outer, cst.Arg):
        return False
    call = source.parent(outer)
    if not isinstance(call, cst.Call) or call.func is name:
        return False
    if _hands_on(call, source):
        loop = source.parent(call)
        gone = isinstance(loop, (cst.For, cst.CompFor)) and loop.iter is call
        return gone and not _is_lazy(loop, source) if loop is not None else False
    return outer.star == "*" or source.name(call.func) in CONSUMERS or _optimizes(call, source)


def _hands_on(call: cst.Call, source: Source) -> bool:
    """`enumerate(it)`, `zip(it, names)`, `tqdm(it)`: gone through as a loop goes through them."""
    return source.name(call.func) in ("enumerate", "zip", "tqdm.tqdm", "tqdm.auto.tqdm")


def _is_lazy(loop: cst.CSTNode, source: Source) -> bool:
    """A generator that is given a name is gone through later, if at all."""
    outer = source.parent(loop)
    inside = source.parent(outer) if isinstance(outer, cst.GeneratorExp) else None
    return isinstance(outer, cst.GeneratorExp) and not isinstance(inside, cst.Arg)


def _for_optimizer(item: cst.DictElement, source: Source) -> bool:
    """`{"params": params}` in the groups of an optimizer."""
    key = literal(item.key)
    call = source.enclosing(item, cst.Call)
    return key in ("params", UNKNOWN) and call is not None and _optimizes(call, source)


def _optimizes(call: cst.Call, source: Source) -> bool:
    return role_of_class(source.name(call.func)) is Role.OPTIMIZER


def _spent(uses: list[cst.Name], made: cst.Assign, source: Source) -> cst.Name | None:
    """The first place that finds the iterator empty."""
    for index, use in enumerate(uses):
        if any(_comes_before(earlier, use, source) for earlier in uses[:index]):
            return use
        if _repeats(use, made, source):
            return use
    return None


def _comes_before(first: cst.Name, second: cst.Name, source: Source) -> bool:
    """Whether the second place is surely reached after the first, where both are reached."""
    above = [second, *source.ancestors(second)]
    inner: cst.CSTNode = first
    for outer in source.ancestors(first):
        block = isinstance(outer, (cst.IndentedBlock, cst.SimpleStatementLine))
        if block and outer not in above and ends_in_jump(outer):
            return False
        if outer in above:
            place = above[above.index(outer) - 1]
            apart = isinstance(outer, (cst.If, cst.IfExp, cst.Try, cst.Match))
            return not (apart and place is not inner and not _is_test(outer, inner))
        inner = outer
    return False


def _is_test(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return inner is getattr(outer, "test", None)


def _repeats(use: cst.Name, made: cst.Assign, source: Source) -> bool:
    """Whether a loop that the iterator was made outside of comes by here again."""
    around = list(source.ancestors(made))
    inner: cst.CSTNode = use
    for outer in source.ancestors(use):
        if isinstance(outer, _SCOPES) or outer in around:
            return False
        if isinstance(outer, cst.IndentedBlock) and ends_in_jump(outer):
            return False
        if isinstance(outer, _LOOPS) and inner is outer.body:
            return True
        inner = outer
    return False


def _rebound(made: cst.Call, node: cst.Assign, use: cst.Name, source: Source) -> str:
    """A name that the lambda reads and that is assigned between the iterator and its use."""
    function = made.args[0].value if made.args else None
    if not isinstance(function, cst.Lambda):
        return ""
    own = {p.name.value for p in function.params.params}
    read = {n.value for n in names_in(function.body)} - own
    for assign in source.nodes(cst.Assign):
        if source.enclosing(assign, cst.FunctionDef) is not source.enclosing(node, cst.FunctionDef):
            continue
        names = {t.target.value for t in assign.targets if isinstance(t.target, cst.Name)}
        changed = sorted(names & read)
        if changed and source.precedes(node, assign) and source.precedes(assign, use):
            return changed[0]
    return ""
