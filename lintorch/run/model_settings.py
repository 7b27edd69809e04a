"""What was inferred of models becomes settings that a user can edit."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lintorch.files import FileText, NotWritten, UnreadableFile, read_file, write_file
from lintorch.record.input_notation import write_arguments
from lintorch.record.models import Failure, Model
from lintorch.run.model_stubs import write_stubs
from lintorch.run.write_toml import write_key, write_value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class ModelsAdded:
    """A settings file, and the names of the models that were added to it."""

    path: str
    names: tuple[str, ...]
    open: tuple[str, ...] = ()
    """Of models that could not be had: their tables are comments, to be filled in."""


def add_models(
    file: str,
    models: Iterable[Model],
    taken: Collection[str],
    failures: Iterable[Failure] = (),
    folder: str = "",
) -> ModelsAdded:
    """Add a table for each model at the end of a settings file, which need not exist yet.

    Of `failures` that settings may mend a commented table, which names its factory relative to
    `folder`. Models that the file holds by now are left out. Raises NotWritten, with the file as it was.
    """
    original = _read_settings(file)
    held = _held_models(original)
    named = _name_models([m for m in models if m.qualname not in held], {*taken, *held})
    root = "tool.lintorch.models" if _is_project(file) else "models"
    stubs = list(write_stubs(failures, root, folder, original.text))
    if not named and not stubs:
        return ModelsAdded(file, ())
    tables = ["\n".join(_model_table(f"{root}.{write_key(n)}", m)) for n, m in named.items()]
    added = "\n\n".join([*tables, *(text for _, text in stubs)]) + "\n"
    if original.text:
        added = ("\n" if original.text.endswith("\n") else "\n\n") + added
    whole = original.text + added.replace("\n", original.newline)
    _require_toml(file, whole)
    if os.path.exists(file):
        write_file(original, whole)
    else:
        _create_file(file, whole)
    return ModelsAdded(file, tuple(named), tuple(name for name, _ in stubs))


def _is_project(file: str) -> bool:
    return os.path.basename(file) == "pyproject.toml"


def _held_models(original: FileText) -> Collection[str]:
    """The models that a settings file names, as it is now; none of what is no TOML."""
    try:
        found: Any = tomllib.loads(original.text)
    except tomllib.TOMLDecodeError:
        return ()
    path = ("tool", "lintorch", "models") if _is_project(original.path) else ("models",)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return tuple(found) if isinstance(found, dict) else ()


def _read_settings(file: str) -> FileText:
    if not os.path.exists(file):
        return FileText(file, "")
    found = read_file(file)
    if isinstance(found, UnreadableFile):
        raise NotWritten(file, found.cause)
    return found


def _create_file(file: str, text: str) -> None:
    """A file that turned up meanwhile is left as it is."""
    try:
        with open(file, "xb") as stream:
            try:
                stream.write(text.encode())
                stream.flush()
            except OSError:
                os.unlink(file)
                raise
    except OSError as error:
        raise NotWritten(file, error.strerror or str(error)) from error


def _require_toml(file: str, whole: str) -> None:
    """The whole must still be TOML: the file may write `lintorch = { ... }` in one line."""
    try:
        tomllib.loads(whole)
    except tomllib.TOMLDecodeError as error:
        cause = f"models cannot be added at its end ({error}); write [tool.lintorch] as a table"
        raise NotWritten(file, cause) from error


def _name_models(models: Iterable[Model], taken: Collection[str]) -> dict[str, Model]:
    """Each model by a name of its own: that of its class, with its file's where others have it."""
    named: dict[str, Model] = {}
    for model in models:
        stem = os.path.splitext(os.path.basename(model.path))[0]
        names = [model.qualname, f"{stem}-{model.qualname}"]
        names += [f"{stem}-{model.qualname}-{number}" for number in range(2, len(named) + 3)]
        named[next(name for name in names if name not in named and name not in taken)] = model
    return named


def _model_table(heading: str, model: Model) -> Iterator[str]:
    yield f"[{heading}]"
    yield f"factory = {write_value(model.factory)}"
    if model.settings:
        yield f"args = {write_value(model.settings)}"
    if model.unsaid:
        yield f"# made up at each run: {', '.join(model.unsaid)}"
    yield f"inputs = {write_value(write_arguments(model.inputs, model.sizes))}"
