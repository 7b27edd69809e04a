"""The files of the tests and the examples, linted."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from recorded.questions import Questions, check_in_every_way, check_in_two_ways


def ask_of_cases(inputs: Path, workspace: Path) -> Questions:
    """One folder per profile that case files name in their first line; then the other folders."""
    cases = inputs / "tests" / "cases"
    for profile, files in group_by_profile(cases).items():
        name = re.sub(r"[^\w.]+", "-", profile).strip("-") or "plain"
        folder = workspace / "cases" / name
        for file in files:
            target = folder / file.relative_to(cases)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        (folder / "lintorch.toml").write_text(write_settings(profile), "utf-8")
        check = check_in_two_ways if profile else check_in_every_way
        yield from check(f"cases-{name}", folder)
    for name in ("examples", "tests/wrong", "tests/hostile"):
        folder = workspace / "whole" / Path(name).name
        shutil.copytree(inputs / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
        yield from check_in_every_way(folder.name, folder)


def group_by_profile(folder: Path) -> dict[str, list[Path]]:
    """The case files below a folder, by the first line that says what they are deployed with."""
    grouped: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("*.py")):
        first = file.read_text("utf-8").partition("\n")[0]
        profile = first if re.match(r"# (profile|torch|target):", first) else ""
        grouped.setdefault(profile, []).append(file)
    return grouped


def write_settings(profile: str) -> str:
    """`# profile: onnx@17 # target: rknn-2.1 # torch: 2.4` as the text of a lintorch.toml."""
    told: dict[str, str] = dict(re.findall(r"# (profile|torch|target): ([^#]*)", profile))
    words = told.get("profile", "").split()
    opsets = [word.partition("@")[2] for word in words if "@" in word]
    lines = [f"exporters = {[word.partition('@')[0] for word in words]}"] if words else []
    lines += [f"opset = {opsets[0]}"] if opsets else []
    lines += [f"target = {told['target'].split()}"] if "target" in told else []
    lines += [f'target-torch = "{told["torch"].strip()}"'] if "torch" in told else []
    return "".join(f"{line}\n" for line in lines)
