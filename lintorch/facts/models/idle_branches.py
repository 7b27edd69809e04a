"""Branches on sizes of which one side does for all: pads by none, resizes to the same size."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from lintorch.facts.models.flagged_pads import pads_by_none
from lintorch.facts.models.idle_cuts import find_cuts
from lintorch.facts.models.size_forms import is_pure, write_side
from lintorch.facts.models.widths import compute

PAD = re.compile(r"(^|\.)pad$")
RESIZE = re.compile(r"(^|\.)(interpolate|upsample|resize)$")
SIZES = re.compile(r"^(?P<of>.+)\.(shape|size\(\))(\[(2|-2):\])?$")
_MOST_TWICE = 40
"""Characters of a width that is written twice."""
NEVER_NEGATIVE = ("max", "relu")


def find_work(branch: ast.If, function: ast.AST) -> tuple[Sequence[ast.stmt], Mapping[str, str]]:
    """The statements that may stand in the place of a branch, and how parts of them are to be written.

    Nothing where they may change what is computed.
    """
    if cuts := find_cuts(branch):
        return cuts, {}
    if (pads := find_own_pads(branch.body[-1])) and pads_by_none(branch, pads, function):
        return branch.body, {}
    work = branch.body[0] if len(branch.body) == 1 and not branch.orelse else None
    match work:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
            written = ast.unparse(call.func)
            given = call.args[0] if call.args else None
            if not isinstance(given, ast.Name) or given.id != name:
                return (), {}
            if PAD.search(written):
                pads = find_pads(call)
                if pads is not None and is_nothing(pads, branch.test, function):
                    return branch.body, {}
                spelled = spell_remainders(pads or (), branch.test)
                spelled = spelled or spell_shortfall(pads or (), branch.test)
                return (branch.body, spelled) if spelled else ((), {})
            if RESIZE.search(written) and is_resize_to(call, branch.test):
                return branch.body, {}
            if asks_equal(branch.test) is False and is_resize_to_asked(call, branch.test):
                return branch.body, {}
    if keeps_table(branch):
        return branch.orelse, {}
    return find_general(branch), {}


def find_own_pads(line: ast.stmt) -> list[ast.expr] | None:
    """The widths of `x = F.pad(x, (0, right, 0, below))`."""
    match line:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Name(id=given), *_]) as call
        ):
            own = given == name and PAD.search(ast.unparse(call.func))
            return find_pads(call) if own else None
    return None


def find_pads(call: ast.Call) -> list[ast.expr] | None:
    """The widths that a pad is given; None of one with a mode, which may refuse to pad by none."""
    given = call.args[1] if len(call.args) > 1 else None
    named = {each.arg: each.value for each in call.keywords}
    mode = named.pop("mode", call.args[2] if len(call.args) > 2 else None)
    plain = mode is None or (isinstance(mode, ast.Constant) and mode.value == "constant")
    given = named.get("pad", given)
    return given.elts if plain and isinstance(given, (ast.List, ast.Tuple)) else None


def is_nothing(pads: Sequence[ast.expr], test: ast.expr, function: ast.AST) -> bool:
    """Whether all widths are 0 where a test fails: `if h > 0 or w > 0`, of numbers that are at least 0."""
    test = _spell_out(test, function)
    names = list(list_positive(test))
    if not names or not all(never_negative(name, test, function) for name in names):
        return False
    return all(compute(pad, names) == 0 for pad in pads)


def _spell_out(test: ast.expr, function: ast.AST) -> ast.expr:
    """What a name asks: `odd = h % 2 == 1 or w % 2 == 1`, and `if odd:`; of several, right above."""
    if not isinstance(test, ast.Name):
        return test
    given = list_assigned(test.id, function)
    if len(given) > 1:
        given = [each for each in given if (each.end_lineno or 0) + 1 == test.lineno]
    asks = len(given) == 1 and isinstance(given[0], (ast.BoolOp, ast.Compare))
    return given[0] if asks else test


def asks_remainder(branch: ast.If, function: ast.AST) -> bool:
    """Whether a branch asks by a name for what an expression above it says."""
    return _spell_out(branch.test, function) is not branch.test


def find_question(branch: ast.If, function: ast.AST) -> ast.Assign | None:
    """The line right above a branch that gives the name which it alone asks for; None of other tests."""
    name = branch.test.id if isinstance(branch.test, ast.Name) else ""
    given = {
        each.lineno: each
        for each in ast.walk(function)
        if isinstance(each, ast.Assign) and len(each.targets) == 1
        if isinstance(each.targets[0], ast.Name) and each.targets[0].id == name
        if each.lineno == each.end_lineno
    }
    named = [e for e in ast.walk(function) if isinstance(e, ast.Name) and e.id == name]
    read = [each for each in named if isinstance(each.ctx, ast.Load)]
    paired = len(named) == 2 * len(read) and all(each.lineno - 1 in given for each in read)
    return given.get(branch.lineno - 1) if paired else None


def list_assigned(name: str, function: ast.AST) -> list[ast.expr]:
    """What is assigned to a name by itself."""
    return [
        each.value
        for each in ast.walk(function)
        if isinstance(each, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == name for t in each.targets)
    ]


def list_positive(test: ast.expr) -> Iterator[str]:
    """The names, and remainders, of which a test asks whether any is not 0; nothing of another test."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            found = [list(list_positive(each)) for each in values]
            yield from (name for names in found for name in names) if all(found) else ()
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Gt() | ast.NotEq()], comparators=[zero]):
            if isinstance(zero, ast.Constant) and zero.value == 0:
                yield name
        case ast.Compare(left=ast.BinOp(op=ast.Mod()) as rest, ops=[op], comparators=[asked]):
            number = asked.value if isinstance(asked, ast.Constant) else None
            odd = isinstance(op, ast.Eq) and number == 1 and ast.unparse(rest.right) == "2"
            if odd or (isinstance(op, (ast.Gt, ast.NotEq)) and number == 0):
                yield ast.unparse(rest)
        case ast.Name(id=name):
            yield name


def never_negative(name: str, test: ast.expr, function: ast.AST) -> bool:
    """Whether a number is assigned once, as a remainder or by max(); or is asked whether it is 0."""
    asked = [each for each in ast.walk(test) if isinstance(each, ast.Compare)]
    above = any(
        isinstance(each.left, ast.Name) and each.left.id == name and isinstance(each.ops[0], ast.Gt)
        for each in asked
    )
    given = list_assigned(name, function)
    if not above or len(given) != 1:
        return not above
    match given[0]:
        case ast.BinOp(op=ast.Mod()):
            return True
        case ast.Call(func=ast.Name(id="max"), args=args):
            return any(isinstance(each, ast.Constant) and each.value == 0 for each in args)
    return False


def spell_remainders(pads: Sequence[ast.expr], test: ast.expr) -> dict[str, str]:
    """`-h % 8` for `8 - h % 8`, where the test asks for `h % 8` alone."""
    asked = test.left if isinstance(test, ast.Compare) and is_asked_for_zero(test) else test
    if not (isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Mod)):
        return {}
    size, by = ast.unparse(asked.left), ast.unparse(asked.right)
    plain = isinstance(asked.left, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    written, once = f"{by} - {size} % {by}", f"-{size} % {by}"
    others = [each for each in map(ast.unparse, pads) if each not in ("0", written)]
    return {written: once} if plain and not others else {}


def spell_shortfall(pads: Sequence[ast.expr], test: ast.expr) -> dict[str, str]:
    """What is `max(20 - h, 0)` for `20 - h`, where the test asks whether `h < 20`: none for others."""
    lacks = find_shortfall(test)
    if lacks is None or not is_pure(test):
        return {}
    written = ast.unparse(lacks)
    once = write_side(f"({written})" if isinstance(lacks, ast.BinOp) else written, "", larger=True)
    others = [each for each in map(ast.unparse, pads) if each not in ("0", written)]
    return {written: once} if pads and not others and len(written) <= _MOST_TWICE else {}


def find_shortfall(test: ast.expr) -> ast.expr | None:
    """`20 - h` of `h < 20`, and of `20 - h > 0`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Gt()], comparators=[ast.Constant(value=0)]):
            return left if isinstance(left, (ast.Name, ast.BinOp)) else None
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            less, more = left, right
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            less, more = right, left
        case _:
            return None
    simple = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
    both = isinstance(less, simple) and isinstance(more, simple)
    return ast.BinOp(more, ast.Sub(), less) if both else None


def is_asked_for_zero(test: ast.Compare) -> bool:
    """`h % 8 != 0`, `h % 8 > 0`."""
    zero = test.comparators[0]
    unlike = isinstance(test.ops[0], (ast.NotEq, ast.Gt)) and len(test.ops) == 1
    return unlike and isinstance(zero, ast.Constant) and zero.value == 0


def is_resize_to(call: ast.Call, test: ast.expr) -> bool:
    """Whether `x` is resized to the size of `y` where that differs: `if x.shape[2:] != y.shape[2:]`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.NotEq):
        return False
    named = {each.arg: each.value for each in call.keywords}
    size = named.get("size", call.args[1] if len(call.args) > 1 else None)
    sides = [SIZES.match(ast.unparse(each)) for each in (test.left, *test.comparators)]
    target = SIZES.match(ast.unparse(size)) if size is not None else None
    if target is None or len(sides) != 2 or "scale_factor" in named or not target[3]:
        return False
    own = ast.unparse(call.args[0])
    return {each["of"] for each in sides if each} == {own, target["of"]}


def is_resize_to_asked(call: ast.Call, test: ast.expr) -> bool:
    """Whether something is resized to the very sizes that it is asked to differ from.

    `if h != n: x = interpolate(x, size=(n, n))`, `if x.shape[-2:] != (n, m): x = interpolate(x, (n, m))`.
    """
    named = {each.arg: each.value for each in call.keywords}
    size = named.get("size", call.args[1] if len(call.args) > 1 else None)
    if asks_equal(test) is None or size is None or "scale_factor" in named:
        return False
    asked = {ast.unparse(part) for side in list_sides(test) for part in (side, *list_parts(side))}
    wanted = {ast.unparse(each) for each in (list_parts(size) or [size])}
    return bool(RESIZE.search(ast.unparse(call.func))) and wanted <= asked


def list_sides(test: ast.expr) -> Iterator[ast.expr]:
    """What the comparisons of a test compare."""
    for each in test.values if isinstance(test, ast.BoolOp) else [test]:
        if isinstance(each, ast.Compare):
            yield from (each.left, *each.comparators)


def list_parts(size: ast.expr) -> list[ast.expr]:
    """Height and width of a tuple of sizes; nothing of one number."""
    return size.elts if isinstance(size, (ast.Tuple, ast.List)) else []


def find_resize(choice: ast.IfExp) -> str:
    """The side that resizes what the other keeps, where that has the size already; "" where there is none."""
    sides = {"body": choice.body, "orelse": choice.orelse}
    equal = asks_equal(choice.test)
    resized = sides.pop("orelse" if equal else "body")
    (kept,) = sides.values()
    if equal is None or not isinstance(resized, ast.Call) or not resized.args:
        return ""
    same = ast.unparse(resized.args[0]) == ast.unparse(kept)
    to_asked = is_resize_to_asked(resized, choice.test)
    return ("orelse" if equal else "body") if same and to_asked else ""


def keeps_table(branch: ast.If) -> bool:
    """`if h * w == n: return table` with `else: return interpolate(table ...)`: the same at its own size."""
    match branch.body, branch.orelse:
        case [ast.Return(value=ast.Name(id=kept))], [ast.Return(value=ast.expr() as value)]:
            equal = isinstance(branch.test, ast.Compare) and isinstance(branch.test.ops[0], ast.Eq)
            return equal and resizes(value, kept)
    return False


def resizes(value: ast.expr, kept: str) -> bool:
    """Whether a value is a table, reshaped and resized to a size."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        named = {each.arg for each in value.keywords}
        if RESIZE.search(ast.unparse(value.func)):
            inside = {each.id for each in ast.walk(value.args[0]) if isinstance(each, ast.Name)}
            return kept in inside and ("size" in named or len(value.args) > 1)
        value = value.func.value
    return False


def find_general(branch: ast.If) -> Sequence[ast.stmt]:
    """The side for every size, where the other spares work at one: nothing where that is not to be seen.

    `y = self.attend(x, self.make_mask(size))` of `if size == self.size: y = self.attend(x, self.mask)`.
    """
    equal = asks_equal(branch.test)
    if equal is None:
        return ()
    special, general = (branch.body, branch.orelse) if equal else (branch.orelse, branch.body)
    if not special or not general:
        return ()
    fewer, more = list_own_calls(special), list_own_calls(general)
    does_more = bool(fewer) and set(fewer) <= set(more) and len(list_calls(general)) > len(list_calls(special))  # fmt: skip
    given, also = list_given(special), list_given(general)
    return general if does_more and given and given <= also else ()


def asks_equal(test: ast.expr) -> bool | None:
    """Whether a test asks if sizes are all the same, rather than if any differs; None of others."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    operators = {type(p.ops[0]) if isinstance(p, ast.Compare) and len(p.ops) == 1 else None for p in parts}  # fmt: skip
    joined = type(test.op) if isinstance(test, ast.BoolOp) else None
    if operators == {ast.Eq} and joined in (None, ast.And):
        return True
    return False if operators == {ast.NotEq} and joined in (None, ast.Or) else None


def list_calls(side: Sequence[ast.stmt]) -> list[ast.Call]:
    return [each for line in side for each in ast.walk(line) if isinstance(each, ast.Call)]


def list_own_calls(side: Sequence[ast.stmt]) -> list[str]:
    """The layers and methods of a model that are called: `self.attend`."""
    called = (ast.unparse(each.func) for each in list_calls(side))
    return [each for each in called if each.startswith("self.")]


def list_given(side: Sequence[ast.stmt]) -> frozenset[str]:
    """The names that are assigned, "return" where something is returned."""
    nodes = [each for line in side for each in ast.walk(line)]
    names = (n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    back = {"return"} if any(isinstance(n, ast.Return) for n in nodes) else set[str]()
    return frozenset({*names, *back})
