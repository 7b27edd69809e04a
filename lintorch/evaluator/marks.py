"""The order of what happens: marks between the events where ways part and meet, loops turn, calls begin and end.

They are told only where `machine.marks` is set: in scripts and functions that train, never in the
forward of a model. `facts/training` puts them together to the ways through a loop.
"""

from __future__ import annotations

import ast

from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.values import Function, Given, Value

Cell = tuple[int, str]
"""Where a name or an attribute is kept: the address of its frame or object, and the name."""


@frozen_record
class Test:
    """A condition: "and", "or" or "not" of `parts`, or by itself.

    `key` is what is asked; `way` False where the opposite of it is asked. `cells` are the names
    and attributes that it depends on, and that may be given another value.
    """

    kind: str = ""
    parts: tuple[Test, ...] = ()
    key: str = ""
    way: bool = True
    cells: frozenset[Cell] = frozenset()


@frozen_record
class Mark(Occurrence):
    """No event by itself."""


@frozen_record
class Forked(Mark):
    """Several ways begin, of which it is not known which is taken."""


@frozen_record
class Parted(Mark):
    """One of these ways begins."""


@frozen_record
class Joined(Mark):
    """All of these ways are over."""


@frozen_record
class LoopBegan(Mark):
    """A loop begins; `node` is all of it."""


@frozen_record
class Turned(Mark):
    """A pass of a loop begins."""


@frozen_record
class LoopEnded(Mark):
    """A loop is over."""


@frozen_record
class CallBegan(Mark):
    """A function of a file is entered."""

    function: Function
    given: Given
    call: ast.AST
    """The call."""


@frozen_record
class CallEnded(CallBegan):
    """It is left."""


@frozen_record
class Left(Mark):
    """This way ends: by "return", "raise", "break" or "continue"."""

    how: str


@frozen_record
class HandlerBegan(Mark):
    """What is carried out only after an error begins."""


@frozen_record
class HandlerEnded(Mark):
    """It is over."""


@frozen_record
class ContextEntered(Mark):
    """A `with` block begins."""

    manager: Value


@frozen_record
class ContextLeft(Mark):
    """It is over."""

    manager: Value


@frozen_record
class NameBound(Mark):
    """A name is given a value."""

    cell: Cell
    value: Value


@frozen_record
class Asked(Mark):
    """A condition is asked that is not decided: of the two ways that begin, it holds on the first."""

    test: Test


NOWHERE = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
