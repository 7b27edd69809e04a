"""The heap at one point of a run: what each address holds; forked at branches and joined after them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_generations = itertools.count(1)
Cells = dict[int, tuple[int, dict[Any, Any]]]


@dataclass
class WriteLog:
    """What was written to in all forks of one state."""

    lowest: int = sys.maxsize
    """The oldest address since somebody last asked."""
    changes: int = 0
    """How often something that files hold at their top was changed."""


class State:
    """What every address holds. Cells are shared between forks, and copied when they are written to."""

    __slots__ = ("cells", "generation", "ground", "log")

    def __init__(
        self,
        cells: Cells | None = None,
        ground: Cells | None = None,
        log: WriteLog | None = None,
    ) -> None:
        self.cells: Cells = {} if cells is None else cells
        self.log = log or WriteLog()
        self.ground: Cells = {} if ground is None else ground
        """What files hold at their top, which no path made: seen where a state has nothing else."""
        self.generation = next(_generations)

    def read(self, address: int) -> Mapping[Any, Any]:
        """What an address holds; nothing where it was made on another path."""
        cell = self.cells.get(address) or self.ground.get(address)
        return {} if cell is None else cell[1]

    def find_cell(self, address: int) -> tuple[int, dict[Any, Any]] | None:
        """What an address holds, and the generation of the state that wrote it."""
        return self.cells.get(address) or self.ground.get(address)

    def write(self, address: int) -> dict[Any, Any]:
        """The same, to be changed in this state alone."""
        if address < self.log.lowest:
            self.log.lowest = address
        cell = self.cells.get(address)
        if cell is None:
            cell = self.ground.get(address)
            self.log.changes += cell is not None
        elif cell[0] == self.generation:
            return cell[1]
        held = {} if cell is None else dict(cell[1])
        self.cells[address] = (self.generation, held)
        return held

    def fork(self) -> State:
        """A state that goes its own way from here, as this one does."""
        self.generation = next(_generations)
        return State(dict(self.cells), self.ground, self.log)
