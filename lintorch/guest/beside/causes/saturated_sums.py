"""Products of integers of 8 bits that a processor adds in too few bits."""

from __future__ import annotations

from typing import Any

import torch

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.run_file import FileRunner

_MOST = 8
"""Nodes that are looked at."""


def find_saturated(case: Case) -> str:
    """The name of a MatMulInteger node that gives something else than the product; "" for none."""
    nodes = [n for n in case.file.graph.node if n.op_type == "MatMulInteger"][:_MOST]
    names = [name for node in nodes for name in _list_names(case, node)]
    if not names:
        return ""
    runner = FileRunner(case.file, outputs=tuple(dict.fromkeys(names)), plain=True)
    found = dict(runner.run_named(case.make_feed()))
    for node in nodes:
        taken = [_get(case, found, name) for name in node.input]
        given = found.get(node.output[0])
        if given is None or len(taken) < 2 or taken[0] is None or taken[1] is None:
            continue
        left = taken[0].double() - _get_zero(taken, 0)
        right = taken[1].double() - _get_zero(taken, 1)
        if not torch.equal(left @ right, given.double()):
            return str(node.name)
    return ""


def _list_names(case: Case, node: Any) -> list[str]:
    inside = [name for name in node.input if name and name not in case.file.tensors]
    return [*inside, node.output[0]]


def _get(case: Case, found: dict[str, torch.Tensor], name: str) -> torch.Tensor | None:
    return case.file.read_tensor(name) if name in case.file.tensors else found.get(name)


def _get_zero(taken: list[torch.Tensor | None], place: int) -> torch.Tensor | float:
    """The zero of the first or the second factor, one for all or one for each of its columns."""
    zero = taken[place + 2] if len(taken) > place + 2 else None
    return 0.0 if zero is None else zero.double()
