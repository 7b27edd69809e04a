"""How far lintorch agrees with labelled exports of models that nobody here wrote.

    python benchmarks/world.py TRUTH REPOSITORIES models             # built, fed and run?
    python benchmarks/world.py TRUTH REPOSITORIES export             # exports against the labels
    python benchmarks/world.py TRUTH REPOSITORIES export --match UNet --keep DIR --python PATH
    python benchmarks/world.py TRUTH REPOSITORIES source --packages DIR    # the source tier alone
    python benchmarks/world.py TRUTH REPOSITORIES source --packages DIR --details
    python benchmarks/world.py TRUTH REPOSITORIES export --keep DIR --kept    # asks nothing anew

TRUTH has a JSON object for each model, a line each: `id`, `model_class`, `model_def` (file:row below
REPOSITORIES), `inputs` (each with its `shape`), and `paths`: per way of exporting its `status`, the line
`where` to blame and `suspect_lines`. REPOSITORIES holds each repository unpacked, as OWNER+NAME.
What lintorch says is kept below the DIR of --keep, and not asked for again. A cell of exports where
it shows one wrong at other heights, widths or lengths alone, and the labels changed only the batch,
is counted apart.

`source` also reads `exec_files` and `exec_lines`, and checks models of installed packages too, where
--packages names the folder that they lie in (`pip install --no-deps --target DIR timm==...` makes
one). No code runs. What counts as foretold, and what labels cannot decide, `truth/predictions.py` says.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from truth.agreement import Compared, compare_exports
from truth.ask import Asker
from truth.executed import read_executed
from truth.feeding import STEPS, Feeding, measure_feeding
from truth.labels import EXPORTERS, read_labels
from truth.predictions import foretell
from truth.source_findings import check_sources
from truth.source_tables import print_source_tables


def main() -> None:
    """Print the shares, then each model or cell that disagrees."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("truth", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("what", choices=["models", "export", "source"])
    parser.add_argument("--match", default="", help="Only models with this in their id.")
    parser.add_argument("--python", help="The interpreter that runs models.")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--packages", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--details", action="store_true", help="Each miss and false alarm too.")
    parser.add_argument("--kept", action="store_true", help="Only models with a kept answer.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        keep = given.keep or Path(folder)
        if given.what == "source":
            _measure_source(given, keep)
        else:
            _measure_runs(given, keep)


def _measure_source(given: argparse.Namespace, keep: Path) -> None:
    models = [each for each in read_executed(given.truth) if given.match in each.name]
    files = {file for model in models for file in model.rows}
    checked = check_sources(files, (given.repositories, *given.packages), keep)
    missing = sorted(files - checked.statements.keys())
    print(f"{len(models)} models, {len(files)} files, {checked.seconds:.0f} s")
    if missing:
        print(f"not there, so left out: {' '.join(missing)}")
    there = [each for each in models if each.rows.keys() & checked.statements.keys()]
    print_source_tables(list(foretell(there, checked)), details=given.details)


def _measure_runs(given: argparse.Namespace, keep: Path) -> None:
    labels = [
        each for each in read_labels(given.truth, given.repositories) if given.match in each.name
    ]
    options = ("--python", given.python) if given.python else ()
    asker = Asker(given.repositories, keep, options)
    if given.what == "models":
        _print_feeding(list(measure_feeding(labels, asker)))
    else:
        _print_agreement(list(compare_exports(labels, asker, kept=given.kept)))


def _print_feeding(fed: Sequence[Feeding]) -> None:
    print(f"{len(fed)} models, {sum(each.seconds for each in fed):.0f} s")
    for number, step in enumerate(STEPS, start=1):
        count = sum(each.steps >= number for each in fed)
        print(f"| {step} | {count} | {100 * count / max(1, len(fed)):.0f} % |")
    for each in fed:
        if each.cause:
            print(f"  {each.label.name} ({each.label.file}:{each.label.qualname}) {each.cause}")


def _print_agreement(cells: Sequence[Compared]) -> None:
    labels = {each.label.name: each.label for each in cells}
    unjudged: Counter[str] = sum((Counter(each.unjudged) for each in labels.values()), Counter())
    print(f"{len(labels)} models; without a verdict of the labels: {dict(unjudged)}\n")
    print(
        "| exporter | cells | tried | beyond the labels' sizes | agree | bad | of these shown | at the line |"
        "\n|---|---|---|---|---|---|---|---|"
    )
    for exporter in (*EXPORTERS, ""):
        _print_exporter([each for each in cells if exporter in ("", each.exporter)], exporter)
    differing = [each for each in cells if not each.agrees and each.said_right is not None]
    _print_cells("disagree", [each for each in differing if not each.is_beyond])
    _print_cells("beyond the labels' sizes", [each for each in differing if each.is_beyond])
    _print_cells("not tried", [each for each in cells if each.said_right is None])
    _print_cells(
        "not at the line", [each for each in cells if each.at_line is False and each.agrees]
    )


def _print_exporter(cells: Sequence[Compared], exporter: str) -> None:
    tried = [each for each in cells if each.said_right is not None]
    compared = [each for each in tried if not each.is_beyond]
    bad = [each for each in compared if not each.cell.right]
    agree, shown = sum(each.agrees for each in compared), sum(not each.said_right for each in bad)
    blamed = [each.at_line for each in bad if each.at_line is not None]
    share = agree / max(1, len(compared))
    print(
        f"| {exporter or 'all'} | {len(cells)} | {len(tried)} | {len(tried) - len(compared)} |"
        f" {agree} ({share:.3f}) | {len(bad)} | {shown} | {sum(blamed)} of {len(blamed)} |"
    )


def _print_cells(title: str, cells: Sequence[Compared]) -> None:
    print(f"\n{title}: {len(cells)}")
    for each in cells:
        truth = f"{each.cell.path} {each.cell.status} {' '.join(sorted(each.cell.blamed)[:3])}"
        print(f"  {each.label.name} {each.exporter}: labels {truth}; lintorch {each.said[:200]}")


if __name__ == "__main__":
    main()
