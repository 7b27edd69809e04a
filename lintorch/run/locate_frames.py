"""Finds the lines that an .onnx file names, in the files that are here now."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import replace

from lintorch.core.text_rows import split_rows
from lintorch.files import FileText, read_file
from lintorch.run.node_frames import Frame


class FrameLocator:
    """Looks for files by their path, else by the end of it below these folders and the working directory.

    The file that names them may come from anywhere: only Python files are opened, and none of
    another machine's share.
    """

    def __init__(self, paths: Sequence[str] = ()) -> None:
        self._folders = dict.fromkeys(
            ["", *(each if os.path.isdir(each) else os.path.dirname(each) for each in paths)]
        )
        self._find = functools.cache(self._find_file)
        self._read = functools.cache(_read_lines)

    def locate(self, frame: Frame) -> Frame:
        """The frame with the file that is meant, and the row in which its line stands now."""
        found = self._find(frame.path)
        if not found:
            return frame
        lines = self._read(found)
        if not frame.source:
            known = 0 < frame.row <= len(lines)
            source = lines[frame.row - 1] if known else ""
            return replace(frame, found=found, source=source, now=frame.row if known else 0)
        rows = [row for row, line in enumerate(lines, 1) if line == frame.source]
        now = min(rows, key=lambda row: abs(row - frame.row), default=0)
        return replace(frame, found=found, now=now)

    def _find_file(self, path: str) -> str:
        if not path.endswith(".py") or path.startswith(("\\\\", "//")) or "\0" in path:
            return ""
        if os.path.isfile(path):
            return _shorten(path)
        if Frame(path, 1, "").is_installed:
            return ""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        for start in range(len(parts)):
            for folder in self._folders:
                tail = os.path.join(folder, *parts[start:])
                if os.path.isfile(tail):
                    return _shorten(tail)
        return ""


def _shorten(path: str) -> str:
    below = os.path.relpath(path)
    return path if below.startswith("..") else below


def _read_lines(path: str) -> list[str]:
    found = read_file(path)
    return (
        [line.strip() for line in split_rows(found.text).lines]
        if isinstance(found, FileText)
        else []
    )
