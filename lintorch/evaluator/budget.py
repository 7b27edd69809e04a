"""How far a root is followed. Past any of these numbers the answer is unknown, never a guess."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """The numbers of one evaluation of one root."""

    steps: int = 12_000
    """Expressions and statements evaluated."""
    script_steps: int = 3_000
    """The same in a script."""
    file_steps: int = 16_000
    """The same in all roots of one file together."""
    top_steps: int = 6_000
    """The same for what files hold at their top, in all roots of one file together; more is charged to the roots."""
    decorator_steps: int = 200
    """The same in one call of a decorator."""
    star_steps: int = 20
    """What it costs to look for a name in one more file that is imported whole."""
    training_steps: int = 6_000
    """The same in a function that trains, and in a script whose models cost too much to be entered."""
    row_steps: int = 400
    """The same in the rows of layers that nothing has run when the steps of a root are spent."""
    loose_steps: int = 4_000
    """The same in all functions of one file that no model and no script enters."""
    helper_steps: int = 300
    """The same in each function of another file that one of these calls."""
    training_file_steps: int = 20_000
    """The same in all such functions of one file together."""
    last_training_steps: int = 2_000
    """The same in each function that trains by itself, when those of its file are spent."""
    depth: int = 48
    """Functions that are inside of each other."""
    repeats: int = 3
    """Times that one function may be inside of itself."""
    counted: int = 6
    """The same of one that counts down."""
    unrolled: int = 80
    """Passes of one loop whose length is known."""
    nested: int = 300
    """Passes of loops of known lengths that stand inside of each other, together."""
    items: int = 512
    """Items of a list or dictionary that are told apart."""
    rounds: int = 3
    """Passes of a loop of unknown length until what changes is unknown."""


BRIEF = Budget(
    steps=1_000,
    script_steps=300,
    file_steps=1_500,
    top_steps=600,
    training_steps=600,
    row_steps=100,
    loose_steps=400,
    training_file_steps=1_500,
    last_training_steps=300,
)
"""For somebody who waits while typing: a tenth of the time."""


class SpentError(Exception):
    """The steps of a root are spent."""
