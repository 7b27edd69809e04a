"""Base classes in the place of those of packages that are not there."""

from __future__ import annotations

import sys
from typing import Any

from torch import nn


class AbsentBase:
    """Beside it, in the bases of a class, stands what an absent class is taken for."""

    lintorch_stand_in: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__()


def make_base(stand_in: Any, path: str, kind: str) -> type:
    """A class in the place of the one at `path`: a model where `kind` says which, else one without instances."""
    body = {"lintorch_stand_in": stand_in, "__module__": __name__}
    if kind:
        return type(path, (_MODULES[kind],), body)
    return type(path, (AbsentBase,), {**body, "__init__": _refuse_instance})


def _refuse_instance(self: Any, *args: Any, **kwargs: Any) -> None:
    self.lintorch_stand_in._refuse()


class KeptArguments(dict[str, Any]):
    """Arguments by name, as items and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__


class LightningLike(nn.Module):  # type: ignore[misc]
    """What a LightningModule is to its forward."""

    def save_hyperparameters(self, *args: Any, **kwargs: Any) -> None:
        """Keep the arguments of the constructor that calls this."""
        given = sys._getframe(1).f_locals.items()
        self.hparams = KeptArguments({n: v for n, v in given if n not in ("self", "__class__")})

    def log(self, *args: Any, **kwargs: Any) -> None:
        """Log nothing."""

    log_dict = log


class InitialisedModule(nn.Module):  # type: ignore[misc]
    """A module that is told how its weights begin, and begins with random ones."""

    def __init__(self, init_cfg: Any = None) -> None:
        super().__init__()
        self.init_cfg = init_cfg

    def init_weights(self) -> None:
        """Leave the weights as they are."""


_MODULES = {"lightning": LightningLike, "initialised": InitialisedModule}
