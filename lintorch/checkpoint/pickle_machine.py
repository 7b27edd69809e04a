"""Reads a pickle's opcodes and says what they describe; nothing that they name is imported or called."""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lintorch.checkpoint.limits import MOST_NUMBER, MOST_OPCODES, BoundedReader, CheckpointError
from lintorch.checkpoint.pickle_steps import STEPS, PickleState
from lintorch.checkpoint.values import Value
from lintorch.checkpoint.weights_only import WeightsOnly

_UNREADABLE = (ValueError, OverflowError, struct.error, EOFError, UnicodeError)


@dataclass
class OpcodeBudget:
    """Opcodes that the pickles of one file may have left."""

    left: int = MOST_OPCODES


@dataclass(frozen=True)
class Pickled:
    """What one pickle describes."""

    value: Value
    protocol: int
    opcodes: int


@dataclass
class PickleReading:
    """How the pickles of one file are read: what its persistent ids stand for, and what torch makes of it."""

    find_persistent: Callable[[Value], Value] = lambda found: found
    weights_only: WeightsOnly = field(default_factory=WeightsOnly)
    open_inner: Callable[[bytes], Value] = lambda data: None
    """What a file within the pickle describes, which torch writes for tensors that pickle is given."""
    budget: OpcodeBudget = field(default_factory=OpcodeBudget)

    def read(self, file: BoundedReader) -> Pickled:
        """The next pickle of a file. Raises CheckpointError."""
        state = PickleState(self.find_persistent, self.open_inner, self.weights_only)
        protocol = 0
        for count, (name, argument, at) in enumerate(_list_opcodes(file), 1):
            self.budget.left -= 1
            if self.budget.left < 0:
                raise CheckpointError(f"its pickle has more than {MOST_OPCODES:,} opcodes")
            protocol = argument if name == "PROTO" else protocol
            self.weights_only.see_opcode(name)
            try:
                if name == "STOP":
                    return Pickled(state.pop(), protocol, count)
                STEPS[name](state, argument)
            except KeyError:
                raise CheckpointError(f"its pickle has the opcode {name}, not known here") from None
            except (IndexError, TypeError, ValueError) as error:
                raise CheckpointError(
                    f"its pickle is broken: {name} at byte {at} has not what it needs"
                ) from error
        raise CheckpointError("its pickle has no end")


def _list_opcodes(file: Any) -> Iterator[tuple[str, Any, int | None]]:
    """Name, argument and place of each. Raises CheckpointError."""
    opcodes = pickletools.genops(file)
    while True:
        try:
            opcode, argument, at = next(opcodes)
        except StopIteration:
            return
        except _UNREADABLE as error:
            cut = "only " in str(error) or isinstance(error, EOFError)
            what = "it is cut off" if cut else "its pickle is broken"
            raise CheckpointError(f"{what}: {_describe(error)}") from error
        if type(argument) is int and argument.bit_length() > 8 * MOST_NUMBER:
            raise CheckpointError(f"a number in its pickle takes more than {MOST_NUMBER} bytes")
        yield opcode.name, argument, at


def _describe(error: Exception) -> str:
    text = str(error)
    return text[:120] if text else type(error).__name__
