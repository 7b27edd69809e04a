"""Shows that a change changes nothing: what two checkouts of lintorch say is recorded and compared.

    python benchmarks/unchanged.py record --lintorch path/to/old --output before
    python benchmarks/unchanged.py record --lintorch path/to/new --output after
    python benchmarks/unchanged.py compare before after

Both checkouts are given the same input files, those of `--inputs` (default: this checkout), and
are asked by the command line alone, so that their insides may differ. Groups, which `--only`
names:

`cases`    tests/cases, tests/wrong, tests/hostile and examples, linted
`rules`    the lists of rules and targets, the page of each, the help of each command
`corpus`   the packages of benchmarks/precision that are unpacked already, linted; half an hour
           of the processor, less with `--package NAME`
`runs`     examples, tests/wrong and the models beside this script, traced and exported

What differs from run to run of one checkout is masked before it is kept, and nothing else is: see
`recorded/masks.py`. `compare` exits with 1 where anything differs. `--without KEY` leaves a key
out of all JSON, for a change that adds one; `--common` compares what both recordings have.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from recorded.differences import compare_groups
from recorded.recording import GROUPS, record_group
from recorded.speaker import Speaker

ROOT = Path(__file__).parent.parent


def main() -> int:
    """Record or compare, as asked; the exit code."""
    asked = parse_arguments()
    groups = [name for name in GROUPS if name in asked.only] if asked.only else list(GROUPS)
    if asked.command == "compare":
        given = asked.most, asked.without, asked.common
        return 0 if compare_groups(asked.before, asked.after, groups, *given) else 1
    checkout, inputs = asked.lintorch.absolute(), asked.inputs.absolute()
    python = asked.python or checkout / ".venv" / "bin" / "python"
    for name in groups:
        with Speaker(checkout, python.absolute()) as speaker:
            questions = GROUPS[name](inputs, speaker.workspace, asked.package)
            record_group(speaker, questions, asked.output / name, asked.missing)
    return 0


def parse_arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="keep what a checkout says")
    record.add_argument("--lintorch", type=Path, required=True, metavar="CHECKOUT")
    record.add_argument("--output", type=Path, required=True, metavar="DIR")
    record.add_argument("--inputs", type=Path, default=ROOT, metavar="CHECKOUT")
    record.add_argument("--python", type=Path, help="default: that of CHECKOUT/.venv")
    record.add_argument("--package", action="append", default=[], help="of the corpus")
    record.add_argument("--missing", action="store_true", help="only what is not recorded yet")
    compare = commands.add_parser("compare", help="compare two recordings")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    compare.add_argument("--most", type=int, default=3, help="files shown of a group (3)")
    compare.add_argument("--without", action="append", default=[], metavar="KEY")
    compare.add_argument("--common", action="store_true", help="only files that both have")
    for each in (record, compare):
        each.add_argument("--only", action="append", choices=list(GROUPS), metavar="GROUP")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
