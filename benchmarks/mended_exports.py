"""Which exports that go wrong are right once the fixes are in, by rule and model.

    python benchmarks/mended_exports.py tests/wrong                       # a folder: all files in it
    python benchmarks/mended_exports.py ROOT:net/model.py:net/other.py    # some files of a project
    python benchmarks/mended_exports.py ROOT:net/model.py --model UNet    # one model of a large file
    python benchmarks/mended_exports.py ROOT:net/model.py --settings small.toml
    python benchmarks/mended_exports.py --keep DIR --page docs/fixes-measured.md ROOT...

Each file's models are exported by torch.export, onnx, onnx-legacy and torchscript-trace, in a copy
of the folder. Then all fixes of the file, and of what it imports of its project, go in, safe and
unsafe ones, also those that wait for a run or for a trial by one of these, but for such as make an
export worse; `--verify` says of each whether numbers, gradients and state stayed; and the models
are exported again. A pair is a model and a rule that a wrong or failed export of it is laid to; it is
mended where each of these exports is right afterwards. --settings names a file that says how the
models are built and fed, as lintorch.toml does, so that large ones are built small; --seconds says
how long a model may run, and half of how long an export may. What became of a file is kept below the DIR
of --keep, and the file not tried again: empty it to measure anew. --page writes the table into
a page, behind what other commands wrote there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from mending.export_twice import Tried, export_twice, read_tried  # noqa: E402
from mending.exports_page import put_on_page, write_section  # noqa: E402


def main() -> None:
    """Export what is asked for, before and after its fixes, and write the table."""
    asked = _read_options()
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = os.path.join(place, "cache")
        keep = asked.keep or Path(place, "kept")
        keep.mkdir(parents=True, exist_ok=True)
        tried = [
            _try_kept(root, name, Path(place), keep, asked)
            for root, names in map(_split_place, asked.places)
            for name in names
        ]
    section = write_section(tried)
    if asked.page:
        put_on_page(asked.page, section)
    else:
        print(section)


def _split_place(written: str) -> tuple[Path, list[str]]:
    """The folder, and the files in it that are named, or all that lie in it."""
    root, *names = written.split(":")
    found = names or sorted(path.name for path in Path(root).glob("*.py"))
    return Path(root).resolve(), found


def _try_kept(root: Path, name: str, place: Path, keep: Path, asked: argparse.Namespace) -> Tried:
    kept = keep / f"{'+'.join([root.name, *name.split('/'), *asked.model])}.json"
    if not kept.exists():
        tried = export_twice(root, name, place, list(_list_options(asked)))
        kept.write_text(json.dumps(tried.to_values(), indent=1))
    tried = read_tried(json.loads(kept.read_text()))
    bad = sum(each.status in ("wrong", "failed") for each in tried.before)
    left = sum(each.status in ("wrong", "failed") for each in tried.after)
    print(f"{root.name}/{name}: {bad} exports wrong or failed, then {left}", flush=True)
    return tried


def _list_options(asked: argparse.Namespace) -> Iterator[str]:
    """What lintorch itself is asked, for each export and for the fixing between."""
    for model in asked.model:
        yield from ("--model", model)
    if asked.settings:
        yield from ("--config", str(asked.settings.resolve()))
    if asked.seconds:
        yield from ("--trace-seconds", str(asked.seconds))


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("places", nargs="+", metavar="ROOT[:FILE...]")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--model", action="append", default=[], metavar="NAME")
    parser.add_argument("--settings", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, metavar="S")
    parser.add_argument("--page", type=Path, metavar="FILE", help="Write the table there.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
