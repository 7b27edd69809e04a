"""How many one-line shape faults lintorch finds in real projects' models, and what it says without them.

    python benchmarks/shape_faults.py TRUTH REPOSITORIES --python PATH --keep DIR
    python benchmarks/shape_faults.py TRUTH REPOSITORIES --python PATH --keep DIR --details

TRUTH and REPOSITORIES are those of `world.py`, of which `builder`, `inputs`, `dims` and `dims2` are
read too: how each model is built and fed, at two sets of sizes. PATH is an interpreter with torch and
what the repositories import. It builds and runs each model, edits one number or size of a line that
ran, and keeps the edit if the model now raises an error about shapes. Nothing is written into the
repositories: copies are edited, which are thrown away. What was proved is kept in DIR for the next time.

A fault is found where the source tier says something of shapes (a rule of LT8xx) in the files that
the model executes which it does not say without the fault. All that it says without one in these files
as an error is false: the models run.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from faults.found_faults import CheckedFault, ShapeFinding, check_fault, check_originals
from faults.proven_faults import ProvenModel, Prover, copy_repository


def main() -> None:
    """Print the shares, then each fault that is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("truth", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--python", required=True, help="The interpreter that runs models.")
    parser.add_argument("--keep", type=Path, required=True, metavar="DIR")
    parser.add_argument("--match", default="", help="Only models with this in their id.")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--models", type=int, default=2, help="At most, of one repository.")
    parser.add_argument("--largest", type=int, default=30_000_000, help="Parameters of a model.")
    parser.add_argument("--details", action="store_true", help="Each missed fault too.")
    given = parser.parse_args()
    repositories = given.repositories.resolve()
    prover = Prover(repositories, given.keep, given.python, given.seed, given.models, given.largest)
    proved = [each for each in prover.prove(given.truth) if given.match in each.model]
    faulty = [each for each in proved if each.faults]
    _print_proved(proved)
    checked: list[CheckedFault] = []
    false: list[ShapeFinding] = []
    for model in faulty:
        originals, faults = _check_model(model, repositories)
        false += originals
        checked += faults
    if checked:
        _print_found(checked)
    _print_false(false)
    if given.details:
        _print_details(checked)


def _check_model(
    model: ProvenModel, repositories: Path
) -> tuple[list[ShapeFinding], list[CheckedFault]]:
    with tempfile.TemporaryDirectory() as folder:
        copies = Path(folder).resolve()
        copy_repository(repositories, copies, model.files[0].partition("/")[0])
        before, _ = check_originals(copies, model.files)
        return before, [check_fault(copies, each, before) for each in model.faults]


def _print_proved(proved: Sequence[ProvenModel]) -> None:
    faults = sum(len(each.faults) for each in proved)
    ran = [each for each in proved if not each.cause]
    faulty = [each for each in proved if each.faults]
    print(f"{len(proved)} models tried, {len(ran)} run, {faults} faults of {len(faulty)} proved")
    for each in proved:
        if each.cause:
            print(f"  not run: {each.model}: {each.cause[:150]}")


def _print_found(checked: Sequence[CheckedFault]) -> None:
    print("| fault | proved | found | at the edited line |\n|---|---|---|---|")
    for kind in sorted({each.fault.edit.kind for each in checked}):
        _print_share(kind, [each for each in checked if each.fault.edit.kind == kind])
    _print_share("of models fed one size", [each for each in checked if each.fault.sized])
    _print_share("all", checked)
    seconds = [each.seconds for each in checked]
    print(f"seconds a check: median {median(seconds):.1f}, largest {max(seconds):.1f}")
    codes = Counter(code for each in checked for code in {found.code for found in each.added})
    print(f"by rule: {dict(codes.most_common())}")


def _print_share(name: str, checked: Sequence[CheckedFault]) -> None:
    found = sum(each.found for each in checked)
    share = f"{found} ({found / max(1, len(checked)):.2f})"
    print(f"| {name} | {len(checked)} | {share} | {sum(each.at_line for each in checked)} |")


def _print_false(findings: Sequence[ShapeFinding]) -> None:
    errors = dict.fromkeys(each for each in findings if each.severity == "error")
    print(f"errors about shapes without a fault: {len(errors)}")
    for each in errors:
        print(f"  {each.code} {each.file}:{each.row} {each.message[:150]}")


def _print_details(checked: Sequence[CheckedFault]) -> None:
    print("Missed:")
    for line in _describe_faults(each for each in checked if not each.found):
        print(line)
    print("Found elsewhere:")
    for line in _describe_faults(each for each in checked if each.found and not each.at_line):
        print(line)


def _describe_faults(checked: Iterator[CheckedFault]) -> Iterator[str]:
    for each in checked:
        fault = each.fault
        edit = fault.edit
        yield f"  {edit.kind}: {fault.file}:{edit.row} `{edit.old}` -> `{edit.content}` ({fault.model})"
        yield f"      {fault.error[:160]!r}"
        for found in each.added:
            yield f"      {found.code} {found.file}:{found.row} {found.message[:120]}"


if __name__ == "__main__":
    main()
