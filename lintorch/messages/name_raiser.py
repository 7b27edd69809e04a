"""The function of an installed package that raised an error, where its message is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from lintorch.messages.recognise import Recognised

_PATH = r"(?:site|dist)-packages[/\\](?P<{0}>[^\"'\s:\]│]{{1,200}}\.pyx?)"
_FRAME = re.compile(
    rf'File "[^"]{{0,300}}?{_PATH.format("path")}", line (?P<row>\d{{1,7}}), in (?P<name>[\w<>.]{{1,80}})'
    rf"|{_PATH.format('path2')}:(?P<row2>\d{{1,7}})(?:: in |,? in )(?P<name2>[\w<>]{{1,80}})"
    rf"|{_PATH.format('path3')}(?:\]\([^)]{{0,400}}\))? in (?P<name3>\w{{1,80}})\("
)
_OTHER = re.compile(r'File "(?!<)|\.py:\d{1,7}(?:: in |,? in )|<ipython-input-|\.py in \w{1,80}\(')
_BEFORE = 4000
_CALLING = ("torch/nn/modules/module.py", "runpy.py")
"""They only call what failed."""


def find_raiser(text: str, at: int) -> str:
    """`collect (onnxruntime/quantization/calibrate.py, line 739)` of a text that `unify_text` has made.

    "" where the last frame before the error is of no installed package.
    """
    named = _find_last(text, at)
    if not named:
        return ""
    where = f"{named['path']}, line {named['row']}" if "row" in named else named["path"]
    return f"{named['name']} ({where})" if named["name"][0] != "<" else where


def write_frame(text: str, at: int) -> str:
    """That frame as Python writes one, whatever wrote the traceback; "" where there is none."""
    named = _find_last(text, at)
    if not named:
        return ""
    return f'File "packages/{named["path"]}", line {named.get("row", "0")}, in {named["name"]} '


def add_raiser(found: Recognised, text: str) -> Recognised:
    """A message of which the class alone is known, with the function that raised it."""
    raiser = find_raiser(text, found.at)
    if not raiser:
        return found
    told = f"{found.kind.cause} It was raised in {raiser}."
    return replace(found, kind=replace(found.kind, cause=told))


def _find_last(text: str, at: int) -> Mapping[str, str]:
    near = text[max(0, at - _BEFORE) : at]
    frames = [*_FRAME.finditer(near)]
    if not frames or _OTHER.search(near, frames[-1].end()):
        return {}
    named = {key.rstrip("23"): value for key, value in frames[-1].groupdict().items() if value}
    path = named["path"].replace("\\", "/")
    return {} if path.endswith(_CALLING) else {**named, "path": path}
