"""What was assumed, stood in for or taken from elsewhere so that a model could run: said with the model."""

from __future__ import annotations

_said: list[str] = []
_stood_in: dict[str, list[str]] = {}


def note_assumption(text: str) -> None:
    """Keep a sentence for the model that is being made; each is said once.

    What is noted while a file is imported holds for all of its models: they run in forks of that process.
    """
    if text not in _said:
        _said.append(text)


def note_stand_in(name: str, why: str) -> None:
    """Keep the name of what was stood in for; names of the same reason are said in one sentence."""
    names = _stood_in.setdefault(why, [])
    if name not in names:
        names.append(name)


def list_assumptions() -> tuple[str, ...]:
    """What was noted in this process and those it was forked from, in order."""
    stood_in = (
        f"stood in for: {', '.join(names)} ({why.removeprefix('is ')})"
        for why, names in _stood_in.items()
    )
    return (*_said, *stood_in)
