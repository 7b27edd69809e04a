"""Calls: arguments, parameters, and what is entered."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from lintorch.evaluator.budget import SpentError
from lintorch.evaluator.events import Called, Entered, ForwardCalled, OwnGradientCalled, Refused
from lintorch.evaluator.expressions import grow_list
from lintorch.evaluator.given_losses import gives_losses
from lintorch.evaluator.hook_code import only_hooks
from lintorch.evaluator.join import join_states, make_choice
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.layers import CONTAINERS, is_layer_class
from lintorch.evaluator.machine import METHODS, Activation, LeftError, Machine, calls, evaluates
from lintorch.evaluator.mark_order import marking
from lintorch.evaluator.marks import CallBegan, CallEnded
from lintorch.evaluator.model_modes import tell_compared
from lintorch.evaluator.objects import OWN_GRADIENT, is_module_class
from lintorch.evaluator.other_runtimes import takes_graph
from lintorch.evaluator.pure_calls import Key, make_key
from lintorch.evaluator.repeated_calls import is_lasting, is_made_up
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.unknown_objects import ModelOutput
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Bound,
    Choice,
    Class,
    Constant,
    External,
    Frame,
    Function,
    Given,
    Held,
    Items,
    Value,
)
from lintorch.syntax.python_ast import has_enough, list_nodes, takes_by_position, takes_named


@evaluates(ast.Call)
def evaluate_call(machine: Machine, node: ast.Call) -> Value:
    """`f(a, *b, c=d, **e)`."""
    callee = machine.evaluate(node.func)
    if type(callee) is Held:
        tell_compared(machine, node, callee)
    if grow_list(machine, node, callee):
        return NONE
    return machine.call(node, callee, evaluate_arguments(machine, node))


def evaluate_arguments(machine: Machine, node: ast.Call) -> Given:
    """The values of a call's arguments, stars unpacked where their items are known."""
    positional: list[Value] = []
    keyword: dict[str, Value] = {}
    is_open = False
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = known_items(machine, machine.evaluate(argument.value))
            is_open = is_open or items is None
            positional.extend(items or ())
        else:
            positional.append(machine.evaluate(argument))
    for given in node.keywords:
        value = machine.evaluate(given.value)
        if given.arg is not None:
            keyword[given.arg] = value
        elif isinstance(value, Held) and value.kind == "dict":
            content = machine.state.read(value.address)
            is_open = is_open or "open" in content
            keyword.update({k: v for k, v in content.items() if isinstance(k, str) and k != "open"})
        else:
            is_open = True
    return Given(tuple(positional), keyword, is_open)


@calls(Bound)
def call_bound(machine: Machine, node: ast.AST, callee: Bound, given: Given) -> Value:
    """A call of a method, or of a partial function."""
    whole = (*callee.positional, *given.positional)
    named = {**dict(callee.keyword), **given.keyword}
    if callee.method == "forward" and isinstance(callee.function, Function):
        machine.tell(ForwardCalled, node, callee.positional[0])
    began = len(machine.events)
    result = machine.call(node, callee.function, Given(whole, named, given.open))
    if callee.method.endswith(OWN_GRADIENT):
        ran = (e for e in machine.events[began:] if isinstance(e, Called) and e.built is not None)
        name = callee.method.removesuffix(OWN_GRADIENT)
        machine.tell(OwnGradientCalled, node, name, tuple(ran), any(map(_holds_models, whole)))
    return result


def _holds_models(value: Value) -> bool:
    kind = value.of if isinstance(value, Held) else None
    contains = isinstance(kind, External) and kind.path in CONTAINERS
    return contains or (isinstance(kind, Class) and is_module_class(kind))


@calls(Choice)
def call_either(machine: Machine, node: ast.AST, callee: Choice, given: Given) -> Value:
    """A call of one of several; what only some of them refuse may be meant for the others."""
    told: list[range] = []

    def take(each: Value) -> Callable[[], Value]:
        def call() -> Value:
            begin = len(machine.events)
            try:
                return machine.call(node, each, given)
            finally:
                told.append(range(begin, len(machine.events)))

        return call

    try:
        found = machine.try_paths([take(each) for each in callee.alternatives])
    finally:
        _doubt_refusals(machine, told)
    return _name_output(machine, callee, found)


def _name_output(machine: Machine, callee: Choice, found: Value) -> Value:
    """What one of several models gives where they give different things: an output of a model all the same."""
    models = [each for each in callee.alternatives if isinstance(each, Held)]
    known = found != UNKNOWN or machine.here.forward or len(models) < len(callee.alternatives)
    if known or not all(each.kind == "object" and is_module_class(each.of) for each in models):
        return found
    return ModelOutput("", models[0])


def _doubt_refusals(machine: Machine, told: Sequence[range]) -> None:
    """Take the ground from what is refused on some of several paths, and not on all.

    From all of it where it is not sure either that any is called: `layers[i]` behind a condition.
    """
    refused = [[at for at in path if isinstance(machine.events[at], Refused)] for path in told]
    if all(refused) and machine.is_certain:
        return
    for at in chain.from_iterable(refused):
        event = machine.events[at]
        if isinstance(event, Refused):
            machine.events[at] = replace(event, founded=False, operands=())


@calls(Function)
def call_function(machine: Machine, node: ast.AST, function: Function, given: Given) -> Value:
    """Run a function of a file with these arguments; unknown where that goes too deep."""
    known_method = METHODS.get(function.name)
    if known_method is not None:
        owner = function.owner.name if function.owner is not None else ""
        found = known_method.get((function.file.name, owner))
        if found is not None:
            return found(machine, node, given)
    if _is_too_deep(machine, function) or _is_misfed(node, function, given):
        machine.pure.cuts += 1
        for value in (*given.values, *_enclosed_values(machine, function)):
            machine.spoil(value)
        return UNKNOWN
    key = _name_call(machine, function, given)
    known = None if key is None else machine.pure.results.get(key)
    if known is None:
        return _run_function(machine, node, function, given, key)
    result = known[0]
    if isinstance(result, Held):
        if machine.state.find_cell(result.address) is None:
            return _run_function(machine, node, function, given, key)
        machine.repeated.shared.add(result.address)
    return result


def _is_misfed(node: ast.AST, function: Function, given: Given) -> bool:
    """Whether it is given what it does not take, or a model less than it needs: it raises, or something unknown stands in between."""
    spec, count = function.node.args, len(given.positional)
    of_model = function.name in ("forward", "__init__") and function.wrapped is None
    written = of_model and isinstance(node, ast.Call) and not given.open
    if function.name == "__init__" and isinstance(
        node, ast.Call
    ):  # `**kwargs` of a guess may be too few
        written = written and not any(isinstance(each, ast.Starred) for each in node.args)
        written = written and all(each.arg for each in node.keywords)
    fits = not written or has_enough(spec, count, given.keyword)
    takes = takes_by_position(spec, count) and takes_named(spec, given.keyword)
    return not (takes and fits)


def _name_call(machine: Machine, function: Function, given: Given) -> Key | None:
    if machine.watch is not None or machine.marks or not machine.stack:
        return None
    here = machine.here
    return make_key(
        function, given, machine.state, here.forward, machine.is_certain, here.exporters
    )


def _run_function(
    machine: Machine, node: ast.AST, function: Function, given: Given, key: Key | None
) -> Value:
    """Run a function; what it gives is kept where the call has a key and changed nothing older than itself."""
    log, pure = machine.state.log, machine.pure
    first, events, cuts = next(machine.addresses), len(machine.events), pure.cuts
    outer, log.lowest = log.lowest, sys.maxsize
    try:
        result = _enter_function(machine, node, function, given)
        if (
            key is not None
            and log.lowest >= first
            and pure.cuts == cuts
            and (is_lasting(result) or _is_fresh_layer(result, first))
            and not is_made_up(given, result)
        ):
            pure.keep(key, result, events)
        return result
    finally:
        log.lowest = min(outer, log.lowest)


def _is_fresh_layer(result: Value, first: int) -> bool:
    """Whether a call made a layer, which may stand for all that are made alike."""
    if not isinstance(result, Held) or result.kind != "object" or result.address < first:
        return False
    kind = result.of
    return is_module_class(kind) or (isinstance(kind, External) and is_layer_class(kind.path))


def _enter_function(machine: Machine, node: ast.AST, function: Function, given: Given) -> Value:
    machine.top.entered.add(function.node)
    if machine.stack and machine.here.forward and only_hooks(function.node):
        return NONE
    if machine.helper_steps and function.file is not machine.stack[0].file:
        return _enter_helper(machine, node, function, given)
    return _enter_freely(machine, node, function, given)


def _enter_helper(machine: Machine, node: ast.AST, function: Function, given: Given) -> Value:
    """Follow a function of another file no further than its own steps reach: else it gives something unknown."""
    most, steps = machine.most_steps, machine.helper_steps
    before, depth = machine.state.fork(), len(machine.stack)
    machine.most_steps, machine.helper_steps = min(most, machine.steps + steps), 0
    try:
        return _enter_freely(machine, node, function, given)
    except SpentError:
        if machine.steps > most:
            raise
        machine.pure.cuts += 1
        machine.unwind(depth)
        machine.state = before
        return UNKNOWN
    finally:
        machine.most_steps, machine.helper_steps = most, steps


def _enter_freely(machine: Machine, node: ast.AST, function: Function, given: Given) -> Value:
    names = bind_parameters(machine, function, given)
    frame = Frame(next(machine.addresses), function.closure, function.file)
    machine.state.write(frame.address).update(names)
    activation = Activation(
        frame,
        f"{function.owner.name}.{function.name}" if function.owner else function.name,
        function.file,
        machine.spot(node) if machine.stack else None,
        function.node,
        function.owner,
        given.positional[0] if given.positional else None,
        forward=bool(machine.stack) and machine.here.forward and not _is_aside(machine, function),
    )
    if machine.marks:
        with marking(machine, CallBegan, CallEnded, function.node, function, given, node):
            result = run_activation(machine, activation, function.node, names)
    else:
        result = run_activation(machine, activation, function.node, names)
    if not keeps_frame(function.node):
        machine.state.cells.pop(frame.address, None)
    return result


def _enclosed_values(machine: Machine, function: Function) -> Iterator[Value]:
    """What a nested function may change of the functions around it."""
    frame = function.closure
    while frame is not None:
        yield from machine.state.read(frame.address).values()
        frame = frame.outer


@keep_beside
def keeps_frame(node: ast.AST) -> bool:
    """Whether a function of it may live on and ask for its names."""
    return any(
        isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))
        for each in list_nodes(node)
        if each is not node
    )


def _is_aside(machine: Machine, function: Function) -> bool:
    owner = function.owner
    if (owner is not None and takes_graph(owner.node)) or gives_losses(function.node):
        return True
    return any(map(machine.library.is_aside, (function.name, owner.name if owner else "")))


def _is_too_deep(machine: Machine, function: Function) -> bool:
    stack, node = machine.stack, function.node
    if len(stack) >= machine.budget.depth:
        return True
    same = [each for each in stack if each.node is node]
    counts = len(same) >= machine.budget.repeats and _counts_down(machine, same, node)
    return len(same) >= (machine.budget.counted if counts else machine.budget.repeats)


def _counts_down(
    machine: Machine,
    same: Sequence[Activation],
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> bool:
    """Whether a parameter is a smaller number in each activation: `self.halve(level - 1, x)` comes to an end."""
    cells = [machine.state.read(each.frame.address) for each in same]
    for name in (each.arg for each in node.args.args):
        given = [cell.get(name) for cell in cells]
        levels = [v.value for v in given if isinstance(v, Constant) and type(v.value) is int]
        if len(levels) == len(cells) and all(a > b for a, b in pairwise(levels)):
            return True
    return False


def run_activation(
    machine: Machine,
    activation: Activation,
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    given: Mapping[str, Value],
) -> Value:
    """What a function gives whose parameters are bound. Raises LeftError where it never returns."""
    machine.enter(activation)
    machine.tell(Entered, node, given)
    contexts = len(machine.contexts)
    if machine.watch is not None:
        machine.watch.note_parameters(machine, node)
    try:
        if isinstance(node, ast.Lambda):
            return machine.evaluate(node.body)
        try:
            machine.execute(node.body)
            activation.returned.append(NONE)
            activation.left = join_states(activation.left, machine.state)
        except LeftError:
            pass
    finally:
        machine.leave()
        del machine.contexts[contexts:]
    if activation.left is None:
        raise LeftError
    machine.state = activation.left
    if activation.yielded:
        return _make_generator(activation)
    returned = tuple(activation.returned)
    return returned[0] if len(returned) == 1 else make_choice(returned)


def _make_generator(activation: Activation) -> Value:
    rounds = activation.yielded_rounds
    sure = activation.doubt == 0 and len(activation.yielded) <= 64 and rounds is None
    items = tuple(activation.yielded) if sure else None
    return Items("generator", items, make_choice(tuple(activation.yielded)), rounds)


@keep_beside
def _list_parameters(spec: ast.arguments) -> tuple[tuple[str, ...], dict[str, None]]:
    """The names of those that are given by position, and of all."""
    names = tuple(each.arg for each in (*spec.posonlyargs, *spec.args))
    return names, dict.fromkeys((*names, *(each.arg for each in spec.kwonlyargs)))


def bind_parameters(machine: Machine, function: Function, given: Given) -> dict[str, Value]:
    """The values of a function's parameters by name; what is not given and has no default is unknown."""
    spec = function.node.args
    names, known = _list_parameters(spec)
    late = names[len(names) - len(function.defaults) :]
    found: dict[str, Value] = dict(zip(late, function.defaults, strict=True))
    found.update(function.keyword_defaults)
    if given.open:
        found = dict.fromkeys(found, UNKNOWN)
    found.update(zip(names, given.positional, strict=False))
    if given.keyword:
        found.update({name: value for name, value in given.keyword.items() if name in known})
    if spec.vararg:
        rest = given.positional[len(names) :]
        found[spec.vararg.arg] = Items("tuple", None if given.open else rest)
    if spec.kwarg:
        content: dict[object, Value] = {k: v for k, v in given.keyword.items() if k not in known}
        if given.open:
            content["open"] = UNKNOWN
        found[spec.kwarg.arg] = machine.hold("dict", content)
    return {**dict.fromkeys(known, UNKNOWN), **found}
