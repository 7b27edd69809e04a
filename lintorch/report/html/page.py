"""The page, in one file that asks no host for anything: a template, its style and scripts, and the record as JSON.

What comes of users' code is in the JSON alone, where no character can end it, and the scripts make
text of it, never markup. By its policy the page runs no script but its own, whatever stands in it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from lintorch.report.html.highlight import highlight_lines
from lintorch.report.html.page_index import list_models, make_index
from lintorch.report.record_changes import Record

_HERE = Path(__file__).parent
_SCRIPTS = ("elements", "address", "filters", "matrix", "plots", "layer_plot", "graph", "layers", "source", "model", "main")  # fmt: skip
"""In this order: each uses those before it."""
_HOLE = re.compile(r"\{(policy|title|style|data|script)\}")
_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def write_page(record: Record, out: TextIO, title: str = "lintorch export") -> None:
    """Write the whole page, in UTF-8 where the stream is."""
    style = (_HERE / "style.css").read_text("utf-8")
    code = "\n".join((_HERE / f"{name}.js").read_text("utf-8") for name in _SCRIPTS)
    script = f'"use strict";\n{code}'
    parts = {
        "policy": _write_policy(style, script),
        "title": html.escape(title),
        "style": style,
        "data": "\n".join(_write_data(record)),
        "script": script,
    }
    page = (_HERE / "page.html").read_text("utf-8")
    out.write(_HOLE.sub(lambda hole: parts[hole[1]], page))


def _write_policy(style: str, script: str) -> str:
    """Nothing is loaded, sent or run but this style and this script."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _write_data(record: Record) -> Iterator[str]:
    """Each model and part of a file by itself, so that a page reads no more than it shows."""
    yield _write_block("index", make_index(record))
    for number, model in enumerate(list_models(record)):
        yield _write_block(f"model-{number}", model)
    for number, part in enumerate(record["sources"]):
        lines = highlight_lines(part["text"])
        shown = {key: value for key, value in part.items() if key != "text"}
        yield _write_block(f"source-{number}", {**shown, "lines": lines})


def _write_block(name: str, value: object) -> str:
    text = json.dumps(_make_finite(value), separators=(",", ":"), ensure_ascii=False)
    return f'<script type="application/json" id="{name}">{text.translate(_ESCAPED)}</script>'


def _make_finite(value: Any) -> Any:
    """The same with texts for the numbers that JSON has none for, and none that no encoding has."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_make_finite(str(key)): _make_finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [*map(_make_finite, value)]
    if isinstance(value, float) and not (abs(value) <= 1e308):
        return str(value)
    return value
