"""How many rows there are of a kind, by a number that the model keeps: `self.n_users` tells of `users` and `user_ids`."""

from __future__ import annotations

import re

from torch import nn

_KIND = re.compile(
    r"(?:pos_|neg_|positive_|negative_)?([a-z]+?)s?(?:_?(?:ids?|idx|index|indices|indexes|input))?"
)
_SHORT = {"u": "user", "i": "item"}


def count_rows(module: nn.Module, name: str) -> int:
    """How many rows an input of this name chooses from; 0 where the model does not say."""
    if (match := _KIND.fullmatch(name)) is None:
        return 0
    kind = _SHORT.get(match[1], match[1])
    names = re.compile(rf"_?(?:n|num|nb)_?{kind}s?|_?{kind}s?_?(?:num|count|size)", re.IGNORECASE)
    kept = ((key, value) for part in nn.Module.modules(module) for key, value in vars(part).items())
    found = (value for key, value in kept if type(value) is int and names.fullmatch(key))
    return next((value for value in found if value > 0), 0)
