"""What a tracer's warning means whose file is not here, by its words and the line that the log shows of it."""

from __future__ import annotations

import re

_ASSERT = re.compile(r"assert\b")
_BRANCH = re.compile(r"(?:el)?if\b|while\b|.+ if .+ else ")
_KEPT = "the trace keeps"
_GUESSES = (
    ("Python boolean", _BRANCH, f"it is a branch: {_KEPT} the side that the example took, which is wrong for inputs that take the other. One that asks for sizes of one kind alone, or only checks, is harmless"),
    ("Python boolean", re.compile(""), f"a question is answered once: {_KEPT} the answer that the example had"),
    (r"Python (?:integer|index|number)|len of a tensor", re.compile(""), f"{_KEPT} the number that the example had: wrong at other sizes where it comes of a shape (write x.shape[1] in place of int(x.shape[1]) or len(x), -1 in view and reshape, x.shape[2:] in interpolate), right where it is the same for all inputs"),
    ("Python float", re.compile(""), f"{_KEPT} the number that the example had: wrong at other sizes where it comes of a shape (x.shape[1] ** 0.5 in place of math.sqrt(x.shape[1])), right where it is a constant of the model"),
    ("NumPy array", re.compile(""), f"what NumPy computes is not recorded: {_KEPT} its result for the example. Harmless only where the same comes out for all inputs; else write it in torch"),
    ("Iterating over a tensor", re.compile(""), f"{_KEPT} as many rounds as the example has rows: right where their number is fixed (a box of four, three levels), wrong for a batch, a sequence or detections"),
    ("registered as constants", re.compile(""), f"{_KEPT} the tensor as the example made it: right where it is made of fixed numbers, wrong where it is made of sizes or data (torch.full, torch.zeros, x.new_full, torch.stack in its place)"),
)  # fmt: skip
"""By the warning and the line that it is of, the first that fits."""


def guess_check(source: str) -> bool:
    """Whether the line that a log shows is an assert, of which nothing is traced."""
    return bool(_ASSERT.match(source.strip()))


def guess_warning(text: str, source: str) -> str:
    """A clause about what the warning means wherever it is met; "" of one that is not known."""
    line = source.strip()
    for words, shape, meaning in _GUESSES:
        if re.search(words, text) and shape.match(line):
            return meaning
    return ""
