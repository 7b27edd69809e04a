"""How many models of installed packages lintorch builds, feeds and runs without a line of configuration.

    python benchmarks/models.py                       # all of PACKAGES, as docs/models.md quotes them
    python benchmarks/models.py vit_pytorch monai     # some of them
    python benchmarks/models.py --keep DIR ...        # and keep what `lintorch models` said

Models are the public classes and factories that `lintorch models` tells of: those in `__all__` where
a file has one, else those without a leading underscore; parts of a model that ran are not counted.
What a package needs and lacks here (`import torchvision`) is counted apart.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES: dict[str, tuple[str, ...]] = {
    "pytorchcv": ("models",),
    "vit_pytorch": (".",),
    "monai": ("networks/nets",),
    "transformers": tuple(
        f"models/{name}/modeling_{name}.py"
        for name in (
            "bert", "gpt2", "t5", "vit", "clip", "whisper", "llama", "resnet", "segformer", "detr",
            "swin", "wav2vec2",
        )
    ),
    "small transformers": ("of_transformers.py",),
    "small diffusers": ("of_diffusers.py",),
}  # fmt: skip
SMALL = ("small transformers", "small diffusers")
"""Factories beside this file, in configurations that run at once."""
_LACKING = re.compile(
    r"No module named|OptionalImportError|not installed|requires the .* library|the optional .* package|couldn't connect"
)
_ONE_PER_FILE = ("pytorchcv",)


@dataclass(frozen=True)
class Share:
    """Models of a package that ran, that lack a package of their own, and why the others did not."""

    ran: int
    lacking: int
    failed: tuple[tuple[str, str, str], ...]

    @property
    def percent(self) -> float:
        """Of those that lack nothing."""
        return 100 * self.ran / max(1, self.ran + len(self.failed))


def share(package: str, keep: Path | None) -> Share:
    """What `lintorch models` makes of a package."""
    told = _told(package, keep)
    public = [each for each in told if _is_public(each)]
    if package in _ONE_PER_FILE:
        public = list(_one_per_file(public))
    failed = [each for each in public if "cause" in each]
    lacking = [each for each in failed if _LACKING.search(each["cause"])]
    reasons = tuple(
        (_name(each), each["stage"], each["cause"]) for each in failed if each not in lacking
    )
    return Share(len(public) - len(failed), len(lacking), reasons)


def _told(package: str, keep: Path | None) -> list[dict[str, Any]]:
    paths = [str(_home(package) / inner) for inner in PACKAGES[package]]
    command = [sys.executable, "-m", "lintorch", "models", *paths, "--output-format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{package}.json").write_text(done.stdout)
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


def _home(package: str) -> Path:
    if package in SMALL:
        return Path(__file__).parent / "tiny"
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"{package} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def _is_public(each: dict[str, Any]) -> bool:
    path, _, name = each["model"].rpartition(":")
    if not path:  # a file that could not be imported
        return True
    exported = _exported(Path(path))
    return name in exported if exported else not name.startswith("_")


def _exported(path: Path) -> frozenset[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def _one_per_file(public: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The first model of each file that ran, else the first."""
    files: dict[str, list[dict[str, Any]]] = {}
    for each in public:
        files.setdefault(each["model"].rpartition(":")[0] or each["model"], []).append(each)
    for found in files.values():
        yield next((each for each in found if "inputs" in each), found[0])


def _name(each: dict[str, Any]) -> str:
    return Path(each["model"]).name


def main() -> None:
    """Print a row for each package, then the reasons."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--keep", type=Path, metavar="DIR")
    given = parser.parse_args()
    print("| package | models | ran | share | need what is not installed |\n|---|---|---|---|---|")
    found = {}
    for package in given.packages:
        found[package] = each = share(package, given.keep)
        models = each.ran + len(each.failed)
        print(
            f"| {package} | {models} | {each.ran} | {each.percent:.0f} % | {each.lacking} |",
            flush=True,
        )
    for package, each in found.items():
        stages = Counter(stage for _, stage, _ in each.failed)
        print(f"\n{package}: " + (", ".join(f"{n} at {s}" for s, n in stages.items()) or "all ran"))
        for name, stage, cause in each.failed:
            print(f"  {name}: {stage}: {cause[:200]}")


if __name__ == "__main__":
    main()
