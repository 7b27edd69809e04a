"""What models of a package compute: `python run_models.py PARENT PACKAGE` prints a line for each.

Each in a fork of a process that has imported them, built after one seed and fed one random input in
eval mode; a line has the model, a digest of its state and outputs, and the files of the package that
its modules are defined in, as JSON.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from mending.small_models import MODELS
from mending.torchvision_operators import declare_missing_operators

_SECONDS = 180


def main() -> None:
    """Run them, each in a fork."""
    parent, package = sys.argv[1:]
    sys.path.insert(0, parent)
    sys.dont_write_bytecode = True
    declare_missing_operators()
    for home in dict.fromkeys(written.partition(":")[0] for written in MODELS.get(package, {})):
        with suppress(Exception):  # the model says so, in its fork
            importlib.import_module(home)
    for written in MODELS.get(package, {}):
        sys.stdout.flush()
        child = os.fork()
        if not child:
            signal.alarm(_SECONDS)
            print(json.dumps(_describe(package, written)), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


def _describe(package: str, written: str) -> dict[str, Any]:
    try:
        return {"model": written, **_run(package, written)}
    except Exception as error:
        return {"model": written, "failed": f"{type(error).__name__}: {error}"[:200]}


def _run(package: str, written: str) -> dict[str, Any]:
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    home, _, call = written.partition(":")
    model = eval(call, vars(importlib.import_module(home))).eval()
    inputs = [_make_input(each) for each in MODELS[package][written]]
    with torch.no_grad():
        outputs = model(*inputs)
    files = {_find_file(type(each)) for each in model.modules()} - {""}
    return {"digest": _digest([model.state_dict(), outputs]), "files": sorted(files)}


def _make_input(shape: tuple[int, ...] | str) -> Any:
    import torch

    if isinstance(shape, str):
        return eval(shape, vars(torch))
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


def _find_file(kind: type) -> str:
    module = sys.modules.get(kind.__module__)
    return os.path.realpath(getattr(module, "__file__", None) or "") if module else ""


def _digest(value: Any) -> str:
    found = hashlib.sha256()
    for each in _list_tensors(value):
        found.update(f"{each.dtype} {tuple(each.shape)}".encode())
        found.update(each.detach().contiguous().numpy().tobytes())
    return found.hexdigest()


def _list_tensors(value: Any) -> Iterator[Any]:
    if hasattr(value, "detach"):
        yield value
    elif isinstance(value, dict):
        for name in value:
            yield from _list_tensors(value[name])
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _list_tensors(each)


if __name__ == "__main__":
    main()
