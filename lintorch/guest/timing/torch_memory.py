"""What one run in torch executes and holds, seen by its dispatcher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef

from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.guest.watch.operator_watch import OperatorWatch


class _Watch(OperatorWatch):
    """Counts operators, and the bytes of all storages that they make and that live."""

    def __init__(self, known: Iterable[torch.Tensor]) -> None:
        super().__init__()
        self.operators: Counter[str] = Counter()
        self.most = 0
        self._known = {each.untyped_storage()._cdata for each in known}
        self._live: dict[int, tuple[StorageWeakRef, int]] = {}

    def note(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any) -> None:
        """Count it, and what it made."""
        self.operators[str(func._schema.name)] += 1
        for tensor in find_tensors(out):
            self._keep(tensor)
        self._live = {n: kept for n, kept in self._live.items() if not kept[0].expired()}
        self.most = max(self.most, sum(size for _, size in self._live.values()))

    def _keep(self, tensor: torch.Tensor) -> None:
        if tensor.layout is not torch.strided:
            return
        storage = tensor.untyped_storage()
        if storage._cdata not in self._known:
            self._live[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())


def watch_run(
    call: Callable[[], object], module: nn.Module, given: Iterable[Any]
) -> tuple[Mapping[str, int], int]:
    """The operators of one run by name, and the most bytes held of what they make.

    Raises what the run raises. What a compiler has put into kernels of its own is not seen.
    """
    known = [*module.parameters(), *module.buffers(), *find_tensors(list(given))]
    with torch.no_grad(), _Watch(known) as watch:
        call()
    return dict(watch.operators), watch.most


def count_weights(module: nn.Module) -> int:
    """Bytes of parameters and buffers, shared ones once."""
    storages = {
        each.untyped_storage()._cdata: each.untyped_storage().nbytes()
        for each in (*module.parameters(), *module.buffers())
    }
    return sum(storages.values())
