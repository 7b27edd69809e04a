"""Fixes copies of repositories and packages that nobody here wrote, and counts what that breaks.

    python benchmarks/fixes.py ROOT...                            # each a repository or a package
    python benchmarks/fixes.py --keep DIR --page docs/fixes-measured.md ROOT...
    python benchmarks/fixes.py --libraries DIR --python PATH ROOT...

With all rules on, a copy of each folder is fixed with `--fix`, and another with `--unsafe-fixes`. For
each, and by rule: how many findings there were and how many were fixed; files that do not compile any
more or lost a comment; files that a second run changes again; names that went though another file
imports them. Of a package (a folder with `__init__.py`), the modules that changed, and those that
import from them, are imported before and after, and the models of `mending/small_models.py` are
built and run in eval mode before and after safe fixes: state and outputs have to be the same bits.
What those imports need besides torch lies below --libraries; with --source-only nothing is imported. What came of a folder is kept below the
DIR of --keep, and the folder not fixed again. The exit code is 1 where anything broke.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from mending.exports_page import read_section  # noqa: E402
from mending.fix_copies import (  # noqa: E402
    MODES,
    Fixed,
    Folder,
    copy_folder,
    find_hazards,
    fix_copy,
    list_failures,
    read_folder,
    restore,
)
from mending.fixes_page import write_page  # noqa: E402
from mending.small_models import MODELS  # noqa: E402

HERE = Path(__file__).parent / "mending"
MOST = 60
"""Modules of a package that are imported, in each mode."""


def main() -> None:
    """Fix the folders, print what broke, and write the page."""
    asked = _read_options()
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = os.path.join(place, "cache")
        keep = asked.keep or Path(place, "kept")
        keep.mkdir(parents=True, exist_ok=True)
        folders = [_measure_kept(root, Path(place), keep, asked) for root in asked.roots]
    failures = [line for folder in folders for line in list_failures(folder)]
    print("\n".join(failures))
    page = write_page(folders, failures)
    if asked.page:
        asked.page.write_text(page + read_section(asked.page), encoding="utf-8")
    else:
        print(page)
    sys.exit(bool(failures))


def _measure_kept(root: Path, place: Path, keep: Path, asked: argparse.Namespace) -> Folder:
    kept = keep / f"{root.name}.json"
    if not kept.exists():
        folder = measure_folder(root.resolve(), place, asked)
        kept.write_text(json.dumps(folder.to_values(), indent=1))
    folder = read_folder(json.loads(kept.read_text()))
    fixes = ", ".join(f"{sum(each.fixes.values())} {mode}" for mode, each in folder.modes.items())
    print(f"{root.name}: {sum(folder.findings.values())} findings, fixes: {fixes}", flush=True)
    return folder


def measure_folder(root: Path, place: Path, asked: argparse.Namespace) -> Folder:
    """Fix copies of a folder in both modes."""
    copy, folder = copy_folder(root, place), Folder(root.name)
    names = find_hazards(copy, folder)
    plain = _run_models(copy, asked) if not asked.source_only else {}
    for mode in MODES:
        fixed, before = fix_copy(copy, names, mode)
        folder.modes[mode] = fixed
        if fixed.changed and not asked.source_only:
            modules = _choose_modules(copy, fixed.changed)
            after = _import_modules(copy, modules, asked)
            models = _run_models(copy, asked) if mode == "safe" else {}
            restore(copy, before, fixed.changed)
            failed = [name for name in modules if name not in after]
            broken = sorted(_import_modules(copy, failed, asked)) if failed else []
            imported = len(after) + len(broken)
            fixed.imports = {"tried": len(modules), "imported": imported, "broken": broken}
            if models:
                fixed.models = _compare(plain, models, copy, fixed)
        restore(copy, before, fixed.changed)
    return folder


def _choose_modules(copy: Path, changed: Sequence[str]) -> list[str]:
    """The modules that changed, then those that mention one and import something."""
    own = [_name_module(copy, name) for name in changed]
    stems = {Path(name).parent.name if name.endswith("__init__.py") else Path(name).stem for name in changed}  # fmt: skip
    words = re.compile(rf"import[^\n]*\b(?:{'|'.join(map(re.escape, sorted(stems)))})\b|from \S*\b(?:{'|'.join(map(re.escape, sorted(stems)))}) import")  # fmt: skip
    others = [
        _name_module(copy, str(path.relative_to(copy)))
        for path in sorted(copy.rglob("*.py"))
        if words.search(path.read_text("utf-8", "replace"))
    ]
    return [*dict.fromkeys([*own, *others])][:MOST]


def _name_module(copy: Path, name: str) -> str:
    """As it is imported from beside a package, and from within a repository."""
    parts = Path(name).with_suffix("").parts
    package = [copy.name] if (copy / "__init__.py").exists() else []
    return ".".join([*package, *(parts[:-1] if parts[-1] == "__init__" else parts)])


def _import_modules(copy: Path, modules: Sequence[str], asked: argparse.Namespace) -> set[str]:
    parent = copy.parent if (copy / "__init__.py").exists() else copy
    return set(_run("import_modules.py", asked, str(parent), *modules).split())


def _run_models(copy: Path, asked: argparse.Namespace) -> dict[str, dict[str, Any]]:
    if copy.name not in MODELS:
        return {}
    told = _run("run_models.py", asked, str(copy.parent), copy.name).splitlines()
    lines = [line for line in told if line.startswith("{")]  # packages print, too
    return {each["model"]: each for each in map(json.loads, lines)}


def _run(script: str, asked: argparse.Namespace, *arguments: str) -> str:
    paths = os.pathsep.join(str(path.resolve()) for path in asked.libraries)
    done = subprocess.run(
        [asked.python, str(HERE / script), *arguments],
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.stdout


def _compare(
    plain: Mapping[str, dict[str, Any]],
    after: Mapping[str, dict[str, Any]],
    copy: Path,
    fixed: Fixed,
) -> dict[str, Any]:
    ran = {name: each for name, each in plain.items() if "digest" in each}
    changed = {str((copy / name).resolve()) for name in fixed.changed}
    return {
        "ran": len(ran),
        "failed": {n: e["failed"] for n, e in plain.items() if "failed" in e},
        "mended": sum(bool(changed & set(each["files"])) for each in ran.values()),
        "other": [n for n, e in ran.items() if after.get(n, {}).get("digest") != e["digest"]],
    }


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--page", type=Path, metavar="FILE", help="Write the counts there.")
    parser.add_argument("--libraries", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--source-only", action="store_true", help="Import and run nothing.")
    parser.add_argument("--python", default=sys.executable, help="What imports and runs packages.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
