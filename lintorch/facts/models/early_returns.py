"""Returns of what needs no pad, above a pad to the next multiple: that pads by nothing, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lintorch.facts.models.idle_branches import PAD, find_pads
from lintorch.facts.models.remainder_pads import RemainderAsked, find_given, read_remainder


@dataclass(frozen=True)
class EarlyReturn:
    """What is left out, and what is written instead of the widths of the pad."""

    left_out: tuple[ast.stmt, ...]
    spelled: tuple[tuple[ast.expr, str], ...]


def find_early_return(branch: ast.If, function: ast.AST) -> EarlyReturn | None:
    """`if n % k == 0: return x`, above `r = math.ceil(n / k) * k - n` and `return F.pad(x, (0, r))`.

    The same with other truths beside, as `return False, x` and `return True, F.pad(x, (0, r))`.
    None where the pad may be something at sizes that the test asks for.
    """
    asked = read_remainder(branch.test, function)
    rest = _list_rest(branch, function)
    if asked is None or not asked.negated or not rest:
        return None
    match branch.body, rest[-1]:
        case [ast.Return(value=ast.expr() as early)], ast.Return(value=ast.expr() as late):
            pads = list(_list_pads(early, _put_in(late, rest)))
        case _:
            return None
    given = find_given(function)
    spelled = [each for pad in pads for each in _spell_width(pad, asked, given)]
    if not pads or not spelled or any(text is None for _, text in spelled):
        return None
    wanted = tuple((node, text) for node, text in spelled if text)
    return EarlyReturn((branch, *_list_idle(branch, function, wanted)), wanted)


def _list_rest(branch: ast.If, function: ast.AST) -> Sequence[ast.stmt]:
    """The lines below a branch of the function itself, which run one after the other."""
    body = getattr(function, "body", [])
    rest = body[body.index(branch) + 1 :] if branch in body and not branch.orelse else []
    return rest if all(isinstance(each, (ast.Assign, ast.Return)) for each in rest) else []


def _put_in(value: ast.expr, rest: Sequence[ast.stmt]) -> ast.expr:
    """`F.pad(x, ...)` for the `x` that a line above gives it."""
    match value, rest[-2:-1]:
        case ast.Name(id=name), [ast.Assign(targets=[ast.Name(id=target)], value=given)]:
            return given if name == target else value
    return value


def _list_pads(early: ast.expr, late: ast.expr) -> Iterator[ast.expr]:
    """The widths other than 0 by which the one is padded that the other is; nothing of other pairs."""
    match early, late:
        case ast.Tuple(elts=some), ast.Tuple(elts=others) if len(some) == len(others):
            pairs = [p for p in zip(some, others, strict=True) if not _are_alike(*p)]
            yield from _list_pads(*pairs[0]) if len(pairs) == 1 else ()
        case ast.expr(), ast.Call(func=func, args=[given, *_]) if PAD.search(ast.unparse(func)):
            pads = find_pads(late) if isinstance(late, ast.Call) else None
            same = ast.unparse(given) == ast.unparse(early)
            yield from (e for e in pads or () if same and ast.unparse(e) != "0")


def _are_alike(one: ast.expr, other: ast.expr) -> bool:
    truths = all(isinstance(e, ast.Constant) and isinstance(e.value, bool) for e in (one, other))
    return truths or ast.unparse(one) == ast.unparse(other)


def _spell_width(
    pad: ast.expr, asked: RemainderAsked, given: Mapping[str, ast.expr]
) -> Iterator[tuple[ast.expr, str | None]]:
    """Each expression of a width, with what to write for it: "" for itself, None where nothing is known."""
    if isinstance(pad, ast.Starred):
        value = given.get(ast.unparse(pad.value), pad.value)
        yield pad, "" if _is_zeros(value) else None
        return
    value = given.get(pad.id, pad) if isinstance(pad, ast.Name) else pad
    yield value, asked.text if asked.is_rest_up(value, given) else None


def _is_zeros(value: ast.expr) -> bool:
    """`(0,) * n`, `[0, 0] * (n - 1)`."""
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        value = value.left
    return isinstance(value, (ast.Tuple, ast.List)) and all(
        isinstance(each, ast.Constant) and each.value == 0 for each in value.elts
    )


def _list_idle(
    branch: ast.If, function: ast.AST, spelled: Sequence[tuple[ast.expr, str]]
) -> Iterator[ast.stmt]:
    """The lines that give names which nothing else asks for."""
    away = {id(n) for top in (branch.test, *(e for e, _ in spelled)) for n in ast.walk(top)}
    read = [
        n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]
    gone = {n.id for n in read if id(n) in away} - {n.id for n in read if id(n) not in away}
    kept = {name for _, text in spelled for name in gone if name in _list_names(text)}
    for line in getattr(function, "body", []):
        match line:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in gone - kept:
                yield line


def _list_names(text: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
