"""What is wrong with what fixing made of a text."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from fuzzing.fixed import list_harms

from lintorch.core.finding import Applicability
from lintorch.core.profile import Profile
from twisting.bindings import count_bindings, list_late, list_unbound
from twisting.mending import Mended, mend


def list_damage(
    mended: Mended, allowed: frozenset[Applicability], profile: Profile
) -> Iterator[str]:
    """What fixing may never do to a text, whatever it fixes."""
    for code in mended.unsettled:
        yield f"the fixes of {code} do not settle, or break the text"
    if mended.after == mended.before:
        return
    yield from list_harms(mended.before, mended.after)
    try:
        after = mended.text
        before = mended.before.decode("utf-8-sig", errors="replace")
        ast.parse(after), ast.parse(before)
    except SyntaxError:
        return
    again = mend(mended.after, allowed, profile)
    if again.after != mended.after:
        yield f"a second run changes it again ({' '.join(again.codes) or 'imports'})"
    if lacking := list_unbound(after) - list_unbound(before):
        yield f"uses {' '.join(sorted(lacking))} without having it"
    if late := list_late(after) - list_late(before):
        yield f"uses {' '.join(sorted(late))} before its import"
    was, now = count_bindings(before), count_bindings(after)
    if twice := [name for (where, name) in now if now[where, name] > max(was[where, name], 1)]:
        yield f"binds {' '.join(sorted(twice))} twice"


def differs(twisted: Mended, plain: Mended) -> str:
    """How a fixed text differs from the other layout of it, where the same fixes went into both."""
    if twisted.codes == plain.codes and ast.dump(ast.parse(twisted.text)) != ast.dump(
        ast.parse(plain.text)
    ):
        return "the same fixes make another program of it"
    more = twisted.codes - plain.codes
    return f"fixes what is left alone otherwise ({_name(more)})" if more else ""


def fixes_good(code: str, twisted: Mended, plain: Mended) -> str:
    """Whether a rule mends its good example in another layout."""
    return f"{code} mends the good one" if twisted.codes[code] > plain.codes[code] else ""


def _name(codes: Counter[str]) -> str:
    return " ".join(sorted(codes))
