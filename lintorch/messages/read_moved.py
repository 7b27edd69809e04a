"""Names that came or went between releases of a package: which release has one, and what took its place."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lintorch.messages.message_kinds import Kind, parse_toml

MOVED = "any/moved-name"
_TABLE = Path(__file__).with_name("moved_names.toml")
_ANY_CLASS = "*"
_UNKNOWN = "?"
_ALIASES = {
    "tensorrt_bindings": "tensorrt",
    "tensorrt_libs": "tensorrt",
    "tf": "tensorflow",
    "ONNXProgram": "torch.onnx.ONNXProgram",
    "ModelType": "tensorflow.ModelType",
}
_OWN = "Python"
_DOTTED = re.compile(r"\b(?:[A-Za-z_]\w{0,60}\.){1,4}[A-Za-z_]\w{0,60}")


@dataclass(frozen=True)
class MovedName:
    """A name and the releases that have it; "" where it was always there, or still is, "?" where only its end is known."""

    name: str
    package: str
    since: str
    gone: str
    write: str


def find_moved(groups: Mapping[str, str]) -> MovedName | None:
    """What is known of the name that an error asks a package for; None where nothing is."""
    package, name = groups.get("package", ""), groups.get("name", "")
    if not package:
        return _look_up(name, partly=True) if name else None
    return _look_up(f"{package}.{name}", partly=False)


def describe_moved(kind: Kind, moved: MovedName) -> Kind:
    """The kind of an error with the release that has the name, and what to write instead."""
    package, asked = moved.package, f"`{moved.name}`"
    came = f"came with {package} {moved.since}" if moved.since else ""
    gone = (
        "went in a later release" if moved.gone == _UNKNOWN else f"went with {package} {moved.gone}"
    )
    if not moved.gone:
        cause = f"{asked} {came}: the installed {package} is older."
        write = f"{package} {moved.since} or newer"
        write = f"{write}; or {moved.write}" if moved.write else write
    else:
        parts = " and ".join(part for part in (came, gone) if part)
        cause = f"{asked} {parts}: the code was written for another {package} than the one that is installed."
        write = moved.write
    return replace(kind, cause=f"{cause} {kind.cause}", remedy=f"{write}; {kind.remedy}")


def tell_moved(code: str) -> str:
    """What is known of the names that lines of code ask packages for: of those that went in a release; "" of others."""
    for asked in _DOTTED.findall(code):
        moved = _look_up(asked, partly=False)
        if moved is not None and moved.gone not in ("", _UNKNOWN):
            return f"That line asks for `{moved.name}`, which went with {moved.package} {moved.gone}; write {moved.write}."
    return ""


def _look_up(asked: str, *, partly: bool) -> MovedName | None:
    """By the whole name; `partly` by the longest known one that it begins with: of a module that is not found."""
    package, *rest = asked.split(".")
    package = _ALIASES.get(package, package)
    table = load_moved()
    if rest and (found := table.get(f"{package}.{_ANY_CLASS}.{rest[-1]}")):
        return found
    for length in range(len(rest), (0 if partly else len(rest)) - 1, -1):
        found = table.get(".".join((package, *rest[:length])))
        if found is not None:
            return found
    return None


@functools.cache
def load_moved() -> Mapping[str, MovedName]:
    """By the whole name as Python writes it: `torch._six`, `tensorrt.*.num_bindings`, `inspect.getargspec`."""
    found: dict[str, MovedName] = {}
    for package, names in parse_toml(_TABLE).items():
        for name, told in names.items():
            full = name if package == _OWN else f"{package}.{name}"
            shown = full.replace(f"{package}.{_ANY_CLASS}.", "")
            since, gone, write = (told.get(key, "") for key in ("since", "gone", "write"))
            found[full] = MovedName(shown, package, since, gone, write)
    return found
