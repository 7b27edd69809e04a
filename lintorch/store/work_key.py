"""What a piece of work is known by: what is asked, and of which releases."""

from __future__ import annotations

import os
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

from lintorch import __version__
from lintorch.host.worker_task import WorkerTask
from lintorch.record.digests import digest_bytes, digest_values
from lintorch.record.wire import pack_value

_BEYOND = ("guest", "record", "machine")
"""The rooms whose code makes what is told."""
_LIST = """
import importlib.metadata, json, platform, sys
told = {(d.metadata["Name"] or "").lower(): d.version for d in importlib.metadata.distributions()}
print(json.dumps([sys.version, platform.machine(), platform.system(), sorted(told.items())]))
"""
_NO_MATTER = ("artifacts", "processes", "reads")
"""Options that change nothing of what is told."""


def list_releases(python: str) -> str:
    """The interpreter's own release and those of all packages in it. Raises OSError."""
    try:
        ran = subprocess.run(
            [python, "-c", _LIST], capture_output=True, cwd=os.path.sep, timeout=60, check=True
        )
    except subprocess.SubprocessError as error:
        raise OSError(f"{python} does not tell what is installed: {error}") from error
    return ran.stdout.decode(errors="replace")


def name_work(task: WorkerTask, releases: str) -> str:
    """What stands for a piece of work, whatever the files hold that it reads."""
    options = pack_value(task.options)
    kept = bool(options.get("artifacts"))
    asked = {key: value for key, value in options.items() if key not in _NO_MATTER}
    arguments = {key: value for key, value in task.arguments.items() if key != "passed"}
    shown = task.start.path, task.start.qualname
    told: Any = [
        __version__,
        _digest_code(),
        releases,
        task.function,
        arguments,
        shown,
        asked,
        kept,
    ]
    return digest_values(told)


@lru_cache(maxsize=1)
def _digest_code() -> str:
    """What stands for the code that works beyond the wall: it changes within a release, too."""
    here = Path(__file__).parents[1]
    files = sorted(path for room in _BEYOND for path in (here / room).rglob("*.py"))
    return digest_bytes(b"".join(path.read_bytes() for path in files))
