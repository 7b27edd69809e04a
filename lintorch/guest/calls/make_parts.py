"""Models that a script makes for another one, of numbers that it works out of its data."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from torch import nn

from lintorch.guest.calls.package_makers import is_project_code
from lintorch.guest.calls.unknown_value import UNKNOWN, holds_unknown
from lintorch.guest.construct.fill_arguments import fill_arguments
from lintorch.guest.construct.parameters import list_required_parameters
from lintorch.guest.construct.partly_made_up import note_made_up


def is_own_model(kind: Any, project: Path) -> TypeGuard[type[nn.Module]]:
    """Whether something is a class of models that the project itself defines."""
    if not inspect.isclass(kind) or not issubclass(kind, nn.Module):
        return False
    return is_project_code(kind, project)


def make_part(kind: type[nn.Module], given: Mapping[str, Any] | None) -> Any:
    """A model of that class, with what is not known of its arguments made up; UNKNOWN where nothing is known."""
    known = {name: value for name, value in (given or {}).items() if not holds_unknown(value)}
    if not known:
        return UNKNOWN
    needed = [each for each in list_required_parameters(kind) if each.name not in known]
    made = kind(**known, **fill_arguments(kind, needed, given=known))
    note_made_up(made)
    return made
