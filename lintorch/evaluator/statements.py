"""What statements do."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lintorch.evaluator.arithmetic import combine_each
from lintorch.evaluator.asserted_sizes import is_refusal, settle_asserted
from lintorch.evaluator.assign import assign_target
from lintorch.evaluator.budget import SpentError
from lintorch.evaluator.events import Called, Combined, Decided, GivenBack, Returned
from lintorch.evaluator.exporter_questions import keep_exporters, tell_decided
from lintorch.evaluator.exporters import is_there
from lintorch.evaluator.expressions import make_function
from lintorch.evaluator.iterate import repeat_body, run_passes
from lintorch.evaluator.join import ITEMS, join_data, join_states
from lintorch.evaluator.learn import settle_most, settle_parts, settle_turns
from lintorch.evaluator.machine import Exits, LeftError, Machine, executes
from lintorch.evaluator.mark_order import is_trained, mark_test, marking
from lintorch.evaluator.marks import (
    ContextEntered,
    ContextLeft,
    HandlerBegan,
    HandlerEnded,
    Left,
    LoopBegan,
    LoopEnded,
    Turned,
)
from lintorch.evaluator.names import bind_name
from lintorch.evaluator.narrow import narrow_names
from lintorch.evaluator.objects import make_class
from lintorch.evaluator.other_runtimes import (
    find_foreign,
    follow_apart,
    is_foreign_case,
    is_preparing,
    returns_prepared,
)
from lintorch.evaluator.settled import settle_value
from lintorch.evaluator.state import State
from lintorch.evaluator.truth import compare_values, decide, known_items
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Constant,
    External,
    Frame,
    Given,
    Held,
    Items,
    Tensor,
    Value,
)


@executes(ast.Expr)
def run_expression(machine: Machine, node: ast.Expr) -> None:
    """An expression by itself."""
    machine.evaluate(node.value)


@executes(ast.Assign)
def run_assignment(machine: Machine, node: ast.Assign) -> None:
    """`a = b = value`."""
    value = machine.evaluate(node.value)
    for target in node.targets:
        assign_target(machine, target, value)


@executes(ast.AnnAssign)
def run_annotated(machine: Machine, node: ast.AnnAssign) -> None:
    """`a: int = value`."""
    if node.value is not None:
        assign_target(machine, node.target, machine.evaluate(node.value))


@executes(ast.AugAssign)
def run_augmented(machine: Machine, node: ast.AugAssign) -> None:
    """`a += value`: in place for tensors and lists."""
    held = machine.evaluate(node.target)
    value = machine.evaluate(node.value)
    kind = type(node.op).__name__
    result = combine_each(machine, node, kind, held, value)
    if isinstance(held, Tensor) and isinstance(result, Tensor):
        result = Tensor(
            held.shape if held.shape is not None else result.shape,
            held.dtype, memory=held.memory, name=held.name, origin=held.origin,
            guessed=held.guessed or result.guessed, data=join_data((held.data, result.data)),
        )  # fmt: skip
    machine.tell(Combined, node, kind, held, value, True, result)
    if isinstance(held, Held) and held.kind == "list" and isinstance(result, Held):
        machine.state.write(held.address).update(machine.state.read(result.address))
        result = held
    assign_target(machine, node.target, result)


@executes(ast.If)
def run_if(machine: Machine, node: ast.If) -> None:
    """`if test: … else: …`; both where the test is not decided."""
    since = len(machine.events)
    test, within = machine.evaluate(node.test), machine.here.node
    answer = decide(machine, test)
    tell_decided(machine, node.test, "if", test, answer, node)
    if is_refusal(node):
        settle_asserted(machine, node.test, False, since)
        settle_most(machine, test, False)
        if answer and not machine.asked.checks:
            return
    if answer is not None:
        block = node.body if answer else node.orelse
        leaves = answer is is_preparing(node.test, within)
        follow_apart(machine, leaves, lambda: machine.execute(block))
        leave_prepared(machine, node, within)
        return
    foreign, gone = find_foreign(machine, node), list[bool]()

    def take(block: list[ast.stmt], truth: bool) -> Callable[[], Value]:
        def follow() -> Value:
            narrow_names(machine, node.test, truth)
            keep_exporters(machine, node.test, test, truth)
            leaves = foreign[not truth] or truth is is_preparing(node.test, within)
            gone.append(truth)
            follow_apart(machine, leaves, lambda: machine.execute(block))
            gone.pop()
            return NONE

        return follow

    mark_test(machine, node.test)
    machine.try_paths([take(node.body, True), take(node.orelse, False)])
    for truth in gone:  # that side is left: what follows is the other's
        keep_exporters(machine, node.test, test, not truth)
    leave_prepared(machine, node, within)


def leave_prepared(machine: Machine, node: ast.If, within: ast.AST | None) -> None:
    """What follows in the function is for the first batches of training, if a branch says so."""
    if machine.here.forward and returns_prepared(node, within):
        machine.here.forward = False


_SPLITS = ("torch.split", "torch.Tensor.split")
_NEAR = 60
"""Events among which the split is looked for that a loop goes over."""


@executes(ast.For, ast.AsyncFor)
def run_for(machine: Machine, node: ast.For | ast.AsyncFor) -> None:
    """`for target in items: …`."""
    over = machine.evaluate(node.iter)
    for event in machine.events[-_NEAR:]:
        if isinstance(event, Called) and event.name in _SPLITS and event.result is over:
            settle_parts(machine, event)
    run_passes(machine, node, node, over, lambda: machine.execute(node.body))
    machine.execute(node.orelse)


@executes(ast.While)
def run_while(machine: Machine, node: ast.While) -> None:
    """`while test: …`: pass by pass as long as the test is decided."""
    with marking(machine, LoopBegan, LoopEnded, node):
        _run_while(machine, node)


def _run_while(machine: Machine, node: ast.While) -> None:
    for _ in range(0 if is_trained(machine, node) else machine.budget.unrolled):
        test = machine.evaluate(node.test)
        answer = decide(machine, test)
        tell_decided(machine, node.test, "while", test, answer, node)
        if answer is None and machine.here.forward:
            settle_turns(machine, test)
        if answer is False:
            machine.execute(node.orelse)
            return
        if answer is None or isinstance(node.test, ast.Constant):
            break
        if not _run_pass(machine, node.body):
            return
    repeat_body(machine, lambda: _ask_again(machine, node), lambda: machine.execute(node.body))


def _ask_again(machine: Machine, node: ast.While) -> None:
    machine.evaluate(node.test)
    narrow_names(machine, node.test, True)


def _run_pass(machine: Machine, body: list[ast.stmt]) -> bool:
    """Whether the loop goes on after one pass."""
    machine.mark(Turned)
    exits = Exits()
    machine.here.loops.append(exits)
    after: State | None
    try:
        machine.execute(body)
        after = machine.state
    except LeftError:
        after = None
    finally:
        machine.here.loops.pop()
    after = join_states(after, exits.continues)
    if exits.breaks is not None:
        machine.state = join_states(after, exits.breaks) or machine.state
        return False
    if after is None:
        raise LeftError
    machine.state = after
    return True


@executes(ast.Break)
def run_break(machine: Machine, node: ast.Break) -> None:
    """`break`."""
    machine.mark(Left, node, "break")
    if machine.here.loops:
        exits = machine.here.loops[-1]
        exits.breaks = join_states(exits.breaks, machine.state.fork())
    raise LeftError


@executes(ast.Continue)
def run_continue(machine: Machine, node: ast.Continue) -> None:
    """`continue`."""
    machine.mark(Left, node, "continue")
    if machine.here.loops:
        exits = machine.here.loops[-1]
        exits.continues = join_states(exits.continues, machine.state.fork())
    raise LeftError


@executes(ast.Return)
def run_return(machine: Machine, node: ast.Return) -> None:
    """`return value`."""
    here = machine.here
    value = NONE if node.value is None else machine.evaluate(node.value)
    here.returned.append(value)
    if node.value is not None:
        machine.tell(GivenBack, node.value, value)
    if _leaves_root(machine):
        machine.tell(Returned, node.value or node, settle_value(machine, value), here.node)
    ended = machine.state.fork() if here.raised else machine.state  # a `finally` goes on with it
    here.left = join_states(here.left, ended)
    machine.mark(Left, node, "return")
    raise LeftError


def _leaves_root(machine: Machine) -> bool:
    """Whether what is returned here is what the root's own model gives."""
    here = machine.here
    return (
        len(machine.stack) == 2
        and machine.stack[0].forward
        and here.forward
        and here.owner is not None
        and (here.node is machine.forward_node or getattr(here.node, "name", "") == "forward")
    )


@executes(ast.Raise)
def run_raise(machine: Machine, node: ast.Raise) -> None:
    """`raise error`."""
    if node.exc is not None:
        machine.evaluate(node.exc)
    machine.leave_by_error()


@executes(ast.Assert)
def run_assert(machine: Machine, node: ast.Assert) -> None:
    """`assert test`: what follows knows that it holds."""
    since = len(machine.events)
    test = machine.evaluate(node.test)
    answer = decide(machine, test)
    tell_decided(machine, node.test, "assert", test, answer, node)
    if answer is False and machine.asked.checks:
        machine.leave_by_error()
    settle_asserted(machine, node.test, True, since)
    settle_most(machine, test, True)
    narrow_names(machine, node.test, True)


@executes(ast.Try)
def run_try(machine: Machine, node: ast.Try) -> None:
    """`try: … except: …`: each handler begins with what held before, or with what was raised."""
    if all(map(_succeeds, node.body)):
        for block in (node.body, node.orelse, node.finalbody):
            machine.execute(block)
        return
    before = machine.state.fork()
    machine.here.raised.append(None)
    after: State | None
    try:
        machine.execute(node.body)
        machine.execute(node.orelse)
        after = machine.state
    except LeftError:
        after = None
    raised = machine.here.raised.pop()
    reached = join_states(join_states(before, raised), None if after is None else after.fork())
    for handler in node.handlers:
        assert reached is not None
        after = join_states(after, _run_handler(machine, handler, reached.fork()))
    if after is None:
        machine.state = reached or machine.state
        machine.execute(node.finalbody)
        raise LeftError
    machine.state = after
    machine.execute(node.finalbody)


def _succeeds(statement: ast.stmt) -> bool:
    """Whether this imports what torch is known to have."""
    if isinstance(statement, ast.Import):
        return all(is_there(each.name) for each in statement.names)
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        return all(is_there(f"{statement.module}.{each.name}") for each in statement.names)
    return False


if hasattr(ast, "TryStar"):
    executes(ast.TryStar)(run_try)


def _run_handler(machine: Machine, handler: ast.ExceptHandler, state: State) -> State | None:
    machine.state = state
    with machine.doubting(), marking(machine, HandlerBegan, HandlerEnded, handler):
        try:
            if handler.name:
                bind_name(machine, handler.name, UNKNOWN)
            machine.execute(handler.body)
        except LeftError:
            return None
    return machine.state


@executes(ast.With, ast.AsyncWith)
def run_with(machine: Machine, node: ast.With | ast.AsyncWith) -> None:
    """`with manager as name: …`."""
    depth = len(machine.contexts)
    entered_now: list[tuple[ast.expr, Value]] = []
    for item in node.items:
        manager = machine.evaluate(item.context_expr)
        machine.contexts.append(getattr(manager, "path", ""))
        machine.mark(ContextEntered, item.context_expr, manager)
        entered_now.append((item.context_expr, manager))
        entered: Value = manager
        if isinstance(manager, Held) and manager.kind == "object":
            method = machine.read_attribute(item.context_expr, manager, "__enter__")
            entered = machine.call(item.context_expr, method, Given())
        if item.optional_vars is not None:
            assign_target(machine, item.optional_vars, entered)
    try:
        machine.execute(node.body)
    finally:
        del machine.contexts[depth:]
        for place, manager in reversed(entered_now):
            machine.mark(ContextLeft, place, manager)


@executes(ast.FunctionDef, ast.AsyncFunctionDef)
def run_function_definition(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """`def f(): …`."""
    value: Value = make_function(machine, node)
    for decorator in reversed(node.decorator_list):
        value = decorate_value(machine, decorator, value)
    if any(_compiles_kernel(machine, each) for each in node.decorator_list):
        value = UNKNOWN
    bind_name(machine, node.name, value)


_KERNELS = ("triton", "tilelang", "numba", "taichi", "warp", "pycuda", "cupy")
"""Packages whose decorators compile a function for themselves: it is no Python that runs."""


def _compiles_kernel(machine: Machine, decorator: ast.expr) -> bool:
    written = decorator.func if isinstance(decorator, ast.Call) else decorator
    named = machine.evaluate(written)
    return isinstance(named, External) and named.path.partition(".")[0] in _KERNELS


def decorate_value(machine: Machine, decorator: ast.expr, value: Value) -> Value:
    """What a decorator makes of a function or class; one that is not known leaves it as it is."""
    result = _call_decorator(machine, decorator, Given((value,)))
    return value if result == UNKNOWN or not _is_callable(result) else result


def _call_decorator(machine: Machine, node: ast.expr, given: Given) -> Value:
    """The same; nothing is known where it takes long, such as one that writes documentation."""
    costly = machine.top.costly
    written = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    if written in costly:
        return UNKNOWN
    most, before = machine.most_steps, machine.state
    machine.most_steps = min(most, machine.steps + machine.budget.decorator_steps)
    machine.state = before.fork()
    try:
        return machine.call(node, machine.evaluate(node), given)
    except (LeftError, SpentError):
        if machine.steps > most:
            raise
        costly.add(written)
        machine.state = before
        return UNKNOWN
    finally:
        machine.most_steps = most


def _is_callable(value: Value) -> bool:
    return type(value).__name__ in ("Function", "Bound", "Class", "Held")


@executes(ast.ClassDef)
def run_class_definition(machine: Machine, node: ast.ClassDef) -> None:
    """`class C(Base): …`."""
    value: Value = make_class(machine, node)
    bind_name(machine, node.name, value)


@executes(ast.Delete)
def run_delete(machine: Machine, node: ast.Delete) -> None:
    """`del name`."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            machine.state.write(machine.here.frame.address).pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            held, key = machine.evaluate(target.value), machine.evaluate(target.slice)
            if isinstance(held, Held) and held.kind == "dict" and isinstance(key, Constant):
                machine.state.write(held.address).pop(key.value, None)
            elif isinstance(held, Held) and ITEMS in machine.state.read(held.address):
                _delete_item(machine, held, key)


def _delete_item(machine: Machine, held: Held, key: Value) -> None:
    """`del items[i]`, of a row of layers too; which one is unknown: so is what is left."""
    items = machine.state.read(held.address).get(ITEMS)
    at = key.value if isinstance(key, Constant) and isinstance(key.value, int) else None
    if items and at is not None and -len(items) <= at < len(items):
        at %= len(items)
        machine.state.write(held.address)[ITEMS] = (*items[:at], *items[at + 1 :])
    else:
        machine.spoil(held)


@executes(ast.Global, ast.Nonlocal)
def run_declaration(machine: Machine, node: ast.Global | ast.Nonlocal) -> None:
    """`global a`: later assignments of it go there."""
    frame = machine.here.frame
    declared = Frame(frame.address, frame.outer, frame.file, frame.declared | set(node.names))
    machine.here.frame = declared


@executes(ast.Match)
def run_match(machine: Machine, node: ast.Match) -> None:
    """`match subject: …`: the first case that surely fits, and those before it that may."""
    subject = machine.evaluate(node.subject)
    paths: list[Callable[[], Value]] = []
    for case in node.cases:
        answer = _fits_pattern(machine, case.pattern, subject)
        if answer is False:
            continue
        leaves = answer is None and is_foreign_case(node, case)
        paths.append(_follow_case(machine, case, subject, leaves))
        if answer is True and case.guard is None:
            break
    else:
        paths.append(lambda: NONE)
    if len(paths) == 1:
        paths[0]()
    else:
        machine.try_paths(paths)


def _follow_case(
    machine: Machine, case: ast.match_case, subject: Value, leaves: bool
) -> Callable[[], Value]:
    def follow() -> Value:
        _bind_pattern(machine, case.pattern, subject)
        if case.guard is not None:
            guard = machine.evaluate(case.guard)
            machine.tell(Decided, case.guard, "if", guard, decide(machine, guard))
        follow_apart(machine, leaves, lambda: machine.execute(case.body))
        return NONE

    return follow


def _bind_pattern(machine: Machine, pattern: ast.pattern, subject: Value) -> None:
    """Give the names of a pattern what they stand for."""
    if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name:
        bind_name(machine, pattern.name, subject)
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        _bind_pattern(machine, pattern.pattern, subject)
        return
    inner = [each for each in ast.iter_child_nodes(pattern) if isinstance(each, ast.pattern)]
    items = _items_of_pattern(machine, pattern, subject)
    for index, each in enumerate(inner):
        _bind_pattern(machine, each, UNKNOWN if items is None else items[index])
    if isinstance(pattern, ast.MatchMapping) and pattern.rest:
        bind_name(machine, pattern.rest, UNKNOWN)


def _items_of_pattern(
    machine: Machine, pattern: ast.pattern, subject: Value
) -> tuple[Value, ...] | None:
    """What each part of a pattern of items stands for; None where that is not known."""
    if not isinstance(pattern, ast.MatchSequence) or not _is_sequence(subject):
        return None
    items = known_items(machine, subject)
    starred = any(isinstance(each, ast.MatchStar) for each in pattern.patterns)
    return None if items is None or starred or len(items) != len(pattern.patterns) else items


def _is_sequence(value: Value) -> bool:
    return isinstance(value, (Items, Held)) and value.kind in ("tuple", "list", "Size", "range")


def _fits_pattern(machine: Machine, pattern: ast.pattern, subject: Value) -> bool | None:
    if isinstance(pattern, ast.MatchAs):
        return True if pattern.pattern is None else _fits_pattern(machine, pattern.pattern, subject)
    if isinstance(pattern, ast.MatchValue):
        return decide(
            machine, compare_values(machine, ast.Eq, subject, machine.evaluate(pattern.value))
        )
    if isinstance(pattern, ast.MatchSingleton):
        return decide(machine, compare_values(machine, ast.Is, subject, Constant(pattern.value)))
    if isinstance(pattern, ast.MatchOr):
        answers = [_fits_pattern(machine, each, subject) for each in pattern.patterns]
        return True if True in answers else None if None in answers else False
    if isinstance(pattern, ast.MatchSequence) and _is_sequence(subject):
        return _fits_items(machine, pattern, subject)
    return None


def _fits_items(machine: Machine, pattern: ast.MatchSequence, subject: Value) -> bool | None:
    items, parts = known_items(machine, subject), pattern.patterns
    if items is None or any(isinstance(each, ast.MatchStar) for each in parts):
        return None
    if len(items) != len(parts):
        return False
    answers = [_fits_pattern(machine, p, each) for p, each in zip(parts, items, strict=True)]
    return False if False in answers else None if None in answers else True
