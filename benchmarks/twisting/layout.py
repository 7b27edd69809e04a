"""Line ends, marks, encodings and indentation."""

from __future__ import annotations

import libcst as cst


def end_in_crlf(text: str) -> str:
    """Lines end as Windows ends them."""
    return text.replace("\n", "\r\n")


def put_mark(text: str) -> bytes:
    """A byte-order mark, and lines of both kinds."""
    head, _, rest = text.partition("\n")
    return b"\xef\xbb\xbf" + f"{head}\r\n{rest}".encode()


def encode_latin(text: str) -> str | bytes:
    """Another encoding, which lacks most letters."""
    whole = f"# -*- coding: latin-1 -*-\n# für\n{text}"
    return whole.encode("latin-1") if whole.isascii() or _is_latin(whole) else text


def drop_last_newline(text: str) -> str:
    """The last line has no end."""
    return text.rstrip("\n")


def put_form_feeds(text: str) -> str:
    """A form feed above each line that begins a definition, as old editors wrote them."""
    heads = ("def ", "class ", "@", "for ", "with ")
    rows = text.split("\n")
    return "\n".join(f"\f\n{row}" if row.startswith(heads) else row for row in rows)


def indent_by_tabs(text: str) -> str:
    """A tab for each level."""
    return cst.parse_module(text).with_changes(default_indent="\t").code


def indent_by_one(text: str) -> str:
    """One blank for each level."""
    return cst.parse_module(text).with_changes(default_indent=" ").code


def _is_latin(text: str) -> bool:
    try:
        return bool(text.encode("latin-1"))
    except UnicodeEncodeError:
        return False
