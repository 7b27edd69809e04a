from __future__ import annotations

from typing import List

import torch


@torch.jit.script
def sizes_of(x):
    sizes = []  # hit
    for i in range(3):
        sizes.append(x.size(0))
        sizes.append(1)
    shapes = []  # hit
    shapes.append(x.shape[1])
    counted = []  # hit
    counted.append(len(x))
    pairs = []  # hit
    pairs.append((1, 2))
    kept = []
    kept.append(x)
    rows = []
    rows.append(x.shape[1:] if x.dim() else x.shape)
    named = {}  # hit
    named["a"] = 1
    tensors = {}
    tensors["a"] = x
    typed: List[int] = []
    typed.append(1)
    return x


def words(x, count: int):
    found = []  # hit
    for i in range(count):
        found.append("row")
    return found


def outside(x):
    found = []
    found.append(1)
    return found


def scripted(function):
    return torch.jit.script(function)


make = torch.jit.script
make(words)


@torch.jit.script
def numbers(x):
    places = []  # hit
    for i in range(3):
        places.append(i)
    items = []
    for row in x:
        items.append(row)
    return x * len(places)
