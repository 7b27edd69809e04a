"""How often lintorch finds a rule's hazard in other words: `bad` and `good` after rewrites.

    python benchmarks/variants.py --keep DIR                     # all: minutes, once proofs are kept
    python benchmarks/variants.py --keep DIR --match LT101 --rewrite walrus
    python benchmarks/variants.py --match LT101 --rewrite walrus --show

A rewrite counts where the rule's proof still goes wrong after the rewritten `bad`, in the same way,
and still passes after the rewritten `good`. Rules without a proof are counted by themselves. Proofs
run with the torch of this interpreter; how they ended is kept below DIR and not run again.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from rewriting.all_rewrites import NEED_SIGNATURES, REWRITES  # noqa: E402
from rewriting.argument_forms import list_callees  # noqa: E402
from rewriting.pairs import Pair, judge_pair, make_pairs, make_programs, prove_pair  # noqa: E402
from rewriting.program import Rewrite  # noqa: E402
from rewriting.proving import Prover  # noqa: E402
from rewriting.tables import print_report  # noqa: E402

from lintorch.catalog import build_catalog  # noqa: E402
from lintorch.core.finding import Evidence  # noqa: E402
from lintorch.core.rule import Rule  # noqa: E402


def main() -> None:
    """Print the shares, then what was missed and what was found in vain."""
    given = _read_options()
    rules = [rule for rule in list_rules() if _matches(rule, given.match)]
    rewrites = {k: v for k, v in REWRITES.items() if not given.rewrite or k in given.rewrite}
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(given.keep or Path(folder), given.jobs)
        try:
            pairs = [each for rule in rules for each in make_all_pairs(rule, prover, rewrites)]
            if given.show:
                _show(pairs)
            else:
                _prove_all(pairs, prover, given.jobs)
                print_report([judge_pair(pair, prover) for pair in pairs], given.broken)
        finally:
            prover.close()


def list_rules() -> list[Rule]:
    """The rules that have examples and read source."""
    return [
        rule
        for rule in build_catalog().rules.values()
        if rule.bad and any(each.evidence is Evidence.SOURCE for each in rule.detectors)
    ]


def make_all_pairs(rule: Rule, prover: Prover, rewrites: Mapping[str, Rewrite]) -> Iterator[Pair]:
    """The rule's examples after each rewrite that changes them."""
    bad, good = make_programs(rule)
    if rewrites.keys() & NEED_SIGNATURES:
        signatures = prover.read_signatures(list_callees(bad) | list_callees(good))
        bad, good = (replace(each, signatures=signatures) for each in (bad, good))
    return make_pairs(rule, bad, good, rewrites)


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="Where endings of proofs are kept."
    )
    parser.add_argument("--match", default="", help="Only rules with this in code, name or theme.")
    parser.add_argument("--rewrite", action="append", choices=[*REWRITES], help="Only this one.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="Processes that prove.")
    parser.add_argument(
        "--show", action="store_true", help="Print the programs, and prove nothing."
    )
    parser.add_argument("--broken", action="store_true", help="List what does not count, and why.")
    return parser.parse_args()


def _matches(rule: Rule, word: str) -> bool:
    return word in f"{rule.code} {rule.name} {rule.theme}"


def _prove_all(pairs: Sequence[Pair], prover: Prover, jobs: int) -> None:
    """Run what has not been run: judging then waits for nothing."""
    with ThreadPoolExecutor(jobs) as pool:
        done = 0
        for done, _ in enumerate(pool.map(lambda pair: prove_pair(pair, prover), pairs), 1):
            if done % 100 == 0:
                print(f"{done} of {len(pairs)} pairs run", file=sys.stderr)


def _show(pairs: Sequence[Pair]) -> None:
    for pair in pairs:
        for which, program in (("bad", pair.bad), ("good", pair.good)):
            print(f"# {pair.name} {which}\n{program.text}")
            for name, text in program.others.items():
                print(f"# {pair.name} {which}: {name}.py\n{text}")


if __name__ == "__main__":
    main()
