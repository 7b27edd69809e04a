"""Whether a changed copy of the model computes what the file does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.distances import match_outputs
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.watch.make_tensors import flatten_output


def agrees_when(
    case: Case,
    change: Callable[[nn.Module], None],
    within: AbstractContextManager[Any] | None = None,
) -> bool:
    """Of a copy that `change` has changed, run inside of `within`; no where it does not run so."""
    with copy_module(case.module) as copied, torch.no_grad():
        if copied is case.module:
            return False  # what is changed here could not be put back
        try:
            change(copied)
            with within or nullcontext():
                given = flatten_output(copied(*case.arrange(case.list_tensors()), **case.extra))
        except Exception:  # what does not take the place of another
            return False
    return match_outputs(given, case.run_file()).difference is None


def put_layer(model: nn.Module, path: str, part: nn.Module) -> None:
    """In the place of the layer that is called so."""
    parent, _, own = path.rpartition(".")
    setattr(model.get_submodule(parent), own, part)
