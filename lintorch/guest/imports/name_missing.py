"""An error that comes of a package that is not there says which, also where its own text does not."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import re
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType

from lintorch.guest.imports.stand_in import (
    NOT_INSTALLED,
    Missing,
    MissingPackageError,
    StandIn,
)
from lintorch.guest.process.error_text import text_of
from lintorch.guest.watch.user_lines import walk_frames


def name_missing(error: BaseException) -> BaseException:
    """The error; in its place one that names the package, where a stand-in for it or a name of it is to blame.

    `expected np.ndarray (got StandIn)`, and `name 'stft' is not defined` where `from filters import stft`
    stands in a `try`.
    """
    walked = [*walk_frames(error.__traceback__)]
    frames = [frame for frame, _ in walked]
    missing: Missing | None = None
    if "StandIn" in text_of(error):
        held = (value for pair in reversed(walked) for value in _list_held(*pair))
        found = next((value for value in held if type(value) is StandIn), None)
        missing = vars(found)["_missing"] if found is not None else None
    elif isinstance(error, NameError) and frames:
        package = next(_list_guarded(frames[-1], str(error.name)), "")
        missing = Missing(package, NOT_INSTALLED) if package else None
    if missing is None:
        return error
    named = MissingPackageError(missing.describe(), name=missing.name)
    return named.with_traceback(error.__traceback__)


def _list_held(frame: FrameType, row: int) -> Iterator[object]:
    """What the names of a frame stand for, then those of its file that the row speaks of."""
    yield from frame.f_locals.values()
    for name in re.findall(r"\w+", linecache.getline(frame.f_code.co_filename, row)):
        yield frame.f_globals.get(name)


def _list_guarded(frame: FrameType, name: str) -> Iterator[str]:
    """The packages that are not there and that a `try` of the frame's file imports a name from."""
    text = "".join(linecache.getlines(frame.f_code.co_filename))
    with suppress(SyntaxError, ValueError):
        for guard in ast.walk(ast.parse(text)):
            for node in ast.walk(guard) if isinstance(guard, ast.Try) else ():
                if isinstance(node, (ast.Import, ast.ImportFrom)) and _binds(node, name):
                    module = getattr(node, "module", None) or node.names[0].name
                    top = module.partition(".")[0]
                    if not getattr(node, "level", 0) and importlib.util.find_spec(top) is None:
                        yield top


def _binds(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    return any((each.asname or each.name).partition(".")[0] == name for each in node.names)
