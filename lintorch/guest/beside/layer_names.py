"""Names of layers and weights in a file, whatever a wrapper has put before them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from lintorch.guest.export.onnx_graph import read_layer

_PREFIXES = ("module.", "_orig_mod.", "model.", "net.", "inner.", "wrapped.")


def list_stripped(name: str) -> list[str]:
    """A name, and what is left of it as the names of wrappers around the model are taken away, one by one."""
    found = [name]
    while prefix := next((each for each in _PREFIXES if found[-1].startswith(each)), ""):
        found.append(found[-1].removeprefix(prefix))
    return found


def list_unwrapped(name: str) -> list[str]:
    """What a name may be within a wrapper of any name: `conv.weight` of `body.conv.weight`, and of `a.b.conv.weight`."""
    atoms = name.split(".")
    return [".".join(atoms[count:]) for count in (1, 2) if len(atoms) > count]


def find_layer(node: Any, known: Collection[str]) -> str:
    """The layer that a node stands in, as the model calls it where it is one of the `known`.

    The older exporter leaves out containers that nobody calls: `h.0.attn` of `transformer.h.0.attn`,
    and `wrapper.h.0.attn` where that model is a wrapper's.
    """
    names = list_stripped(read_layer(node))
    stripped = next((each for each in names if each in known), names[-1])
    if stripped in known or not stripped:
        return stripped
    unwrapped = list_unwrapped(stripped)
    return (
        _find_longer(names, known)
        or next((each for each in unwrapped if each in known), "")
        or _find_longer(unwrapped, known)
        or stripped
    )


def _find_longer(names: Collection[str], known: Collection[str]) -> str:
    """The one path that has all of a name's parts, of the first name that has one; else ""."""
    for asked in names:
        longer = [each for each in known if _leaves_out(asked, each)]
        if len(longer) == 1:
            return longer[0]
    return ""


def _leaves_out(short: str, path: str) -> bool:
    """Whether a path has these names in order, others among them, and ends alike."""
    wanted, atoms = short.split("."), path.split(".")
    rest = iter(atoms)
    return wanted[-1] == atoms[-1] and len(wanted) < len(atoms) and all(w in rest for w in wanted)
