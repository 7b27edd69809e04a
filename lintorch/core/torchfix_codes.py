"""The codes that TorchFix has for what rules of this checkout report, as people select and suppress them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PATTERN = re.compile(r"TOR\d{0,3}", re.IGNORECASE)
RULES: Mapping[str, tuple[str, ...]] = {
    "TOR001": ("retired-name",),
    "TOR002": ("frozen-by-assignment",),
    "TOR003": ("checkpoint-arguments",),
    "TOR004": ("retired-name", "dead-package"),
    "TOR101": ("retired-name", "retired-amp"),
    "TOR102": ("unsafe-load",),
    "TOR103": ("retired-name", "dead-package"),
    "TOR104": ("nonpublic-name",),
    "TOR105": ("nonpublic-name",),
    "TOR106": ("unstable-expression",),
    "TOR107": ("unstable-expression",),
    "TOR108": ("unstable-expression",),
    "TOR201": ("retired-argument",),
    "TOR202": ("retired-transform",),
    "TOR203": (),
    "TOR401": ("loader-speed",),
    "TOR402": ("zeroed-gradients",),
    "TOR901": (),
}
"""By code, the names of the rules; none for a matter of style, and for one of torch's own tests."""


def is_torchfix(word: str) -> bool:
    """Whether a word is a code of TorchFix, or the beginning of one."""
    return bool(_PATTERN.fullmatch(word)) and any(code.startswith(word.upper()) for code in RULES)


def find_torchfix_rules(word: str) -> frozenset[str]:
    """The names of the rules that a code of TorchFix, or the beginning of codes, stands for."""
    found = [names for code, names in RULES.items() if code.startswith(word.upper())]
    return frozenset(name for names in found for name in names)
