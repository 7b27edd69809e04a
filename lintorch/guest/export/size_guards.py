"""What an exporter took for given of sizes while it traced a model, and which line made it do so.

`torch.export` writes down `height < 597` where a branch or an operator asks, and raises beyond; the new
ONNX exporter forgets it. Both ask a shape environment, which is listened to here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

_MOST_GUARDS = 2000
_SUPPRESSED = "suppressed"


@dataclass(frozen=True)
class SizeGuard:
    """One thing taken for given: where it holds, and the stack of who asked, innermost line last.

    `by_user` is whether Python asked outside torch, and not an operator of its own.
    """

    environment: Any
    expression: Any
    stack: str
    by_user: bool


@dataclass
class GuardLog:
    """All that was taken for given in one export, in order."""

    guards: list[SizeGuard] = field(default_factory=list)

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Within, notes what shape environments take for given; nothing where torch has no such method."""
        from torch.fx.experimental.symbolic_shapes import ShapeEnv

        told = getattr(ShapeEnv, "_log_guard", None)

        def note(environment: Any, prefix: Any, guard: Any, *args: Any, **kwargs: Any) -> Any:
            if _SUPPRESSED not in str(prefix) and len(self.guards) < _MOST_GUARDS:
                with suppress(Exception):  # another release of torch
                    self.guards.append(_make_guard(environment, guard, sys._getframe(1)))
            return told(environment, prefix, guard, *args, **kwargs) if told else None

        if told is not None:
            ShapeEnv._log_guard = note
        try:
            yield
        finally:
            if told is not None:
                ShapeEnv._log_guard = told

    def find_fixing_stack(self, find_fixed: Callable[[Any], set[Any]]) -> str:
        """The stack in which a size was made constant; `find_fixed` gives an environment's constants.

        Where none says so in a word, that in which one of them was first asked for.
        """
        about = [
            guard
            for guard in self.guards
            if set(guard.expression.free_symbols) & find_fixed(guard.environment)
        ]
        settled = [each for each in about if _is_settled(each.expression)]
        return next((guard.stack for guard in (*settled, *about)), "")

    def find_tying_stack(self) -> str:
        """The stack that first asked for two sizes to be one, of which a line rounded at least one.

        Solving for a size that was halved and rounded is what the solver gives up at.
        """
        return next((each.stack for each in self.guards if _ties_rounded(each.expression)), "")


def _is_settled(expression: Any) -> bool:
    """Whether a guard says what number a size is."""
    sides = getattr(expression, "args", ())
    return type(expression).__name__ == "Equality" and any(
        getattr(each, "is_number", False) for each in sides
    )


def _ties_rounded(expression: Any) -> bool:
    """Whether a guard says that two sizes are one, neither a number and one of them rounded."""
    if type(expression).__name__ != "Equality" or _is_settled(expression):
        return False
    from torch.utils._sympy.functions import CeilToInt, FloorDiv, Mod, PythonMod

    return bool(expression.has(CeilToInt, FloorDiv, Mod, PythonMod))


def _make_guard(environment: Any, expression: Any, frame: FrameType | None) -> SizeGuard:
    from torch.fx import traceback as graph_traceback
    from torch.fx.experimental.symbolic_shapes import uninteresting_files

    frames = [*_walk_outwards(frame)]
    apart = uninteresting_files()
    asked = next((each for each in frames if each.f_code.co_filename not in apart), None)
    module = "" if asked is None else asked.f_globals.get("__name__", "")
    lines = [
        f'  File "{each.f_code.co_filename}", line {each.f_lineno}, in {each.f_code.co_name}'
        for each in reversed(frames)
    ]
    if (
        graph_traceback.has_preserved_node_meta()
    ):  # a graph, traced once more, knows its first lines
        lines = [*graph_traceback.format_stack(), *lines]
    return SizeGuard(environment, expression, "\n".join(lines), module.partition(".")[0] != "torch")


def _walk_outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
