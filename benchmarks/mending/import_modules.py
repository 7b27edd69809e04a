"""Which modules of a package import: `python import_modules.py PARENT MODULE...` prints those that do.

Each in a fork of a process that has imported torch, with a time limit.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from mending.torchvision_operators import declare_missing_operators

_SECONDS = 60


def main() -> None:
    """Print the names of the modules that import, a line each."""
    parent, *modules = sys.argv[1:]
    sys.path.insert(0, parent)
    sys.dont_write_bytecode = True
    declare_missing_operators()
    for module in modules:
        child = os.fork()
        if not child:
            _import(module)
        _, status = os.waitpid(child, 0)
        if status == 0:
            print(module, flush=True)


def _import(module: str) -> None:
    """Import it, and end this process."""
    signal.alarm(_SECONDS)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    try:
        importlib.import_module(module)
    except BaseException:
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
