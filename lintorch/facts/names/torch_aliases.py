"""One spelling for names that torch offers under several: the one that it documents."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

_TABLE = Path(__file__).with_name("_torch_aliases.json")
"""By the module that defines a name, and the one that documents it; `benchmarks/torch_aliases.py` writes it."""
_LAYERS = "torch.nn.modules."


@lru_cache(4096)
def documented_name(dotted: str) -> str:
    """`torch.nn.Parameter` for `torch.nn.parameter.Parameter`; any other name as it is.

    Also of what hangs on such a name: `torch.nn.modules.module.Module.forward`.
    """
    if dotted.count(".") < 2 or not dotted.startswith("torch."):
        return dotted
    known = _documented()
    if dotted in known:
        return known[dotted]
    holder, _, member = dotted.rpartition(".")
    if holder in known:
        return f"{known[holder]}.{member}"
    if dotted.startswith(_LAYERS) and member[:1].isupper():
        return f"torch.nn.{member}"
    return dotted


@cache
def _documented() -> dict[str, str]:
    table: dict[str, dict[str, list[str]]] = json.loads(_TABLE.read_text("utf-8"))
    return {
        f"{home}.{name}": f"{module}.{name}"
        for home, documented in table.items()
        for module, names in documented.items()
        for name in names
    }
