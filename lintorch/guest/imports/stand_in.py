"""An object in the place of a package that is not there: it may be imported and named, and raises when it is used.

import librosa                        # is not installed
mel = librosa.filters.mel             # a stand-in
class Net(nn.Module):
    def forward(self, x):
        return mel(x)                 # MissingPackageError: needs librosa, which is not installed
"""

from __future__ import annotations

import dis
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import torch

from lintorch.guest.imports.guarded_lines import read_special_lines
from lintorch.guest.imports.kept_settings import keep_settings
from lintorch.guest.imports.settings_mapping import CLASSES, SettingsMapping
from lintorch.guest.imports.stand_in_bases import make_base

_KNOWN = json.loads(Path(__file__).with_name("missing_packages.json").read_text("utf-8"))
_depth = [0]
"""How many imports are being done within each other."""


class MissingPackageError(ImportError):
    """Code has used something of a package that is not there."""


@contextmanager
def while_importing() -> Iterator[None]:
    """Meanwhile stand-ins may be called and calculated with: that gives further ones."""
    _depth[0] += 1
    try:
        yield
    finally:
        _depth[0] -= 1


@dataclass(frozen=True)
class Missing:
    """What is not there: a package, module or name, and why: "is not installed"."""

    name: str
    why: str

    def describe(self) -> str:
        """`needs mmcv, which is not installed (pip install mmcv)`."""
        package = self.name.partition(".")[0]
        to_install = _KNOWN["distributions"].get(package, package)
        remedy = f" (pip install {to_install})" if self.why == NOT_INSTALLED else ""
        return f"needs {self.name}, which {self.why}{remedy}"


NOT_INSTALLED = "is not installed"
OF_PROJECTS = frozenset(_KNOWN["of_projects"])
"""Names that modules of projects have, and packages to install have not."""


class StandIn:
    """Stands for something of what is `missing`; its `path` says what: "mmcv.ops.nms"."""

    def __init__(self, missing: Missing, path: str) -> None:
        vars(self).update(_missing=missing, _path=path, _parts={}, __name__=path.split(".")[-1])

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "0.0.0"
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        parts = vars(self)["_parts"]
        if name not in parts:
            parts[name] = StandIn(self._missing, f"{self._path}.{name}")
        return parts[name]

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)["_parts"][name] = value

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if settings := find_settings_class(self):
            return settings(*args, **kwargs)
        frame = sys._getframe(1)
        lines = read_special_lines(frame.f_code.co_filename)
        decorates = frame.f_lineno in lines.decorators
        if decorates and len(args) == 1 and not kwargs and _is_definition(args[0]):
            return args[0]
        if decorates or _depth[0]:
            return StandIn(self._missing, f"{self._path}()")
        asserted = frame.f_lineno in lines.assertions
        unused = asserted or _is_unused(frame)
        if unused and not any(map(_holds_tensor, (*args, *kwargs.values()))):
            return asserted or None
        kept = keep_settings(self._path, args, kwargs, self._refuse)
        return self._refuse() if kept is None else kept

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        if settings := find_settings_class(self):
            return (settings,)
        return (make_base(self, self._path, _KNOWN["modules"].get(self._path, "")),)

    def __instancecheck__(self, value: Any) -> bool:
        return find_settings_class(self) is not None and isinstance(value, SettingsMapping)

    def __subclasscheck__(self, value: Any) -> bool:
        return False

    def __deepcopy__(self, memo: Any) -> StandIn:
        return self

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<{self._path}, which {self._missing.why}>"

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        for value in torch.utils._pytree.tree_leaves((args, kwargs)):
            if isinstance(value, cls):
                value._refuse()
        raise MissingPackageError("needs a package that is not installed")

    def _refuse(self) -> NoReturn:
        raise_missing(self)


def find_settings_class(stand_in: StandIn) -> type[SettingsMapping] | None:
    """What keeps settings as the class does that is not there; None of all else."""
    return CLASSES.get(_KNOWN["settings"].get(vars(stand_in)["_path"], ""))


def raise_missing(stand_in: Any) -> NoReturn:
    """Raise a MissingPackageError that says what a stand-in stands for."""
    missing = vars(stand_in)["_missing"]
    raise MissingPackageError(missing.describe(), name=missing.name)


def _is_definition(value: Any) -> bool:
    return isinstance(value, (type, staticmethod, classmethod, property)) or (
        callable(value) and hasattr(value, "__code__")
    )


def _is_unused(frame: FrameType) -> bool:
    """Whether what a call gives back is thrown away: `logger.info(…)` as a statement."""
    after = (
        each.opname
        for each in dis.get_instructions(frame.f_code)
        if each.offset > frame.f_lasti and each.opname != "CACHE"
    )
    return next(after, "") == "POP_TOP"


def _holds_tensor(value: Any) -> bool:
    """Whether a call could write to a tensor of the model's by this argument."""
    return any(
        isinstance(part, torch.Tensor) and not isinstance(part, torch.nn.Parameter)
        for part in torch.utils._pytree.tree_leaves(value)
    )


def _make_operator(name: str, *, gives: bool) -> Any:
    """An operator that gives a further stand-in while importing, where it `gives` one, and else raises."""

    def apply(self: StandIn, *args: Any) -> Any:
        if _depth[0] and gives:
            return StandIn(self._missing, f"{self._path}.{name}")
        return self._refuse()

    apply.__name__ = name
    return apply


_GIVING = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv"),
    *("mod", "pow", "rpow", "neg", "or", "ror", "and", "rand", "getitem", "enter"),
)
_REFUSING = ("int", "float", "index", "len", "iter", "next", "array", "complex")
for _name in _GIVING:
    setattr(StandIn, f"__{_name}__", _make_operator(f"__{_name}__", gives=True))
for _name in _REFUSING:
    setattr(StandIn, f"__{_name}__", _make_operator(f"__{_name}__", gives=False))


def _answer(self: StandIn, *args: Any) -> bool:
    """A question is answered with no while importing, as by what is not there; else it raises."""
    if not _depth[0]:
        self._refuse()
    return False


for _name in ("bool", "lt", "le", "gt", "ge", "contains", "exit"):
    setattr(StandIn, f"__{_name}__", _answer)


def _equals(self: StandIn, other: Any) -> bool:
    if self is other or _depth[0]:
        return self is other
    return self._refuse()


StandIn.__eq__ = _equals  # type: ignore[method-assign,assignment]
