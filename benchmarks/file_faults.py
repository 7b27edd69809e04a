"""What `lintorch compare` says of files with known faults, of models that others wrote.

    python benchmarks/file_faults.py REPOSITORIES --keep DIR
    python benchmarks/file_faults.py REPOSITORIES --keep DIR --match bert,vit

REPOSITORIES holds checkouts of public projects in folders OWNER+NAME (`beside/small_models.py` says
which). The interpreter needs torch, onnx, onnxruntime, onnxscript, onnxconverter-common, pytorchcv,
transformers, einops and lintorch. Files are written below DIR. Each case is one run of the command line.

Right: all faults are named and nothing else; a right file ends with 0; a file that cannot be read, with 2.
Wrong: a cause is named that is not there, or a good file fails. Silent: it differs, and no cause is told.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from beside.faulty_files import FaultyFile, write_files
from beside.small_models import list_models

_NEVER_CAUSES = ("fixed-size", "input-type", "renamed-input", "pruned-input", "layout")


def main() -> None:
    """Print a line for each case, then the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--keep", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--match", default="", help="Only models whose names begin so; several by commas."
    )
    parser.add_argument("--fault", default="", help="Only faults with this in their name.")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)
    counts: dict[str, Counter[str]] = {}
    for name, model in list_models(asked.repositories).items():
        if name.startswith(tuple(asked.match.split(","))):
            for case in write_files(model, asked.keep / name):
                if asked.fault in case.fault:
                    counts.setdefault(case.fault, Counter())[_try_case(name, case)] += 1
    print("| fault | right | silent | wrong |\n|---|---|---|---|")
    for fault, found in counts.items():
        print(f"| {fault} | {found['right']} | {found['silent']} | {found['wrong']} |")


def _try_case(name: str, case: FaultyFile) -> str:
    command = [sys.executable, "-m", "lintorch", "compare", f"{case.path.parent}/net.py:Net"]
    command += [str(case.path), "--output-format", "json", "--python", sys.executable]
    command += ["--checkpoint", str(case.checkpoint)] if case.checkpoint else []
    begun = _measure_children()
    done = subprocess.run(command, capture_output=True, text=True)
    said: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    causes = {each["kind"] for each in said.get("causes", ())}
    notes = {each["kind"] for each in said.get("notes", ())} - {*_NEVER_CAUSES}
    verdict = _judge(case, done.returncode, causes, notes)
    error = done.stderr.strip().replace("\n", " ")[:200] if done.returncode == 2 else ""
    took = f"{_measure_children() - begun:.0f} s"
    print(f"{verdict:7} {name:15} {case.fault:28} {done.returncode} {sorted(causes)} {sorted(notes)} {took} {error}",
          flush=True)  # fmt: skip
    return verdict


def _measure_children() -> float:
    """Seconds of processor time of all that ran and ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _judge(case: FaultyFile, code: int, causes: set[str], notes: set[str]) -> str:
    if case.unable or code == 2:
        return "right" if case.unable and code == 2 else "wrong"
    if not case.expected:
        return "right" if code == 0 else "wrong"
    if causes - case.expected:
        return "wrong"
    told = causes | notes
    return "right" if case.expected <= told else "silent"


if __name__ == "__main__":
    main()
