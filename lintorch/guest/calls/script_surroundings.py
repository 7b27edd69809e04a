"""What statements of a script meet while its values are worked out: no GPU, no arguments, no weights, no data."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils import data, model_zoo

from lintorch.guest.calls.unknown_value import UNKNOWN
from lintorch.guest.construct.literal_values import UnknownValueError
from lintorch.record.user_files import package_root

_MISSING = object()
_parse = argparse.ArgumentParser.parse_known_args


@contextmanager
def enter_script(path: Path, folder: Path, project: Path) -> Iterator[None]:
    """As in a run of the script in `folder`, without arguments, on a CPU; all is put back after."""
    before, where, arguments = list(sys.path), _working_folder(), sys.argv
    sys.path[:0] = [str(path.parent), str(package_root(path)), str(project)]
    sys.argv = [str(path)]
    with suppress(OSError):
        os.chdir(folder)
    with ExitStack() as around:
        for holder, name, value in _list_stand_ins():
            around.enter_context(_replaced(holder, name, value))
        around.enter_context(_OnlyCpu())
        try:
            yield
        finally:
            sys.path[:], sys.argv = before, arguments
            with suppress(OSError):
                os.chdir(where)


@contextmanager
def known_below(path: Path, module: ModuleType | None, project: Path) -> Iterator[None]:
    """Within it, a file's module is that one by whatever name scripts import it: `import_module("nets." + name)`."""
    folders = [f for f in path.parents if f.is_relative_to(project)][1:]
    parts = [path.relative_to(folder).with_suffix("").parts for folder in folders]
    names = [".".join(each) for each in parts if all(part.isidentifier() for part in each)]
    added = {name: module for name in names if module is not None and name not in sys.modules}
    sys.modules.update(added)
    try:
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)


@contextmanager
def start_with(path: Path, command: Sequence[str]) -> Iterator[None]:
    """As in a run of a script with these arguments."""
    before = sys.argv
    sys.argv = [str(path), *command]
    try:
        yield
    finally:
        sys.argv = before


@contextmanager
def start_plain() -> Iterator[bool]:
    """As in a run of the script without arguments; whether it had any."""
    before = sys.argv
    sys.argv = before[:1]
    try:
        yield len(before) > 1
    finally:
        sys.argv = before


@contextmanager
def only_cpu() -> Iterator[None]:
    """Meanwhile no GPU is asked for anything, nothing is saved or compiled, and scripts have no arguments."""
    with ExitStack() as around:
        for holder, name, value in _list_without_gpu():
            around.enter_context(_replaced(holder, name, value))
        around.enter_context(_OnlyCpu())
        yield


@contextmanager
def leave_weights_empty() -> Iterator[None]:
    """Within it, layers get no first values: where models are made that nobody runs, it takes most of the time."""
    with ExitStack() as around:
        for name in dir(nn.init):
            if name.endswith("_") and not name.startswith("_"):
                around.enter_context(_replaced(nn.init, name, _pass_first))
        yield


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return os.path.expanduser("~")


def _list_stand_ins() -> Iterator[tuple[Any, str, Any]]:
    yield from _list_without_gpu()
    yield torch, "load", _refuse
    yield torch.jit, "script", _pass_first
    yield torch.jit, "load", _refuse
    yield torch.hub, "load_state_dict_from_url", _refuse
    yield torch.hub, "load", _refuse
    yield model_zoo, "load_url", _refuse
    yield data.DataLoader, "__init__", _refuse
    yield nn.Module, "load_state_dict", _ignore


def _list_without_gpu() -> Iterator[tuple[Any, str, Any]]:
    yield argparse.ArgumentParser, "parse_known_args", _parse_nothing
    yield torch, "save", _ignore
    yield torch, "compile", _pass_first
    yield nn.Module, "cuda", _pass_first
    yield torch.cuda, "set_device", lambda *given: None  # each its own: torch._dynamo
    yield torch.cuda, "synchronize", lambda *given: None  # keeps a table of functions
    yield torch.cuda, "is_available", lambda: False


def _refuse(*given: Any, **named: Any) -> NoReturn:
    raise UnknownValueError("what is read from elsewhere")


def _ignore(*given: Any, **named: Any) -> None:
    return None


def _pass_first(value: Any = UNKNOWN, *given: Any, **named: Any) -> Any:
    return value


def _parse_nothing(
    parser: argparse.ArgumentParser, args: Any = None, namespace: Any = None
) -> tuple[argparse.Namespace, list[str]]:
    """What is given, else the defaults; of what has none, and must be given, the first choice or UNKNOWN."""
    with suppress(
        Exception, SystemExit
    ):  # whatever user code raises, or arguments that are lacking
        if args is not None:
            return _parse(parser, args, namespace)
        if sys.argv[1:]:  # as a text shows it, which may know other options
            return _parse(parser, None, namespace)[0], []
    found = argparse.Namespace() if namespace is None else namespace
    for action in parser._actions:
        if action.dest == argparse.SUPPRESS or action.default == argparse.SUPPRESS:
            continue
        if not hasattr(found, action.dest):
            setattr(found, action.dest, _choose_default(parser, action))
    for name, value in parser._defaults.items():
        setattr(found, name, value)
    return found, []


def _choose_default(parser: argparse.ArgumentParser, action: argparse.Action) -> Any:
    default = action.default
    if default is None and (action.required or not action.option_strings) and action.nargs != "?":
        return next(iter(action.choices), UNKNOWN) if action.choices else UNKNOWN
    return parser._get_value(action, default) if isinstance(default, str) else default


@contextmanager
def _replaced(holder: Any, name: str, value: Any) -> Iterator[None]:
    before: Any = vars(holder).get(name, _MISSING)
    setattr(holder, name, value)
    try:
        yield
    finally:
        if before is _MISSING:
            delattr(holder, name)
        else:
            setattr(holder, name, before)


class _OnlyCpu(TorchFunctionMode):  # type: ignore[misc]
    """Makes tensors on the CPU, wherever else they are asked for; bounds of `randint` stay with them."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is torch.Tensor.cuda:
            return args[0]
        given = {name: move_to_cpu(value) for name, value in (kwargs or {}).items()}
        if given.get("pin_memory"):
            given["pin_memory"] = False
        made = func(*map(move_to_cpu, args), **given)
        if func is torch.randint and isinstance(made, torch.Tensor):
            numbers = [part for part in args if isinstance(part, int)]
            bounds = (given.get("low"), given.get("high"))
            made.lintorch_bounds = _order_bounds(numbers, bounds)
        return made


def _order_bounds(numbers: list[int], named: tuple[Any, Any]) -> tuple[int, int]:
    """Lowest value, and the one after the highest, as `randint` was given them."""
    low, high = named
    if high is None and numbers:
        high = numbers[-1]
    if low is None:
        low = numbers[0] if len(numbers) > 1 else 0
    return int(low), int(high or low + 2)


def move_to_cpu(value: Any) -> Any:
    """A device, or the name of one, as the CPU; whatever else is given as it is."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type in _ELSEWHERE else value
    if isinstance(value, str) and value.partition(":")[0] in _ELSEWHERE:
        return "cpu"
    return value


_ELSEWHERE = frozenset(("cuda", "mps", "xpu", "hpu", "npu"))
