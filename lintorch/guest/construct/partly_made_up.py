"""Arguments that a call of the project gives, and that are made up in part: settings without data, parts of a model."""

from __future__ import annotations

from typing import Any

from torch import nn

from lintorch.guest.construct.found_settings import FoundSettings

_MARK = "_lintorch_made_up"


def note_made_up(module: nn.Module) -> None:
    """Remember that something of which a part was built is made up."""
    module.__dict__[_MARK] = True


def is_partly_made_up(value: Any) -> bool:
    """Whether something in an argument is made up."""
    if isinstance(value, nn.Module):
        return _MARK in value.__dict__
    return isinstance(value, FoundSettings)
