"""Writes lintorch/facts/names/_torch_aliases.json: how else names of torch can be written.

    python benchmarks/torch_aliases.py

A class or function that torch documents as `torch.nn.Parameter` is defined in `torch.nn.parameter`,
and code imports it from there too. The table gives, for each such module, its names and the module
that documents them: {"torch.nn.parameter": {"torch.nn": ["Buffer", "Parameter", …]}}. Names of
private modules are left out, and so is what the documented module does not hold as the same object.
torch is imported and asked; linting never imports this file.
"""

from __future__ import annotations

import importlib
import inspect
import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILE = ROOT / "lintorch/facts/names/_torch_aliases.json"
NAMES = ROOT / "rules/api/_names.json"
PREFERRED = {
    "torch.amp.grad_scaler.GradScaler": "torch.amp",
    "torch.amp.autocast_mode.autocast": "torch.amp",
    "torch.autograd.grad_mode.enable_grad": "torch",
    "torch.autograd.grad_mode.inference_mode": "torch",
    "torch.autograd.grad_mode.no_grad": "torch",
    "torch.nn.parallel.data_parallel.DataParallel": "torch.nn",
}
"""Where torch documents an object under two names: the module that is more often written."""
DOCUMENTED = ("torch.overrides",)
"""Modules that torch documents, though the names of rules do not list them."""


def main() -> None:
    """Write the table."""
    FILE.write_text(json.dumps(aliases(), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def aliases() -> dict[str, dict[str, list[str]]]:
    """By module: the names it defines, by the module that documents them."""
    table: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for where, name, value in documented():
        home, qualname = value.__module__, value.__qualname__
        if qualname != name or any(part.startswith("_") for part in home.split(".")):
            continue
        if PREFERRED.get(f"{home}.{name}", where) == where and held(home, name) is value:
            table[home][where].append(name)
    return {home: {m: sorted(set(names)) for m, names in by.items()} for home, by in table.items()}


def documented() -> Iterator[tuple[str, str, Any]]:
    """Each class and function of torch that a documented module offers and another one defines."""
    public = [
        module for module in json.loads(NAMES.read_text("utf-8"))["names"] if is_torch(module)
    ]
    for where in public:
        for name in offered(where):
            value = held(where, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                home = getattr(value, "__module__", None) or ""
                if (
                    is_torch(home)
                    and home not in (*public, *DOCUMENTED)
                    and hasattr(value, "__qualname__")
                ):
                    yield where, name, value


def offered(module: str) -> list[str]:
    """The public names of a module."""
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", None) or dir(loaded)
    return [name for name in names if not name.startswith("_")]


def held(module: str, name: str) -> Any:
    """What a module holds under a name; None where it cannot be imported."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def is_torch(module: str) -> bool:
    """Whether a module is one of torch's."""
    return module == "torch" or module.startswith("torch.")


if __name__ == "__main__":
    main()
