"""Where a model raised: at sizes that it does not run at, or at whatever it was fed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torch import nn

from lintorch.guest.process.error_text import kind_of, text_of
from lintorch.guest.watch.running_layers import class_name
from lintorch.guest.watch.user_lines import UserLines, frames
from lintorch.record.trace import Event

_MOST_LETTERS = 400


def raised(
    error: BaseException,
    module: nn.Module,
    files: UserLines,
    changed: Mapping[str, int] | None = None,
) -> Event | None:
    """The `raised` event of an exception, at the innermost line of the user's in its traceback."""
    site = files.of_error(error)
    if site is None:
        return None
    path, kind = _running(error, module)
    text = text_of(error).strip().partition("\n")[0][:_MOST_LETTERS]
    args = {"kind": kind_of(error), **(changed or {})}
    return Event("raised", site, path, kind, args=args, value=text, symbols=tuple(changed or ()))


def _running(error: BaseException, module: nn.Module) -> tuple[str, str]:
    """Path and class of the innermost module of the model that was running."""
    paths = {id(part): path for path, part in reversed(list(module.named_modules()))}
    found = list(_modules(error, paths))
    return found[-1] if found else ("", "")


def _modules(error: BaseException, paths: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    for frame, _ in frames(error.__traceback__):
        running = frame.f_locals.get("self")
        if isinstance(running, nn.Module) and id(running) in paths:
            yield paths[id(running)], class_name(running)
