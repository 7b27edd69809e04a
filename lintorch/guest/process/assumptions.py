"""What was assumed, stood in for or taken from elsewhere so that a model could run: said with the model."""

from __future__ import annotations

_said: list[str] = []


def note_assumption(text: str) -> None:
    """Keep a sentence for the model that is being made; each is said once.

    What is noted while a file is imported holds for all of its models: they run in forks of that process.
    """
    if text not in _said:
        _said.append(text)


def list_assumptions() -> tuple[str, ...]:
    """What was noted in this process and those it was forked from, in order."""
    return tuple(_said)
