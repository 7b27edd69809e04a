"""Measures what a run over many small models costs as their number grows.

    python benchmarks/scale.py 10 100 1000
    python benchmarks/scale.py 10 100 --to onnx --keep DIR -- --store DIR/store

Each number of models, twenty kinds of them, is exported in a process of its own. Told are seconds
for each model by the clock and of processors (with those of all workers that ended by themselves;
the time of one that was killed is not known), the most memory that the process held which started
them, and the bytes of JSON and page. What stands behind `--` goes to
`lintorch export`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from many.kinds import write_model

_RUN = """
import resource, sys
from lintorch.cli import main
try:
    main(sys.argv[2:])
except SystemExit:
    pass
own = resource.getrusage(resource.RUSAGE_SELF)
rest = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(own.ru_utime + own.ru_stime, rest.ru_utime + rest.ru_stime, own.ru_maxrss, file=file)
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("numbers", nargs="+", type=int)
    options.add_argument("--to", action="append")
    options.add_argument("--keep", type=Path)
    options.add_argument("rest", nargs="*")
    own = sys.argv[1:]
    behind = own[own.index("--") + 1 :] if "--" in own else []
    chosen = options.parse_args(own[: own.index("--")] if "--" in own else own)
    print("| models | s per model | parent's cpu s per model | all cpu s per model | MiB | JSON KiB | page KiB |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for number in chosen.numbers:
        with tempfile.TemporaryDirectory() as folder:
            kept = chosen.keep / str(number) if chosen.keep else Path(folder)
            measure(number, kept, chosen.to or ["torch.export", "torchscript-trace"], behind)


def measure(number: int, folder: Path, exporters: list[str], rest: list[str]) -> None:
    """Export so many models, and print one row."""
    make_models(number, folder / "models")
    told, record, page = folder / "told.txt", folder / "record.json", folder / "page.html"
    asked = [part for name in exporters for part in ("--to", name)]
    command = [sys.executable, "-c", _RUN, str(told), "export", "models", "--output-format", "json"]
    command += [*asked, "--html", str(page), *rest]
    began = time.monotonic()
    with record.open("wb") as out, open(folder / "errors.txt", "wb") as err:
        subprocess.run(command, cwd=folder, stdout=out, stderr=err, check=False)
    wall = time.monotonic() - began
    parent, workers, memory = map(float, told.read_text().split())
    each = (wall / number, parent / number, (parent + workers) / number)
    sizes = (memory / 1024, os.path.getsize(record) / 1024, os.path.getsize(page) / 1024)
    cells = [str(number), *(f"{x:.3f}" for x in each), *(f"{x:,.0f}" for x in sizes)]
    print(f"| {' | '.join(cells)} |", flush=True)


def make_models(number: int, folder: Path) -> None:
    """One file for each model, a hundred in a folder."""
    (folder.parent / ".git").mkdir(parents=True, exist_ok=True)  # marks a project
    for each in range(number):
        name, text = write_model(each)
        path = folder / f"part{each // 100}" / f"{name.lower()}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
