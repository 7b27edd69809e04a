"""What stands on a terminal while models run: from the start, and gone at the end."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

import pytest

from lintorch.cli.terminal import progress_on
from lintorch.host.progress_lines import ProgressLines

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no terminal to open")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(first: str, *lines: str) -> str:
    """What comes to a terminal."""
    terminal, slave = os.openpty()
    with os.fdopen(slave, "w") as stream, progress_on(stream, first) as tell:
        for line in lines:
            tell(line)
    written = b""
    with suppress(OSError):  # what ends it, once all that was written has been read
        while part := os.read(terminal, 1 << 16):
            written += part
    os.close(terminal)
    return written.decode()


def test_a_line_stands_from_the_start_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    written = shown("looking", "1 model done; nets/[list].py:Net")
    plain = _CONTROL.sub("", written)
    assert plain.index("looking") < plain.index("1 model done; nets/[list].py:Net")
    assert written.endswith("\x1b[2K")


def test_nothing_is_shown_before_there_is_something_to_say() -> None:
    assert shown("", "reading 2 files").count("reading 2 files")
    terminal, slave = os.openpty()
    with os.fdopen(slave, "w") as stream, progress_on(stream):
        pass
    os.set_blocking(terminal, False)
    with pytest.raises(OSError, match=r".*"):
        os.read(terminal, 1)
    os.close(terminal)


def test_models_are_counted_over_files_that_are_looked_at_side_by_side() -> None:
    lines: list[str] = []
    told = ProgressLines(lines.append, 3)
    told.begin_file("a.py")
    told.begin_file("b.py")
    told.begin_work("a.py", "a.py:One")
    told.begin_work("a.py", "a.py:One → onnx")
    told.begin_work("a.py", "a.py:Two")
    told.begin_work("b.py", "b.py:Three")
    told.end_work("a.py")
    assert lines[1:] == [
        "0 models done; 1 file left; a.py, b.py",
        "0 models done; 1 file left; a.py:One, b.py",
        "0 models done; 1 file left; a.py:One → onnx, b.py",
        "1 model done; 1 file left; a.py:Two, b.py",
        "1 model done; 1 file left; a.py:Two, b.py:Three",
        "2 models done; 1 file left; b.py:Three",
    ]
