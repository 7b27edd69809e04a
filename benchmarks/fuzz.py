"""Looks for files that lintorch cannot take: real ones by the ten thousand, and mutants of them.

    python benchmarks/fuzz.py                        # all that is installed, and Python's own: hours
    python benchmarks/fuzz.py path/to/packages --files 2000 --mutants 1000 --fixed 500 --same 200
    python benchmarks/fuzz.py --only mutants --seed 7 --keep failures

Four campaigns, with all rules on, each for the same files and mutants at the same seed.
`files`: each is checked. `mutants`: damaged ones are. `same`: the report's bytes are the same for
any `--jobs`, with the cache and without. `fixed`: copies are fixed with `--unsafe-fixes`; then
they compile as before, a second run changes nothing, no comment is lost, and line ends, marks and
encodings stay. The exit code is 1 where anything failed.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from fuzzing import fixed, mutants, worker  # noqa: E402

from lintorch.run.rule_catalog import load_catalog  # noqa: E402

ROOT = Path(__file__).parent.parent
LIMIT = 20.0
"""Seconds of the processor that one file may take; a worker that is silent for thrice that is ended."""
CHUNK = 100
VARIANTS = (
    ("--jobs", "1", "--no-cache"),
    ("--jobs", "2", "--no-cache"),
    ("--jobs", "5", "--no-cache"),
    ("--jobs", "2"),
    ("--jobs", "2"),
    ("--jobs", "1"),
)


@dataclass
class Tally:
    """What a campaign came to."""

    tried: int = 0
    slowest: float = 0.0
    slow_one: str = ""
    changed: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)


def main() -> None:
    """Run the campaigns that are asked for and print what came of them."""
    asked = _asked()
    if asked.worker:
        mutate = None
        if asked.worker == "mutants":
            sources = seeds(asked.seed, _paths(asked))
            mutate = partial(mutants.mutant, seed=asked.seed, sources=sources)
        worker.serve(mutate, asked.every)
        return
    paths = _paths(asked)
    tallies = {name: CAMPAIGNS[name](asked, paths) for name in asked.only or CAMPAIGNS}
    print("\n| campaign | tried | failed | changed | slowest |\n|---|---|---|---|---|")
    for name, tally in tallies.items():
        slow = f"{tally.slowest:.1f} s {tally.slow_one}" if tally.slowest else ""
        print(
            f"| {name} | {tally.tried} | {len(tally.failures)} | {tally.changed or ''} | {slow} |"
        )
    for name, tally in tallies.items():
        for what, how in tally.failures:
            print(f"\n{name}: {what}\n    " + how.replace("\n", "\n    "))
    sys.exit(any(tally.failures for tally in tallies.values()))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="*", help="what is installed and Python's own if none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--mutants", type=int, default=20_000)
    parser.add_argument("--same", type=int, default=600)
    parser.add_argument("--fixed", type=int, default=5_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(CAMPAIGNS))
    parser.add_argument("--every", action="store_true", help="parse what never mentions torch too")
    parser.add_argument("--keep", default="", help="a folder for the mutants that fail")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def _paths(asked: argparse.Namespace) -> list[Path]:
    """The files below the folders, shuffled by the seed."""
    standard = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
    found = {p for folder in asked.folders or standard for p in Path(folder).rglob("*.py")}
    paths = sorted(path for path in found if path.is_file())
    random.Random(asked.seed).shuffle(paths)
    return paths


def seeds(seed: int, paths: Sequence[Path]) -> list[str]:
    """The texts that mutants are made of: the rules' own examples and cases, and some real files."""
    cases = [p.read_text("utf-8") for p in sorted((ROOT / "tests/cases").rglob("*.py"))]
    rules = [p.read_text("utf-8") for p in sorted((ROOT / "rules").rglob("*.py"))]
    real = [path.read_bytes() for path in paths[:600]]
    kept = [
        data.decode() for data in real if b"torch" in data and len(data) < 30_000 and _utf8(data)
    ]
    return cases + examples() + rules + kept[:100]


def examples() -> list[str]:
    """What the rules call bad and good."""
    given = load_catalog(()).rules.values()
    return [text for rule in given for text in (rule.bad, rule.good) if text]


def _utf8(data: bytes) -> bool:
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False


def check_files(asked: argparse.Namespace, paths: Sequence[Path]) -> Tally:
    """Every file is checked, in workers that are watched."""
    return _served(asked, "files", [str(path) for path in paths[: asked.files]])


def check_mutants(asked: argparse.Namespace, paths: Sequence[Path]) -> Tally:
    """So are mutants; those that fail are kept."""
    tally = _served(asked, "mutants", [str(number) for number in range(asked.mutants)])
    if tally.failures and asked.keep:
        sources = seeds(asked.seed, paths)
        Path(asked.keep).mkdir(parents=True, exist_ok=True)
        for number, _ in tally.failures:
            made = mutants.mutant(int(number), asked.seed, sources)
            Path(asked.keep, f"mutant-{asked.seed}-{number}.py").write_bytes(made)
    return tally


def _served(asked: argparse.Namespace, kind: str, told: Sequence[str]) -> Tally:
    tally, waiting = Tally(), iter(told)
    lock = threading.Lock()

    def serve() -> None:
        with Watched([*_again(asked), "--worker", kind]) as watched:
            while True:
                with lock:
                    one = next(waiting, None)
                if one is None:
                    return
                _count(tally, one, watched.ask(one), lock)

    with ThreadPoolExecutor(asked.jobs) as pool:
        for served in [pool.submit(serve) for _ in range(asked.jobs)]:
            served.result()
    return tally


def _again(asked: argparse.Namespace) -> list[str]:
    every = ["--every"] if asked.every else []
    return [sys.executable, __file__, *asked.folders, "--seed", str(asked.seed), *every]


def _count(tally: Tally, one: str, answer: dict[str, object], lock: threading.Lock) -> None:
    seconds = float(str(answer["seconds"]))
    failure, codes = str(answer["failure"]), answer["codes"]
    assert isinstance(codes, dict)
    if not failure and seconds > LIMIT:
        failure = f"took {seconds:.0f} s"
    with lock:
        tally.tried += 1
        tally.codes.update(codes)
        if seconds > tally.slowest:
            tally.slowest, tally.slow_one = seconds, one
        if failure:
            tally.failures.append((one, failure))
            print(f"{one}: {failure}", file=sys.stderr, flush=True)
        if tally.tried % 500 == 0:
            print(f"{tally.tried}, {len(tally.failures)} failed", file=sys.stderr, flush=True)


class Watched:
    """A worker that is started anew when it ends, and ended when it is silent for too long."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._start()

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def ask(self, told: str) -> dict[str, object]:
        """What a worker answers, or how it ended without."""
        assert self._process.stdin is not None
        self._process.stdin.write(told + "\n")
        self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=3 * LIMIT)
        except queue.Empty:
            line = None
        if line:
            answer: dict[str, object] = json.loads(line)
            return answer
        self._process.kill()
        ended = self._process.wait()
        self._start()
        how = "hangs" if line is None else f"ended its process ({ended})"
        return {"failure": how, "codes": {}, "seconds": 0}

    def _start(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()


def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")


def check_same(asked: argparse.Namespace, paths: Sequence[Path]) -> Tally:
    """A folder of files and mutants, reported in every way there is."""
    tally, sources = Tally(), seeds(asked.seed, paths)
    with tempfile.TemporaryDirectory() as folder:
        for path in _torch(paths, asked.same):
            _copy(path, Path(folder))
        for number in range(asked.same // 2):
            made = mutants.mutant(number, asked.seed, sources)
            Path(folder, f"mutant{number}.py").write_bytes(made)
        tally.tried = sum(1 for _ in Path(folder).rglob("*.py"))
        for form in ("json", "full", "concise"):
            command = [*fixed.CHECK, "--output-format", form]
            said = [_said([*command, *variant, "."], folder) for variant in VARIANTS]
            for variant, other in zip(VARIANTS, said, strict=True):
                if other != said[0]:
                    tally.failures.append((" ".join((form, *variant)), "another report"))
                if b"Traceback" in other[2]:
                    tally.failures.append((" ".join((form, *variant)), other[2].decode()[-2000:]))
    return tally


def _said(command: Sequence[str], folder: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run(command, cwd=folder, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def check_fixed(asked: argparse.Namespace, paths: Sequence[Path]) -> Tally:
    """Copies are fixed twice."""
    tally = Tally()
    chosen = list(_torch(paths, asked.fixed))
    for start in range(0, len(chosen), CHUNK):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for path in chosen[start : start + CHUNK]:
                _copy(path, place)
            before = fixed.contents(place)
            wrong = [fixed.fix(place, asked.jobs)]
            once = fixed.contents(place)
            wrong.append(fixed.fix(place, asked.jobs))
            harms = [*fixed.damage(before, once, fixed.contents(place))]
            harms += [(f"files from {start}", text) for text in wrong if text]
        tally.failures += harms
        tally.tried += len(before)
        tally.changed += sum(before[name] != once[name] for name in before)
        print(f"{tally.tried} fixed, {tally.changed} changed, {len(tally.failures)} damaged", file=sys.stderr, flush=True)  # fmt: skip
        for name, harm in harms:
            print(f"{name}: {harm}", file=sys.stderr, flush=True)
    return tally


def _torch(paths: Sequence[Path], most: int) -> Iterator[Path]:
    """The first files that mention torch."""
    for path in paths:
        if most <= 0:
            return
        if b"torch" in path.read_bytes():
            most -= 1
            yield path


def _copy(path: Path, folder: Path) -> None:
    """A copy under its own path, below the folder; neither excluded by name nor read-only."""
    parts = [part.replace("site-packages", "packages") for part in path.parts[1:]]
    target = folder.joinpath(*(f"{part}_" if part in fixed.EXCLUDED else part for part in parts))
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


CAMPAIGNS: dict[str, Callable[[argparse.Namespace, Sequence[Path]], Tally]] = {
    "files": check_files,
    "mutants": check_mutants,
    "same": check_same,
    "fixed": check_fixed,
}

if __name__ == "__main__":
    main()
