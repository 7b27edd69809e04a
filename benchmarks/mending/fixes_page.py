"""The counts as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lintorch.catalog import build_catalog
from mending.fix_copies import MODES, Folder

_HEAD = """# What fixing does to code that nobody here wrote

`python benchmarks/fixes.py --page docs/fixes-measured.md ROOT...` makes this page: with all rules on it fixes a copy of each folder, once with `--fix` and once with `--unsafe-fixes` too. It then looks for files that do not compile any more, comments that are lost, files that a second run changes again, names that went though another file imports them, modules that no longer import, and models that give other bits in eval mode after safe fixes; the last two of packages alone, and of models only where a safe fix changed the package."""


def write_page(folders: Sequence[Folder], failures: Sequence[str]) -> str:
    """The page, in Markdown."""
    files, found = (sum(each) for each in zip(*((f.files, sum(f.findings.values())) for f in folders), strict=True))  # fmt: skip
    broken = "nothing" if not failures else f"{len(failures)} times something, named below"
    told = f"{len(folders)} folders with {files} files and {found} findings; broken was {broken}."
    parts = [
        _HEAD,
        told,
        "## By rule",
        _tell_rules(folders),
        "## By folder",
        _tell_folders(folders),
    ]
    if failures:
        parts += ["## What broke", "\n".join(f"* {line}" for line in failures)]
    return "\n\n".join(parts) + "\n"


def _tell_rules(folders: Sequence[Folder]) -> str:
    """Those of which anything was fixed."""
    found = sum((Counter(f.findings) for f in folders), Counter[str]())
    fixed = {
        mode: sum((Counter(f.modes[mode].fixes) for f in folders), Counter[str]()) for mode in MODES
    }
    rows = ["| code | name | findings | fixed safely | and unsafely |", "|---|---|---|---|---|"]
    rows += [
        f"| {code} | {rule.name} | {found[code]} | {fixed['safe'][code]} | {fixed['unsafe'][code]} |"
        for code, rule in build_catalog().rules.items()
        if fixed["unsafe"][code] or fixed["safe"][code]
    ]
    left = found.total() - sum(found[code] for code in fixed["unsafe"] | fixed["safe"])
    return "\n".join([*rows, f"| | rules without a fix there | {left} | 0 | 0 |"])


def _tell_folders(folders: Sequence[Folder]) -> str:
    head = "| folder | files | findings | fixed safely | and unsafely | files changed | modules imported before and after | models with the same bits |"
    rows = [head, "|---|---|---|---|---|---|---|---|"]
    for each in folders:
        safe, unsafe = (each.modes[mode] for mode in MODES)
        imported = unsafe.imports.get("imported", 0) - len(unsafe.imports.get("broken", ()))
        ran = safe.models.get("ran", 0)
        same = f"{ran - len(safe.models['other'])} of {ran}" if ran else ""
        rows.append(
            f"| {each.name.replace('+', '/')} | {each.files} | {sum(each.findings.values())} "
            f"| {sum(safe.fixes.values())} | {sum(unsafe.fixes.values())} "
            f"| {len(set(safe.changed) | set(unsafe.changed))} "
            f"| {imported if unsafe.imports else ''} | {same} |"
        )
    return "\n".join(rows)
