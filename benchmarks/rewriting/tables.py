"""Prints what judged pairs come to: shares by theme and family, by rewrite, and each miss by its name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rewriting.all_rewrites import FAMILIES, REWRITES
from rewriting.pairs import Judged, Standing


def print_report(judged: Sequence[Judged], broken: bool = False) -> None:
    """Tables of proven pairs, those of rules without a proof, and lists."""
    proven = [each for each in judged if each.standing is Standing.PROVEN]
    unproven = [each for each in judged if each.standing is Standing.UNPROVEN]
    print(f"{len(judged)} pairs, {len(proven)} proven, {len(unproven)} of rules without a proof")
    print("\nProven pairs, found of all, by theme and family of rewrites:\n")
    _print_lines(tabulate_themes(proven))
    print("\nProven pairs by rewrite:\n")
    _print_lines(tabulate_rewrites(proven, judged))
    if unproven:
        print("\nRules without a proof, by theme:\n")
        _print_lines(tabulate_themes(unproven))
    for title, some in (("Proven", proven), ("Without a proof", unproven)):
        _print_lines(list_rules_with_misses(title, some))
    if broken:
        print("\nDoes not count:")
        _print_lines(f"  {each.pair.name}: {each.why}" for each in judged if each.why)


def tabulate_themes(pairs: Sequence[Judged]) -> Iterator[str]:
    """A row for each theme, a column for each family, and how many good twins are reported."""
    families = [name for name in FAMILIES if any(_family(each) == name for each in pairs)]
    yield f"| theme | {' | '.join(families)} | all | good reported |"
    yield "|---" * (len(families) + 3) + "|"
    themes = sorted({each.pair.rule.theme for each in pairs})
    for theme in (*themes, "all"):
        of_theme = [each for each in pairs if theme in ("all", each.pair.rule.theme)]
        cells = [_share(each for each in of_theme if _family(each) == name) for name in families]
        false = sum(each.false for each in of_theme)
        yield f"| {theme} | {' | '.join(cells)} | {_share(of_theme)} | {false} |"


def tabulate_rewrites(proven: Sequence[Judged], judged: Sequence[Judged]) -> Iterator[str]:
    """A row for each rewrite: pairs made, proven, found, and good twins reported."""
    yield "| rewrite | pairs | proven and found | good reported |"
    yield "|---|---|---|---|"
    for name in REWRITES:
        made = [each for each in judged if each.pair.rewrite == name]
        kept = [each for each in proven if each.pair.rewrite == name]
        if made:
            false = sum(each.false for each in kept)
            yield f"| {name} | {len(made)} | {_share(kept)} | {false} |"


def list_rules_with_misses(title: str, pairs: Sequence[Judged]) -> Iterator[str]:
    """A line for each rule: its share, the rewrites under which it is missed, and found in `good`."""
    by_rule: dict[str, list[Judged]] = defaultdict(list)
    for each in pairs:
        by_rule[f"{each.pair.rule.code} {each.pair.rule.name}"].append(each)
    for what, wanted in (("missed", "found"), ("found in the good twin", "false")):
        yield f"\n{title}, {what}:"
        for rule, judged in by_rule.items():
            names = [e.pair.rewrite for e in judged if getattr(e, wanted) is (wanted == "false")]
            if names:
                yield f"  {rule} ({len(names)} of {len(judged)}): {' '.join(names)}"


def _family(judged: Judged) -> str:
    return next(name for name, family in FAMILIES.items() if judged.pair.rewrite in family)


def _share(pairs: Iterable[Judged]) -> str:
    found = [each.found for each in pairs]
    return f"{sum(found)}/{len(found)} {100 * sum(found) // len(found)} %" if found else ""


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
