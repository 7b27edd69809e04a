"""Runs lintorch as its users do: in a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parent.parent
HOME = tempfile.mkdtemp(prefix="lintorch-tests-")
"""Where the runs find the user's settings, and keep their cache."""
OWN = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"), HOME)
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


def lintorch(
    *arguments: object, cwd: Path, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line of this checkout in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "lintorch", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), **OWN, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def findings(*arguments: object, cwd: Path) -> list[dict[str, Any]]:
    """What `lintorch check` finds, as its JSON says it."""
    done = lintorch("check", "--output-format", "json", *arguments, cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def codes(*arguments: object, cwd: Path) -> list[str]:
    """The codes of what is found, in order."""
    return [finding["code"] for finding in findings(*arguments, cwd=cwd)]
