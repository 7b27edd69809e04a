"""What a built model is called: by its file and class, and what else of the user's is in it."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass

from torch import nn

from lintorch.guest.watch.user_lines import UserLines


@dataclass(frozen=True)
class ModelIdentity:
    """A model as it was found: path as shown, class or factory, row."""

    path: str
    qualname: str
    row: int


def identify_model(identity: ModelIdentity, module: nn.Module, files: UserLines) -> ModelIdentity:
    """A model by its own class where that is the user's, else as it was found."""
    kind = type(module)
    filename = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if (
        identity.path.endswith((".py", ".ipynb"))
        and filename
        and files.shown(filename) == identity.path
    ):
        return identity
    if filename is None or not files.is_user(filename):
        return identity
    try:
        row = inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        row = 1
    return ModelIdentity(files.shown(filename), kind.__qualname__, row)


def list_contained_models(
    identity: ModelIdentity, module: nn.Module, files: UserLines
) -> tuple[str, ...]:
    """`path:Class` of each of the user's modules in a model, without the model itself."""
    found = {}
    itself = f"{identity.path}:{identity.qualname}"
    for part in nn.Module.modules(module):
        kind = type(part)
        filename = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if filename and files.is_user(filename):
            found[f"{files.shown(filename)}:{kind.__qualname__}"] = True
    return tuple(name for name in found if name != itself)
