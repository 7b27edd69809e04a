"""What expressions are worth: constants, operators, conditions, displays, comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from lintorch.evaluator.arithmetic import combine_each, negate_value, spread
from lintorch.evaluator.assign import assign_target
from lintorch.evaluator.events import Combined, Compared, Decided
from lintorch.evaluator.exporter_questions import keep_exporters, note_part, tell_decided
from lintorch.evaluator.exporters import EVERYONE
from lintorch.evaluator.items import drop_repeats, item_of
from lintorch.evaluator.iterate import run_passes
from lintorch.evaluator.join import ITEMS, make_choice
from lintorch.evaluator.learn import teach_kind
from lintorch.evaluator.machine import Activation, Machine, evaluates
from lintorch.evaluator.mark_order import mark_test
from lintorch.evaluator.narrow import narrow_names
from lintorch.evaluator.torch_calls import call_torch, freeze_list
from lintorch.evaluator.truth import (
    OPERATORS,
    compare_values,
    decide,
    is_none,
    is_text,
    known_items,
    truth_value,
)
from lintorch.evaluator.values import (
    OPEN_NUMBER,
    UNKNOWN,
    Bound,
    ByExporter,
    Choice,
    Constant,
    External,
    Frame,
    Function,
    Held,
    Items,
    Number,
    Slice,
    Tensor,
    Unknown,
    Value,
    make_number,
)

_COMPARISONS = {
    "==": "torch.eq", "!=": "torch.ne", "<": "torch.lt", "<=": "torch.le", ">": "torch.gt",
    ">=": "torch.ge",
}  # fmt: skip


_IDENTITY: dict[type[ast.cmpop], str] = {ast.Is: "is", ast.IsNot: "is not"}


@evaluates(ast.Constant)
def read_constant(machine: Machine, node: ast.Constant) -> Value:
    """A literal."""
    return Constant(node.value)


@evaluates(ast.BinOp)
def evaluate_operation(machine: Machine, node: ast.BinOp) -> Value:
    """`left + right`."""
    left, right = machine.evaluate(node.left), machine.evaluate(node.right)
    kind = type(node.op).__name__
    result = combine_each(machine, node, kind, left, right)
    if type(result) is Unknown:
        result = Unknown(result.path)  # one of its own, so that what gave it can be told
    if kind == "Mult":  # `[x] * n`
        left, right = freeze_list(machine, left), freeze_list(machine, right)
    machine.tell(Combined, node, kind, left, right, False, result)
    return result


@evaluates(ast.UnaryOp)
def evaluate_sign(machine: Machine, node: ast.UnaryOp) -> Value:
    """`-x`, `not x`, `~x`."""
    value = machine.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        note_part(machine, node.operand, value)
        answer = decide(machine, value)
        machine.tell(Decided, node, "not", value, answer)
        if type(value) is ByExporter:
            return ByExporter(EVERYONE - value.told)
        return truth_value(None if answer is None else not answer, value)
    if isinstance(node.op, ast.USub):
        if isinstance(value, Tensor):
            result = negate_value(machine, node, value)
            machine.tell(Combined, node, "Mult", value, Constant(-1), False, result)
            return result
        if type(value) is Unknown and machine.marks:
            result = Unknown(value.path)
            machine.tell(Combined, node, "Mult", value, Constant(-1), False, result)
            return result
        return make_choice(spread(lambda each: negate_value(machine, node, each), value))
    if isinstance(node.op, ast.Invert) and isinstance(value, Tensor):
        result = call_torch(machine, node, "torch.bitwise_not", (value,), {})
        if isinstance(result, Tensor) and result.dtype is None:
            result = replace(result, dtype="bool")  # nobody turns the bits of numbers in a model
            if value.origin == "input":
                teach_kind(machine, value.name, "bool")
        machine.tell(Combined, node, "BitXor", value, Constant(-1), False, result)
        return result
    return value if isinstance(node.op, ast.UAdd) else UNKNOWN


@evaluates(ast.Compare)
def evaluate_comparison(machine: Machine, node: ast.Compare) -> Value:
    """`a < b < c`."""
    left = machine.evaluate(node.left)
    results = []
    for sign, given in zip(node.ops, node.comparators, strict=True):
        right = machine.evaluate(given)
        results.append(_compare_pair(machine, node, type(sign), left, right))
        left = right
    if len(results) == 1:
        return results[0]
    answers = [decide(machine, each) for each in results]
    return truth_value(False if False in answers else None if None in answers else True, *results)


def _compare_pair(
    machine: Machine, node: ast.Compare, kind: type[ast.cmpop], left: Value, right: Value
) -> Value:
    if kind not in OPERATORS:
        result = compare_values(machine, kind, left, right)
        if kind in _IDENTITY and not (is_none(left) or is_none(right)):
            machine.tell(Compared, node, _IDENTITY[kind], left, right, result)
        return result
    result = _answer_pair(machine, node, kind, left, right)
    machine.tell(Compared, node, OPERATORS[kind][0], left, right, result)
    return result


def _answer_pair(
    machine: Machine, node: ast.Compare, kind: type[ast.cmpop], left: Value, right: Value
) -> Value:
    unequal = any(is_none(each) or is_text(each) for each in (left, right))
    if not unequal and (isinstance(left, Tensor) or isinstance(right, Tensor)):
        answer = call_torch(machine, node, _COMPARISONS[OPERATORS[kind][0]], (left, right), {})
        if isinstance(answer, Tensor) and answer.dtype is None:
            return replace(answer, dtype="bool")
        return answer
    if isinstance(left, Choice):
        return make_choice(spread(lambda v: compare_values(machine, kind, v, right), left))
    return compare_values(machine, kind, left, right)


@evaluates(ast.BoolOp)
def evaluate_junction(machine: Machine, node: ast.BoolOp) -> Value:
    """`a and b or c`: what is not reached is not evaluated."""
    return _evaluate_rest(machine, node, list(node.values))


def _evaluate_rest(machine: Machine, node: ast.BoolOp, left: list[ast.expr]) -> Value:
    value = machine.evaluate(left[0])
    note_part(machine, left[0], value)
    if len(left) == 1:
        return value
    wanted = isinstance(node.op, ast.And)
    answer = decide(machine, value)
    machine.tell(Decided, left[0], "and" if wanted else "or", value, answer)
    if answer is not None:
        return _evaluate_rest(machine, node, left[1:]) if answer is wanted else value

    rest: list[Value] = []

    def go_on() -> Value:
        narrow_names(machine, left[0], wanted)
        keep_exporters(machine, left[0], value, wanted)
        rest.append(_evaluate_rest(machine, node, left[1:]))
        return rest[0]

    mark_test(machine, left[0] if not wanted else ast.UnaryOp(ast.Not(), left[0]))
    joined = machine.try_paths([lambda: value, go_on])
    if rest == [Constant(not wanted)] and _is_boolean(value):
        return rest[0]  # whatever the first is
    if rest and type(value) is ByExporter:
        if rest == [Constant(wanted)]:
            return value
        if type(rest[0]) is ByExporter:
            told = value.told & rest[0].told if wanted else value.told | rest[0].told
            return ByExporter(told)
    return _join_truth(machine, value, joined)


def _join_truth(machine: Machine, value: Value, joined: Value) -> Value:
    """A choice of booleans stays one open boolean that remembers what was asked."""
    if isinstance(joined, Choice) and all(_is_boolean(each) for each in joined.alternatives):
        return truth_value(None, *joined.alternatives)
    return joined


def _is_boolean(value: Value) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, bool)
    return type(value) is ByExporter or (isinstance(value, Number) and value.truth)


@evaluates(ast.IfExp)
def evaluate_either(machine: Machine, node: ast.IfExp) -> Value:
    """`a if test else b`."""
    test = machine.evaluate(node.test)
    answer = decide(machine, test)
    tell_decided(machine, node.test, "if", test, answer, node)
    if answer is not None:
        return machine.evaluate(node.body if answer else node.orelse)

    def take(branch: ast.expr, truth: bool) -> Callable[[], Value]:
        def follow() -> Value:
            narrow_names(machine, node.test, truth)
            keep_exporters(machine, node.test, test, truth)
            return machine.evaluate(branch)

        return follow

    mark_test(machine, node.test)
    return machine.try_paths([take(node.body, True), take(node.orelse, False)])


def evaluate_items(machine: Machine, nodes: list[ast.expr]) -> tuple[Value, ...] | None:
    """The values of the items of a display, starred ones unpacked; None where one is not known."""
    return evaluate_display(machine, nodes).items


def evaluate_display(machine: Machine, nodes: list[ast.expr]) -> Items:
    """The same as a tuple, with what is known where the items of one starred part are not."""
    parts: list[list[Value]] = [[]]
    whole: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = machine.evaluate(node.value)
            items = known_items(machine, value)
            if items is None:
                whole.append(value)
                parts.append([])
            parts[-1].extend(items or ())
        else:
            parts[-1].append(machine.evaluate(node))
    if not whole:
        return Items("tuple", tuple(parts[0]))
    spread = (tuple(parts[0]), whole[0], tuple(parts[1])) if len(whole) == 1 else None
    return Items("tuple", None, spread=spread)


@evaluates(ast.Tuple)
def evaluate_tuple(machine: Machine, node: ast.Tuple) -> Value:
    """`(a, b)`."""
    return evaluate_display(machine, node.elts)


@evaluates(ast.List)
def evaluate_list(machine: Machine, node: ast.List) -> Value:
    """`[a, b]`."""
    return machine.hold_list(evaluate_items(machine, node.elts))


@evaluates(ast.Set)
def evaluate_set(machine: Machine, node: ast.Set) -> Value:
    """`{a, b}`."""
    items = evaluate_items(machine, node.elts)
    return Items("set", None if items is None else drop_repeats(items))


@evaluates(ast.Dict)
def evaluate_dict(machine: Machine, node: ast.Dict) -> Value:
    """`{key: value}`; keys that are not constants leave it open."""
    content: dict[object, Value] = {}
    is_open = False
    for key, given in zip(node.keys, node.values, strict=True):
        value = machine.evaluate(given)
        if key is None:
            known = isinstance(value, Held) and value.kind == "dict"
            inner = machine.state.read(value.address) if isinstance(value, Held) else {}
            is_open = is_open or not known or "open" in inner
            content.update({k: v for k, v in inner.items() if k != "open" and k is not ITEMS})
            continue
        name = machine.evaluate(key)
        if isinstance(name, Constant):
            content[name.value] = value
        else:
            is_open = True
    if is_open:
        content["open"] = UNKNOWN
    return machine.hold("dict", content)


@evaluates(ast.Slice)
def evaluate_slice(machine: Machine, node: ast.Slice) -> Value:
    """`a:b:c`."""
    none = Constant(None)
    start, stop, step = (
        none if each is None else machine.evaluate(each)
        for each in (node.lower, node.upper, node.step)
    )
    return Slice(start, stop, step, is_of_one(node))


def is_of_one(node: ast.Slice) -> bool:
    """`i : i + 1`, `i - 1 : i`."""
    if node.lower is None or node.upper is None or node.step is not None:
        return False
    lower, upper = ast.unparse(node.lower), ast.unparse(node.upper)
    return upper in (f"{lower} + 1", f"1 + {lower}") or lower == f"{upper} - 1"


@evaluates(ast.JoinedStr)
def evaluate_text(machine: Machine, node: ast.JoinedStr) -> Value:
    """`f"{a}"`."""
    words: list[str | None] = []
    result: Value = UNKNOWN
    for part in node.values:
        value = machine.evaluate(part.value if isinstance(part, ast.FormattedValue) else part)
        if type(value) is Unknown and value != UNKNOWN:
            joined = Unknown("?()")  # as of `"nn." + name`
            machine.tell(Combined, node, "Add", result, value, False, joined)
            result = joined
        plain = not isinstance(part, ast.FormattedValue) or part.format_spec is None
        if not isinstance(value, Constant) or not plain:
            words.append(None)
        else:
            words.append(str(value.value))
    known = [word for word in words if word is not None]
    return Constant("".join(known)) if len(known) == len(words) else result


@evaluates(ast.NamedExpr)
def evaluate_walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    """`(name := value)`."""
    value = machine.evaluate(node.value)
    assign_target(machine, node.target, value)
    return value


@evaluates(ast.Lambda)
def make_lambda(machine: Machine, node: ast.Lambda) -> Value:
    """`lambda x: …`."""
    return make_function(machine, node)


def make_function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
) -> Function:
    """The function of a definition, with its defaults as they are now."""
    given = node.args
    named = tuple(
        (argument.arg, machine.evaluate(default))
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is not None
    )
    here = machine.here
    local = here.frame if here.frame.outer is not None or here.node is not None else None
    owner = here.owner if here.node is None else None  # of a class body, which methods do not see
    defaults = tuple(machine.evaluate(default) for default in given.defaults)
    closure = local if owner is None else here.frame.outer
    return Function(node, here.file, closure, defaults, named, owner)


@evaluates(ast.Starred, ast.Await)
def evaluate_inner(machine: Machine, node: ast.Starred | ast.Await) -> Value:
    """`*x` on its own, `await x`."""
    return machine.evaluate(node.value)


@evaluates(ast.Yield)
def evaluate_yield(machine: Machine, node: ast.Yield) -> Value:
    """`yield x`: kept for who goes over the generator."""
    here = machine.here
    here.yielded_rounds = here.loops[-1].rounds if here.loops else None
    if here.yielded_rounds is None and here.doubt:
        here.yielded_rounds = OPEN_NUMBER  # nobody knows how often
    here.yielded.append(Constant(None) if node.value is None else machine.evaluate(node.value))
    return UNKNOWN


@evaluates(ast.YieldFrom)
def evaluate_yield_from(machine: Machine, node: ast.YieldFrom) -> Value:
    """`yield from x`."""
    value = machine.evaluate(node.value)
    items = known_items(machine, value)
    if items is None and isinstance(value, Items):
        machine.here.yielded_rounds = value.length
    elif items is None and isinstance(value, Tensor) and value.shape:
        rows = make_number(value.shape[0])
        machine.here.yielded_rounds = rows if isinstance(rows, Number) else None
    machine.here.yielded.extend((item_of(machine, value),) if items is None else items)
    return UNKNOWN


@evaluates(ast.ListComp, ast.GeneratorExp, ast.SetComp)
def evaluate_comprehension(
    machine: Machine, node: ast.ListComp | ast.GeneratorExp | ast.SetComp
) -> Value:
    """`[f(x) for x in y if z]`."""
    found: list[Value] = []
    known = _run_comprehension(machine, node, lambda: found.append(machine.evaluate(node.elt)))
    items = tuple(found) if known else None
    each = UNKNOWN if known or not found else make_choice(tuple(found))
    if isinstance(node, ast.ListComp):
        return machine.hold_list(items, each)
    if isinstance(node, ast.SetComp):
        return Items("set", None if items is None else drop_repeats(items), each)
    return Items("generator", items, each)


def grow_list(machine: Machine, node: ast.Call, callee: Value) -> bool:
    """`y.extend(f(y[-1]) for f in blocks)`: each item is in the list when the next one is worked out."""
    loop, func = (node.args[0] if len(node.args) == 1 else None), node.func
    if not isinstance(loop, ast.GeneratorExp) or not isinstance(func, ast.Attribute):
        return False
    extends = isinstance(callee, Bound) and callee.function == External("list.extend")
    held = callee.positional[0] if isinstance(callee, Bound) and extends else None
    name = ast.unparse(func.value)
    reads = any(isinstance(e, ast.Name) and e.id == name for e in ast.walk(loop.elt))
    if not isinstance(held, Held) or not reads:
        return False
    found: list[Value] = []

    def keep() -> None:
        found.append(machine.evaluate(loop.elt))
        content = machine.state.write(held.address)
        items = content.get(ITEMS)
        content[ITEMS] = None if items is None else (*items, found[-1])

    if not _run_comprehension(machine, loop, keep):
        content = machine.state.write(held.address)
        content[ITEMS], content["each"] = None, make_choice(tuple(found)) if found else UNKNOWN
    return True


@evaluates(ast.DictComp)
def evaluate_dict_comprehension(machine: Machine, node: ast.DictComp) -> Value:
    """`{k: v for …}`."""
    content: dict[object, Value] = {}
    opened: list[bool] = []

    def keep() -> None:
        key, value = machine.evaluate(node.key), machine.evaluate(node.value)
        if isinstance(key, Constant):
            content[key.value] = value
        else:
            opened.append(True)

    if not _run_comprehension(machine, node, keep) or opened:
        content["open"] = UNKNOWN
    return machine.hold("dict", content)


def _run_comprehension(
    machine: Machine,
    loop: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
    keep: Callable[[], None],
) -> bool:
    """Whether all items are known; its names are its own."""
    here = machine.here
    frame = Frame(next(machine.addresses), here.frame, here.file)
    inner = Activation(
        frame, "", here.file, None, here.node, here.owner, here.instance, here.forward
    )
    inner.yielded = here.yielded
    machine.enter(inner)
    try:
        return _run_generator(machine, loop, 0, keep)
    finally:
        machine.leave()


def _run_generator(
    machine: Machine,
    loop: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
    index: int,
    keep: Callable[[], None],
) -> bool:
    if index == len(loop.generators):
        keep()
        return True
    generator = loop.generators[index]
    sure: list[bool] = []

    def body() -> None:
        answers = list(_ask_conditions(machine, generator))
        if False in answers:
            return
        sure.append(None not in answers)
        sure.append(_run_generator(machine, loop, index + 1, keep))

    known = run_passes(machine, loop, generator, machine.evaluate(generator.iter), body)
    return known and all(sure)


def _ask_conditions(machine: Machine, generator: ast.comprehension) -> Iterator[bool | None]:
    for test in generator.ifs:
        value = machine.evaluate(test)
        answer = decide(machine, value)
        machine.tell(Decided, test, "if", value, answer)
        yield answer
        if answer is False:
            return
        narrow_names(machine, test, True)
