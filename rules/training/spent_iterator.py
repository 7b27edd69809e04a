"""LT406: an iterator of parameters that is empty when it is read again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence, Repeated
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Constant, Items, Spot, Unknown, Value
from lintorch.facts.models.loops_around import LOOPS
from lintorch.facts.models.node_parents import DEFINITIONS
from lintorch.facts.models.one_way import ends, may_follow
from lintorch.facts.training.loaders import is_loader
from lintorch.facts.training.part_values import role_of_class
from lintorch.source import Role, Source

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
        that was given another value in between selects other parameters. The iterator of a loader
        that next() takes from in the loop of another loader is empty after an epoch or so of its
        own, and raises StopIteration. Measured on torch 2.13.

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
HANDING = ("enumerate", "zip", "tqdm.tqdm", "tqdm.auto.tqdm")
"""Gone through as a loop goes through them."""

OF_LOADER = "loader's iterator"
ANEW = "make it anew where it is empty: except StopIteration: it = iter(loader)"

Made = Called | UnknownCalled
Use = Called | Repeated


@rule.event(Called, UnknownCalled)
def in_source(made: Made, source: Source) -> Iterator[Hit]:
    kind = name_kind(made) if made.spot.path == source.path else ""
    target = find_target(made, source) if kind else None
    if isinstance(target, ast.Attribute):
        yield from judge_kept(target, made, kind, source)
    if not isinstance(target, ast.Name):
        return
    if kind == OF_LOADER and (drawn := find_drawn_out(target.id, made, source)) is not None:
        message = f"{target.id} runs out: next() raises StopIteration after as many calls as there are batches"
        yield Hit(drawn, message, remedy=ANEW)
    uses = list_uses(target.id, made, source)
    if spent := find_spent(uses, made, source):
        if kind == OF_LOADER and (ends_early(spent) or any(map(ends_early, uses))):
            return
        message = f"{target.id} was used up before: a {kind} can be gone through once"
        remedy = "go over the loader itself" if kind == OF_LOADER else None
        yield Hit(narrow_to(target.id, spent), message, keep_list(made, source), remedy=remedy)
    elif uses and kind in LAZY and (name := find_rebound(made, uses[0], source)):
        message = f"reads {name} only when it is gone through, and {name} has changed"
        yield Hit(made, message, keep_list(made, source))


def name_kind(made: Made) -> str:
    """What sort of iterator a call gives; "" where it is none, or nothing tells it from others."""
    if isinstance(made.result, Unknown) and not made.result.path:
        return ""
    if isinstance(made, UnknownCalled):
        plain = len(made.given.values) <= 1
        return f"{made.method}() iterator" if plain and made.method in METHODS else ""
    if made.name in LAZY:
        return made.name
    if made.name == "iter":
        return OF_LOADER if len(made.positional) == 1 and is_loader(made.positional[0]) else ""
    owner, _, method = made.name.rpartition(".")
    plain = owner == "torch.nn.Module" and len(made.positional) + len(made.keyword) <= 2
    return f"{method}() iterator" if plain and method in METHODS else ""


def find_target(made: Made, source: Source) -> ast.expr | None:
    """The name or attribute that alone is given the iterator."""
    outer = next(source.evaluation.list_around(made), None)
    plain = isinstance(outer, ast.Assign) and len(outer.targets) == 1
    return outer.targets[0] if plain and isinstance(outer, ast.Assign) else None


def judge_kept(target: ast.Attribute, made: Made, kind: str, source: Source) -> Iterator[Hit]:
    """`self.params = model.parameters()`, where another method clips by it: every time again."""
    call = source.call_at(made)
    assign = source.enclosing(call, cst.Assign) if call is not None else None
    if assign is None or source.classes.assigned(assign.targets[0].target) != [call]:
        return
    text = ast.unparse(target)
    for event in list_clips(source):
        if is_given(event, made, text, source) and not is_beside(event, made, source):
            message = f"{text} is used up from the second call on: it is a {kind}"
            yield Hit(event, message, keep_list(made, source))


def list_clips(source: Source) -> Iterator[Called]:
    events = (event for reached in source.evaluation.reached for event in reached.events)
    for event in events:
        if isinstance(event, Called) and event.name.startswith("torch.nn.utils.clip_grad"):
            yield event


def is_given(event: Called, made: Made, text: str, source: Source) -> bool:
    """Whether it is what a call is given, or what has its name in the same class."""
    if any(each is made.result for each in event.positional[:1]):
        return True
    written = event.node.args[:1] if isinstance(event.node, ast.Call) else []
    named = any(ast.unparse(each) == text for each in written)
    return named and find_class(event, source) is find_class(made, source) is not None


def find_class(event: Occurrence, source: Source) -> ast.AST | None:
    around = source.evaluation.list_around(event)
    return next((each for each in around if isinstance(each, ast.ClassDef)), None)


def is_beside(event: Called, made: Made, source: Source) -> bool:
    """Whether both stand in one function, which is judged by its own order."""
    return source.evaluation.find_function(event) is source.evaluation.find_function(made)


def keep_list(made: Made, source: Source) -> Fix | None:
    call = source.call_at(made)
    if call is None or (isinstance(made, Called) and made.name == "iter"):
        return None
    edit = source.replace(call, f"list({source.code(call)})")
    return Fix("keep a list", (edit,), Applicability.UNSAFE)


def list_uses(name: str, made: Made, source: Source) -> list[Use]:
    """The places of the same function that go through the iterator; [] where it is taken from by hand."""
    found: list[Use] = []
    function = source.evaluation.find_function(made)
    for event in source.evaluation.list_after(made):
        if not isinstance(event, (Called, Repeated)) or event.way.names != made.way.names:
            continue
        if isinstance(event, Called) and is_by_hand(event, made.result):
            return []
        here = mentions(event, name) and source.evaluation.find_function(event) is function
        if here and consumes(event, made.result, source):
            found.append(event)
    return found


def find_drawn_out(name: str, made: Made, source: Source) -> Called | None:
    """`next(it)` in a loop over another loader, within one that goes on for epochs, of what nothing makes anew."""
    function, apart = source.evaluation.find_function(made), [*source.evaluation.list_around(made)]
    if function is None or is_endless(made, source):
        return None
    stored = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
    ]
    for event in source.evaluation.list_after(made) if len(stored) == 1 else ():
        if not isinstance(event, Called) or event.name != "next" or len(event.positional) != 1:
            continue
        here = source.evaluation.find_function(event) is function
        if here and event.positional[0] is made.result and is_in_epochs(event, apart, source):
            return event
    return None


def is_in_epochs(event: Called, apart: list[ast.AST], source: Source) -> bool:
    """Whether a loop over a loader stands around, within another loop, and nothing that catches StopIteration."""
    around = [each for each in source.evaluation.list_around(event) if each not in apart]
    loops = [each for each in around if isinstance(each, LOOPS)]
    caught = any(isinstance(each, ast.Try) for each in around)
    inner = loops[0].iter if len(loops) > 1 and isinstance(loops[0], ast.For) else None
    return inner is not None and not caught and bool(OVER_LOADER.search(ast.unparse(inner)))


OVER_LOADER = re.compile(r"loader|\bdl\b", re.IGNORECASE)


def is_endless(made: Made, source: Source) -> bool:
    """Whether the loader has a sampler of its own, which may go on for good."""
    given = made.positional[0] if isinstance(made, Called) and made.positional else None
    loader = source.evaluation.ways.find_maker(given) if given is not None else None
    samplers = {"sampler", "batch_sampler"}
    return not isinstance(loader, Called) or bool(samplers & loader.keyword.keys()) or loader.open


def ends_early(use: Use) -> bool:
    """Whether a loop may be left ahead of the end of what it goes through."""
    loop = use.loop if isinstance(use, Repeated) else None
    inner = ast.walk(loop) if loop is not None else ()
    return any(isinstance(each, (ast.Break, ast.Return)) for each in inner)


def mentions(event: Use, name: str) -> bool:
    """Whether the iterator is read by its name there."""
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(event.node))


def is_by_hand(event: Called, value: Value) -> bool:
    """`next(it)`, and `zip(it, it)`."""
    given = sum(each is value for each in event.positional)
    return given > 0 and (event.name in ("next", "iter") or (event.name == "zip" and given > 1))


def consumes(event: Use, value: Value, source: Source) -> bool:
    if isinstance(event, Repeated):
        return goes_through(event.over, value, source) and not is_lazy(event, source)
    if role_of_class(event.name) is Role.OPTIMIZER:
        return any(holds(each, value) for each in (*event.positional, *event.keyword.values()))
    return event.name in CONSUMERS and any(
        goes_through(each, value, source) for each in event.positional
    )


def goes_through(over: Value, value: Value, source: Source) -> bool:
    """Whether this is the iterator, also by `enumerate(it)`, `zip(it, names)`, `tqdm(it)`."""
    if over is value:
        return True
    made = source.evaluation.ways.find_maker(over)
    handed = isinstance(made, Called) and made.name in HANDING
    return handed and isinstance(made, Called) and any(each is value for each in made.positional)


def holds(given: Value, value: Value) -> bool:
    """Whether it is among what an optimizer is given: `[{"params": it}]`."""
    if given is value:
        return True
    if not isinstance(given, Items):
        return False
    items = given.items or ()
    if given.kind == "dict":
        pairs = (each.items or () for each in items if isinstance(each, Items))
        return any(len(pair) == 2 and pair[1] is value and is_group(pair[0]) for pair in pairs)
    return given.kind == "list" and any(holds(each, value) for each in items)


def is_group(key: Value) -> bool:
    return not isinstance(key, Constant) or key.value == "params"


def is_lazy(event: Repeated, source: Source) -> bool:
    """A generator that is given a name is gone through later, if at all."""
    if not isinstance(event.loop, ast.GeneratorExp):
        return False
    around = [*source.evaluation.list_around(event)]
    outer = around[around.index(event.loop) + 1 :][:1] if event.loop in around else []
    return not any(isinstance(each, ast.Call) for each in outer)


def find_spent(uses: list[Use], made: Made, source: Source) -> Use | None:
    """The first place that finds the iterator empty."""
    for index, use in enumerate(uses):
        apart = (each for each in uses[:index] if each.node is not use.node)
        if any(may_follow(earlier, use, source.evaluation) for earlier in apart):
            return use
        if is_repeated(use, made, source):
            return use
    return None


def is_repeated(use: Use, made: Made, source: Source) -> bool:
    """Whether a loop that the iterator was made outside of comes by here again."""
    around = [*source.evaluation.list_around(made)]
    inner = use.node
    for outer in source.evaluation.list_around(use):
        if isinstance(outer, (*DEFINITIONS, ast.Lambda)) or outer in around:
            return False
        for block in (getattr(outer, "body", []), getattr(outer, "orelse", [])):
            if isinstance(block, list) and inner in block and ends(block):
                return False
        if isinstance(outer, LOOPS) and inner in outer.body:
            return True
        inner = outer
    return False


def narrow_to(name: str, use: Use) -> Use:
    """The same, at the name by which the iterator is read."""
    nodes = (each for each in ast.walk(use.node) if isinstance(each, ast.Name) and each.id == name)
    node = next(nodes, None)
    if node is None:
        return use
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return replace(use, node=node, spot=Spot(use.spot.path, node.lineno, node.col_offset, *end))


def find_rebound(made: Made, use: Use, source: Source) -> str:
    """A name that the lambda reads and that is assigned between the iterator and its use."""
    call = made.node if isinstance(made.node, ast.Call) else None
    given = call.args[0] if call is not None and call.args else None
    function = source.evaluation.find_function(made)
    if not isinstance(given, ast.Lambda) or function is None:
        return ""
    names = {each.id for each in ast.walk(given.body) if isinstance(each, ast.Name)}
    read = names - {each.arg for each in given.args.args}
    for each in ast.walk(function):
        if isinstance(each, ast.Assign) and made.spot.end_row < each.lineno < use.spot.row:
            changed = {t.id for t in each.targets if isinstance(t, ast.Name)} & read
            if changed:
                return min(changed)
    return ""
