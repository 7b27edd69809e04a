"""Copies of a folder, fixed: what was found, what was fixed, and what that broke."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fuzzing.fixed import contents, list_harms

from lintorch.catalog import build_catalog
from lintorch.core.finding import Finding, Severity
from lintorch.run import Checked, CheckRequest, check_and_fix
from mending.taken_names import list_missing

MODES = ("safe", "unsafe")
_EVERY = {"select": ("ALL",)}


@dataclass
class Fixed:
    """What one mode of fixing did to one folder."""

    fixes: dict[str, int] = field(default_factory=dict)
    """By rule, how many findings were fixed."""
    changed: list[str] = field(default_factory=list)
    """The files that are others now."""
    harms: list[tuple[str, str]] = field(default_factory=list)
    """By file, what happened to it that may not."""
    unsettled: list[str] = field(default_factory=list)
    """What lintorch itself said of fixes that broke a file or came to no end."""
    again: list[str] = field(default_factory=list)
    """Files that a second run changes once more."""
    missing: list[tuple[str, str]] = field(default_factory=list)
    """Names that went, by file, though another file imports them."""
    imports: dict[str, Any] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)


@dataclass
class Folder:
    """A repository or package, what was found in it, and what each mode did."""

    name: str
    files: int = 0
    findings: dict[str, int] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    """Of the default set: how many findings, and how many carry a fix, a remedy in words, or neither."""
    modes: dict[str, Fixed] = field(default_factory=dict)

    def to_values(self) -> dict[str, Any]:
        """What JSON can hold."""
        return asdict(self)


def copy_folder(root: Path, place: Path) -> Path:
    """The Python files of a folder, and the data that imports may read, without history and weights."""
    target = place / root.name
    if not target.exists():
        left_out = shutil.ignore_patterns(".git", "__pycache__", "*.pth", "*.png", "*.jpg", "*.gif")
        shutil.copytree(root, target, ignore=left_out, symlinks=True)
    return target


def find_hazards(copy: Path, folder: Folder) -> tuple[str, ...]:
    """Check the copy as it is; the files in which something can be fixed."""
    checked = _run(copy, (".",))
    folder.files = checked.result.files
    found = checked.result.findings
    folder.findings = dict(Counter(c for f in found for c in [f.code] * (1 + len(f.also))))
    folder.told = dict(Counter(word for f in found for word in _list_help(f)))
    return tuple(sorted({f.place.path for f in found if f.fix}))


def _list_help(found: Finding) -> Iterator[str]:
    """What a finding of the default set offers to its reader; nothing for one that has to be asked for."""
    rule = build_catalog().rules[found.code]
    if rule.default and (found.severity is not Severity.NOTE or rule.theme == "lintorch"):
        help_given = "fix" if found.fix else "remedy" if found.remedy else "neither"
        yield from ("findings", help_given) * (1 + len(found.also))


def fix_copy(copy: Path, names: Sequence[str], mode: str) -> tuple[Fixed, Mapping[str, bytes]]:
    """Fix these files, look at what came of it, and fix them again; with the bytes from before."""
    before = contents(copy)
    if not names:
        return Fixed(), before
    checked = _run(copy, names, fix=True, unsafe_fixes=mode == "unsafe")
    after = contents(copy)
    mended = Counter(f.code for each in checked.result.repaired for f in each.findings)
    fixed = Fixed(dict(mended))
    fixed.changed = sorted(name for name in before if before[name] != after[name])
    fixed.harms = [(n, h) for n in fixed.changed for h in list_harms(before[n], after[n])]
    fixed.unsettled = [error for error in checked.errors if "do not settle" in error]
    fixed.missing = list(list_missing(before, after))
    _run(copy, names, fix=True, unsafe_fixes=mode == "unsafe")
    twice = contents(copy)
    fixed.again = sorted(name for name in after if after[name] != twice[name])
    return fixed, before


def restore(copy: Path, before: Mapping[str, bytes], names: list[str]) -> None:
    """Put the files back."""
    for name in names:
        (copy / name).write_bytes(before[name])


def _run(copy: Path, names: Sequence[str], **asked: Any) -> Checked:
    request = CheckRequest(tuple(names), settings=_EVERY, isolated=True, jobs=1, **asked)
    here = os.getcwd()
    os.chdir(copy)
    try:
        return check_and_fix(request)
    finally:
        os.chdir(here)


def read_folder(values: Mapping[str, Any]) -> Folder:
    """A folder from what `to_values` gave."""
    modes = {mode: Fixed(**each) for mode, each in values["modes"].items()}
    return Folder(values["name"], values["files"], values["findings"], values["told"], modes)


def list_failures(folder: Folder) -> Iterator[str]:
    """Each harm in a line."""
    for mode, each in folder.modes.items():
        head = f"{folder.name}, {mode}:"
        yield from (f"{head} {name}: {harm}" for name, harm in each.harms)
        yield from (f"{head} {error}" for error in each.unsettled)
        yield from (f"{head} {name}: a second run changes it again" for name in each.again)
        yield from (f"{head} {name}: {lost} is missing" for name, lost in each.missing)
        yield from (f"{head} {name} imports no more" for name in each.imports.get("broken", ()))
        yield from (f"{head} {name} gives other numbers" for name in each.models.get("other", ()))
