"""Blocks of Python between fences, as a README shows them: found alike on both sides of the wall."""

from __future__ import annotations

import re

FENCED = re.compile(
    r"^(?P<mark>```+|~~~+) *(?:python|py|python3|pycon)\b[^\n]*\n(?P<code>.*?)^(?P=mark)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
"""The `code` of each block."""
