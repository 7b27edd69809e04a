"""Looks for texts that a fix damages: each rule's examples in other words and other layouts.

    python benchmarks/fuzz_fixes.py                           # examples × twists, examples × rewrites
    python benchmarks/fuzz_fixes.py --pairs 2000 --seed 3     # and as many of rewrites × twists
    python benchmarks/fuzz_fixes.py --match LT115 --twist semicolons --show

The rewrites are those of `variants.py`. A twist changes how a text is laid out (line ends, tabs,
comments, brackets, backslashes), or what stands around its statements. Every text is fixed with all
rules on, with safe fixes alone and with unsafe ones. After it, it has to compile, keep its comments,
marks and line ends, be left alone by a second run, use no name before or without its import, and
bind none twice. Fixes of a text that is only laid out otherwise have to give the same program, and a
rule may not mend its own `good`. The exit code is 1 where anything failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from rewriting.all_rewrites import NEED_SIGNATURES, REWRITES  # noqa: E402
from rewriting.asking import read_profile  # noqa: E402
from rewriting.pairs import make_programs  # noqa: E402
from twisting.all_twists import LAYOUTS, TWISTS  # noqa: E402
from twisting.judging import differs, fixes_good, list_damage  # noqa: E402
from twisting.mending import EVERY, SAFE, Mended, mend  # noqa: E402

from lintorch.catalog import build_catalog  # noqa: E402
from lintorch.core.finding import Applicability  # noqa: E402

MODES = {"safe": SAFE, "unsafe": EVERY}
BROKEN = (SyntaxError, tokenize.TokenError, ValueError)
"""What a twist may make of a text that it does not fit: such a text is not judged."""


@dataclass(frozen=True)
class Case:
    """A rule's examples after a rewrite and a twist; "" is none."""

    code: str
    rewrite: str = ""
    twist: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.code, self.rewrite, self.twist)))


@dataclass
class Judged:
    """What a case came to."""

    case: Case
    texts: int = 0
    fixed: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Run the cases that are asked for, and print what failed and a row for each twist and rewrite."""
    asked = _read_options()
    cases = list(list_cases(asked))
    if asked.show:
        return _show(cases)
    with get_context("fork").Pool(asked.jobs) as pool:
        judged = []
        for done, each in enumerate(pool.imap_unordered(judge_case, cases, chunksize=8), 1):
            judged.append(each)
            for wrong in each.wrong:
                print(f"{each.case} {wrong}", flush=True)
            if done % 500 == 0:
                print(f"{done} of {len(cases)} cases", file=sys.stderr, flush=True)
    _print_table(judged)
    sys.exit(any(each.wrong for each in judged))


def list_cases(asked: argparse.Namespace) -> Iterator[Case]:
    """All examples under each twist and each rewrite, and some under both."""
    rewrites = [name for name in REWRITES if name not in NEED_SIGNATURES]
    rewrites = [name for name in rewrites if not asked.rewrite or name in asked.rewrite]
    twists = [name for name in TWISTS if not asked.twist or name in asked.twist]
    codes = [
        rule.code
        for rule in build_catalog().rules.values()
        if rule.bad and asked.match in f"{rule.code} {rule.name}"
        if asked.every or _mend_kept(make_text(Case(rule.code), "bad")[0], EVERY, rule.code).codes
    ]
    yield from (Case(code, "", twist) for code in codes for twist in ("", *twists))
    if asked.rewrite or not asked.twist:
        yield from (Case(code, rewrite) for code in codes for rewrite in rewrites)
    every = [Case(c, rewrite, twist) for c in codes for rewrite in rewrites for twist in twists]
    chance = random.Random(asked.seed)
    yield from chance.sample(every, min(asked.pairs, len(every)))


def judge_case(case: Case) -> Judged:
    """Fix both examples in both modes, and look at what came of it."""
    judged = Judged(case)
    for which in ("bad", "good"):
        try:
            plain, data = make_text(case, which)
        except BROKEN:
            continue
        if case.twist and data == plain:
            continue
        judged.texts += 1
        for mode, allowed in MODES.items():
            try:
                found, mended = _judge_text(case, plain, data, which, allowed)
            except SyntaxError:  # the twist does not fit
                continue
            judged.fixed += mended.after != mended.before
            judged.wrong += [f"{which}, {mode}: {each}" for each in found]
    return judged


def make_text(case: Case, which: str) -> tuple[bytes, bytes]:
    """An example after the rewrite, and after the twist too. Raises one of BROKEN."""
    rule = build_catalog().rules[case.code]
    program = make_programs(rule)[which == "good"]
    text = (REWRITES[case.rewrite](program) if case.rewrite else program).text
    if "torch" not in text:
        text += "# torch\n"
    twisted = TWISTS[case.twist](text) if case.twist else text
    data = twisted if isinstance(twisted, bytes) else twisted.encode()
    compile(data, case.code, "exec", dont_inherit=True)
    return text.encode(), data


def _judge_text(
    case: Case, plain: bytes, data: bytes, which: str, allowed: frozenset[Applicability]
) -> tuple[list[str], Mended]:
    profile = read_profile(build_catalog().rules[case.code].example_profile)
    mended = mend(data, allowed, profile)
    found = list(list_damage(mended, allowed, profile))
    if case.twist:
        before = _mend_kept(plain, allowed, case.code)
        if case.twist in LAYOUTS:
            found.append(differs(mended, before))
        if which == "good":
            found.append(fixes_good(case.code, mended, before))
    return [each for each in found if each], mended


@lru_cache(maxsize=64)
def _mend_kept(data: bytes, allowed: frozenset[Applicability], code: str) -> Mended:
    return mend(data, allowed, read_profile(build_catalog().rules[code].example_profile))


def _print_table(judged: list[Judged]) -> None:
    texts, fixed, wrong = Counter[str](), Counter[str](), Counter[str]()
    for each in judged:
        for name in {each.case.rewrite or "as it is", each.case.twist or "as it is"} - {
            "as it is"
        } or {"as it is"}:
            texts[name] += each.texts
            fixed[name] += each.fixed
            wrong[name] += bool(each.wrong)
    print("\n| twist or rewrite | texts | changed by fixes | failed |\n|---|---|---|---|")
    for name in texts:
        print(f"| {name} | {texts[name]} | {fixed[name]} | {wrong[name]} |")
    rules = Counter(each.case.code for each in judged if each.wrong)
    print(f"\n{sum(texts.values())} texts; failed by rule: {dict(rules) or 'none'}")


def _show(cases: list[Case]) -> None:
    for case in cases:
        for which in ("bad", "good"):
            try:
                _, data = make_text(case, which)
                _show_text(f"{case} {which}", data, case.code)
            except BROKEN as error:
                print(f"# {case} {which}: {error}")


def _show_text(title: str, data: bytes, code: str) -> None:
    print(f"# {title}\n{data.decode('utf-8', 'replace')}")
    kept: Mapping[str, Mended] = {m: _mend_kept(data, a, code) for m, a in MODES.items()}
    for mode, mended in kept.items():
        if mended.after != data:
            print(f"# {title}, {mode} fixes of {dict(mended.codes)}\n{mended.text}")


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--match", default="", help="Only rules with this in code or name.")
    parser.add_argument("--twist", action="append", choices=[*TWISTS], help="Only this one.")
    parser.add_argument("--rewrite", action="append", choices=[*REWRITES], help="Only this one.")
    parser.add_argument(
        "--every", action="store_true", help="Also rules that mend nothing of theirs."
    )
    parser.add_argument("--pairs", type=int, default=0, help="How many of rewrites × twists.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="Print the texts, and judge nothing.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
