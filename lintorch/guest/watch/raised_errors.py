"""Where a model raised: at sizes that it does not run at, or at whatever it was fed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torch import nn

from lintorch.guest.process.error_text import class_name_of, text_of
from lintorch.guest.watch.running_layers import class_name
from lintorch.guest.watch.user_lines import UserLines, walk_frames
from lintorch.record.events import Raised

_MOST_LETTERS = 400


def record_error(
    error: BaseException,
    module: nn.Module,
    files: UserLines,
    changed: Mapping[str, int] | None = None,
) -> Raised | None:
    """The event of an exception, at the innermost line of the user's in its traceback."""
    site = files.of_error(error)
    if site is None:
        return None
    path, layer_class = _running(error, module)
    text = text_of(error).strip().partition("\n")[0][:_MOST_LETTERS]
    kind, sizes = class_name_of(error), dict(changed or {})
    return Raised(site, path, layer_class, kind=kind, text=text, sizes=sizes)


def _running(error: BaseException, module: nn.Module) -> tuple[str, str]:
    """Path and class of the innermost module of the model that was running."""
    paths = {id(part): path for path, part in reversed(list(module.named_modules()))}
    found = list(_modules(error, paths))
    return found[-1] if found else ("", "")


def _modules(error: BaseException, paths: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    for frame, _ in walk_frames(error.__traceback__):
        running = frame.f_locals.get("self")
        if isinstance(running, nn.Module) and id(running) in paths:
            yield paths[id(running)], class_name(running)
