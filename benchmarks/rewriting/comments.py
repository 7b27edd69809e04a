"""Comments with the words that detectors look for before they read a file."""

from __future__ import annotations

from dataclasses import replace

from rewriting.program import Program

_ASKED_OF_TEXT = (
    *("zero_grad(", ".zero_grad()", "grad_scaler", "scaler", "caler", "requires_grad", "2d"),
    *("DataLoader(", "time", "jit", "device", "is_complex(", "weight", "# type:", "named_"),
    *("add_param_group", "initial_lr", "raises", "no_grad", "eval()", ".eval(", "onnx", "range("),
)
"""Words that rules and facts ask a text for, beside the gates of detectors."""


def name_own_gates(program: Program) -> Program:
    """A comment holds each word of the gates of the rule's detectors."""
    words = dict.fromkeys(program.gates)
    return _comment(program, " ".join(" ".join(words).split())) if words else program


def name_other_words(program: Program) -> Program:
    """A comment holds the words that rules ask a whole text for."""
    return _comment(program, " ".join(_ASKED_OF_TEXT))


def _comment(program: Program, words: str) -> Program:
    return replace(program, text=f"# {words}\n{program.text}\n# {words}\n")
