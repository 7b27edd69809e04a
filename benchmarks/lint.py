"""Measures linting against the bare parse of the same files, and how fast lintorch starts.

    python benchmarks/lint.py                 # the transformers package, else what is given
    python benchmarks/lint.py pytorchcv monai path/to/models

Everything is a ratio to `libcst.parse_module` over the same files in one process of the same run,
so that a slow or busy machine changes both sides.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import libcst

PACKAGES = ("pytorchcv", "monai")
START = [sys.executable, "-m", "lintorch"]
COMPILED = tempfile.TemporaryDirectory()
"""Where Python keeps what it has compiled: every measured run finds its modules compiled."""
SMALL = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""


def main() -> None:
    run([*START, "rules"], COMPILED.name)
    for name in sys.argv[1:] or PACKAGES:
        folder = located(name)
        if folder is None:
            print(f"{name}: not installed, skipped")
        else:
            measure(name, folder)
    start_up()


def located(name: str) -> Path | None:
    """The folder of an installed package, found without importing it, or a given folder."""
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def measure(name: str, folder: Path) -> None:
    texts = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    lines = sum(text.count(b"\n") for text in texts)
    bare = seconds(lambda: [libcst.parse_module(text) for text in texts])
    with tempfile.TemporaryDirectory() as home:
        check = [*START, "check", str(folder), "--exit-zero", "--output-format", "json"]
        single = seconds(lambda: run([*check, "--no-cache", "--jobs", "1"], home))
        cold = seconds(lambda: run(check, home))
        warm = min(seconds(lambda: run(check, home)) for _ in range(3))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{name}: {len(texts)} files, {lines} lines; bare libcst.parse_module {bare:.2f} s")
    for label, took in (("one process", single), ("cold", cold), ("warm", warm)):
        print(f"  {label:<12} {took:7.2f} s   {took / bare:6.3f} x the bare parse")
    print(f"  largest process so far: {peak:.0f} MiB")


def start_up() -> None:
    with tempfile.TemporaryDirectory() as home:
        small = Path(home, "small.py")
        small.write_text(SMALL)
        version = min(seconds(lambda: run([*START, "--version"], home)) for _ in range(5))
        one = min(
            seconds(lambda: run([*START, "check", "--no-cache", "small.py"], home))
            for _ in range(5)
        )
        run([*START, "check", "small.py"], home)
        time.sleep(2.1)  # a file that has just been written is looked at again
        run([*START, "check", "small.py"], home)
        same = min(seconds(lambda: run([*START, "check", "small.py"], home)) for _ in range(5))
        bare = min(seconds(lambda: run([sys.executable, "-c", ""], home)) for _ in range(5))
        imported = imports_of(["check", "--no-cache", "small.py"], home)
    print(
        f"start-up: bare python {bare:.3f} s, --version {version:.3f} s, one small file {one:.3f} s, "
        f"unchanged {same:.3f} s"
    )
    print(f"  torch imported while linting: {'torch' in imported}")


def imports_of(arguments: list[str], folder: str) -> set[str]:
    """The modules that a run of lintorch imported."""
    command = [sys.executable, "-X", "importtime", "-m", "lintorch", *arguments]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr
    return {line.rpartition("|")[2].strip() for line in said.splitlines() if "|" in line}


def run(command: list[str], folder: str) -> None:
    env = {**os.environ, "PYTHONPYCACHEPREFIX": COMPILED.name, "PYTHONDONTWRITEBYTECODE": ""}
    env |= {"XDG_CACHE_HOME": folder, "LOCALAPPDATA": folder}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds that one call takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
