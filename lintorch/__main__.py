"""`python -m lintorch`."""

import os
import sys

_HOME = os.path.dirname(os.path.dirname(__file__))
if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False) or sys.path[0] == _HOME):
    del sys.path[0]  # the working directory: what is checked lies there, and must not be imported

from lintorch.cli import main  # noqa: E402

main(prog_name="lintorch")
