"""What shape functions say, held against torch's own tensors without data, on shapes by chance.

Every name that is registered is tried: with sizes that are numbers, and with one symbol for each
size of each tensor, whose values are put in afterwards. Some arguments are spoilt by chance.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
import torch
from layer_arguments import BUILDERS
from operator_arguments import MAKERS

from lintorch.evaluator.operators.arguments import make_fresh
from lintorch.evaluator.operators.infer_types import FAMILIES, infer_call, infer_layer
from lintorch.evaluator.operators.register import LAYER_SHAPES, SHAPE_FUNCTIONS
from lintorch.evaluator.operators.tensor_types import OPEN, ShapeError, TensorType, UndecidedError
from lintorch.evaluator.signatures.bind_arguments import bind_call
from lintorch.evaluator.size_numbers import compute_size
from lintorch.evaluator.sizes import Dim, Size, make_symbol

TRIALS = 4
SPOILT = 0.35
Bindings = Mapping[str, int]


class TorchRefusal(Exception):
    """What torch says where it refuses."""


@dataclass(frozen=True)
class TriedCall:
    """One call: by name, what it takes, and for layers what they are built with."""

    name: str
    positional: list[Any]
    keyword: dict[str, Any]
    settings: tuple[list[Any], dict[str, Any]] | None = None


def list_trials(name: str) -> Iterator[TriedCall]:
    chance = Random(zlib.crc32(name.encode()))
    for _ in range(TRIALS):
        if name in SHAPE_FUNCTIONS:
            positional, keyword = MAKERS[SHAPE_FUNCTIONS[name].__name__](chance, name)
            trial = TriedCall(name, positional, keyword)
        else:
            given, named, inputs = BUILDERS[LAYER_SHAPES[name].__name__](chance, name)
            trial = TriedCall(name, inputs, {}, (given, named))
        yield trial
        if chance.random() < SPOILT:
            positional = spoil(chance, trial.positional)
            yield TriedCall(name, positional, trial.keyword, trial.settings)


def spoil(chance: Random, given: list[Any]) -> list[Any]:
    """The same with one size changed, or one axis more or less."""
    places = [i for i, each in enumerate(given) if isinstance(each, TensorType) and each.shape]
    if not places:
        return given
    place = chance.choice(places)
    sizes = list(given[place].sizes)
    axis = chance.randrange(len(sizes))
    way = chance.random()
    if way < 0.6:
        sizes[axis] += 1
    elif way < 0.8:
        del sizes[axis]
    else:
        sizes.insert(axis, 2)
    changed = TensorType(tuple(sizes), given[place].dtype)
    return [*given[:place], changed, *given[place + 1 :]]


def convert(value: Any, make: Callable[[TensorType], Any]) -> Any:
    """Arguments with something else in the place of each tensor."""
    if isinstance(value, TensorType):
        return make(value)
    if isinstance(value, (list, tuple)):
        return type(value)(convert(each, make) for each in value)
    return value


def run_torch(trial: TriedCall, device: str) -> Any:
    """What torch gives, as types. Raises TorchRefusal."""

    def make(tensor: TensorType) -> Any:
        return torch.zeros(tensor.sizes, dtype=getattr(torch, str(tensor.dtype)), device=device)

    positional = [convert(each, make) for each in trial.positional]
    keyword = {name: read_option(name, convert(v, make)) for name, v in trial.keyword.items()}
    with torch.device(device), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if trial.settings is not None:
                layer = find_callable(trial.name)(*trial.settings[0], **trial.settings[1])
                return read_result(layer(*positional))
            positional = [read_option("", each) for each in positional]
            return read_result(find_callable(trial.name)(*positional, **keyword))
        except NotImplementedError as error:
            if device == "cpu":
                raise TorchRefusal(str(error)) from None
        except (RuntimeError, ValueError, IndexError, AssertionError, TypeError) as error:
            raise TorchRefusal(str(error)) from None
    return run_torch(trial, "cpu")


def read_option(name: str, value: Any) -> Any:
    if isinstance(value, str) and value in ("float16", "float64", "int64", "bool"):
        return getattr(torch, value)
    return value


def find_callable(name: str) -> Any:
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def read_result(found: Any) -> Any:
    if isinstance(found, torch.Tensor):
        return TensorType(tuple(found.shape), str(found.dtype).removeprefix("torch."))
    if isinstance(found, (list, tuple)):
        return tuple(read_result(each) for each in found)
    return found


def infer(trial: TriedCall) -> Any:
    """What the shape function says."""
    if trial.settings is None:
        found = infer_call(trial.name, trial.positional, trial.keyword)
    else:
        settings = bind_call(trial.name, *trial.settings)
        bound = bind_call(f"{trial.name}.forward", trial.positional, {})
        assert settings is not None
        assert bound is not None
        found = infer_layer(trial.name, settings, bound)
    return tuple(found) if isinstance(found, (list, tuple)) else found


def make_symbolic(trial: TriedCall, *, shared: bool) -> tuple[TriedCall, dict[str, int]]:
    """The same call with a symbol for each size that is not 1, one for equal sizes where `shared`."""
    values: dict[str, int] = {}

    def make(tensor: TensorType) -> TensorType:
        sizes: list[Dim] = []
        for size in tensor.sizes:
            assert isinstance(size, int)
            name = f"v{size}" if shared else f"n{len(values)}"
            sizes.append(make_symbol(name) if size > 1 else size)
            values[name] = size
        return TensorType(tuple(sizes), tensor.dtype)

    positional = [convert(each, make) for each in trial.positional]
    keyword = {name: convert(each, make) for name, each in trial.keyword.items()}
    return TriedCall(trial.name, positional, keyword, trial.settings), values


def hide_arguments(trial: TriedCall, chance: Random) -> tuple[TriedCall, dict[str, int]]:
    """The same call with some arguments open, and symbols for some that are numbers."""
    values: dict[str, int] = {}

    def hide(value: Any) -> Any:
        if chance.random() < 0.2:
            return TensorType(None) if isinstance(value, TensorType) else OPEN
        if type(value) is int and value > 0 and chance.random() < 0.5:
            name = f"n{len(values)}"
            values[name] = value
            return make_symbol(name)
        if isinstance(value, TensorType) and value.shape is not None:
            return TensorType(tuple(hide_size(each) for each in value.sizes), value.dtype)
        return type(value)(map(hide, value)) if isinstance(value, (list, tuple)) else value

    def hide_size(size: Any) -> Any:
        return make_fresh() if chance.random() < 0.1 else size

    positional = [hide(each) for each in trial.positional]
    keyword = {name: hide(each) for name, each in trial.keyword.items()}
    settings = None
    if trial.settings is not None:
        given, named = trial.settings
        settings = [hide(each) for each in given], {k: hide(v) for k, v in named.items()}
    return TriedCall(trial.name, positional, keyword, settings), values


def list_differences(said: Any, real: Any, values: Bindings) -> Iterator[str]:
    """Where what is said is not what is; what is left open is no difference."""
    if isinstance(said, TensorType):
        if said.dtype is not None and said.dtype != real.dtype:
            yield f"type {said.dtype}, not {real.dtype}"
        if said.shape is not None:
            sizes = [compute_size(size, values) for size in said.sizes]
            same = all(s is None or s == r for s, r in zip(sizes, real.sizes, strict=False))
            if not same or len(sizes) != real.rank:
                yield f"shape {tuple(map(str, said.sizes))}, not {real.sizes}"
    elif isinstance(said, tuple):
        if not isinstance(real, tuple) or len(said) != len(real):
            yield f"{said} and not {real}"
            return
        for one, other in zip(said, real, strict=True):
            yield from list_differences(one, other, values)
    elif isinstance(said, (int, Size)):
        if compute_size(said, values) not in (None, real):
            yield f"{said}, not {real}"
    elif said is not None or real is not None:
        yield f"{said} and not {real}"


@dataclass
class Tally:
    """How a function's trials ended."""

    known: int = 0
    undecided: int = 0
    refused: int = 0
    missed: int = 0

    def add(self, other: Tally) -> None:
        for name, many in vars(other).items():
            setattr(self, name, getattr(self, name) + many)

    def count(self) -> int:
        return self.known + self.undecided + self.refused + self.missed


def judge_call(
    trial: TriedCall, shown: TriedCall, tally: Tally, values: Bindings, real: Any
) -> list[str]:
    """What is wrong with what is said of one call; `real` is None where torch refuses it."""
    try:
        said = infer(trial)
    except UndecidedError:
        tally.undecided += 1
        return []
    except ShapeError as error:
        tally.refused += 1
        return [] if real is None or refuses(shown) else [f"raises wrongly: {error}"]
    if real is None:
        tally.missed += 1
        return []
    tally.known += 1
    found = list(list_differences(said, real, values))
    return [] if found and refuses(shown) else found


def refuses(trial: TriedCall) -> bool:
    """Whether torch refuses with data what it let pass without."""
    try:
        run_torch(trial, "cpu")
    except TorchRefusal:
        return True
    return False


def try_name(name: str) -> tuple[Tally, Tally, list[str]]:
    """Tallies with numbers and with symbols, and what is wrong, there or with parts unknown."""
    plain, symbolic, partly, wrong = Tally(), Tally(), Tally(), []
    chance = Random(name)
    for number, trial in enumerate(list_trials(name)):
        try:
            real = run_torch(trial, "meta")
        except TorchRefusal:
            real = None
        changed, values = make_symbolic(trial, shared=number % 2 == 1)
        hidden, others = hide_arguments(trial, chance)
        tries: tuple[tuple[Tally, TriedCall, Bindings], ...]
        tries = ((plain, trial, {}), (symbolic, changed, values), (partly, hidden, others))
        for tally, tried, known in tries:
            wrong += [f"{tried}: {found}" for found in judge_call(tried, trial, tally, known, real)]
    return plain, symbolic, wrong


UNDECIDED = {"parts": 0.7, "axis_order": 0.2}
"""By family, the share of trials with symbols that may stay undecided: how many parts an axis has, and
whether it can be squeezed, hangs on its value."""
NEEDS_DEVICE = {"torch.Tensor.cuda", "torch.Tensor.pin_memory", "torch.Tensor.share_memory_"}
NAMES = sorted({*SHAPE_FUNCTIONS, *LAYER_SHAPES} - NEEDS_DEVICE)


def find_home(name: str) -> str:
    """The module of a name's shape function."""
    home: str = (SHAPE_FUNCTIONS.get(name) or LAYER_SHAPES[name]).__module__
    return home


FAMILY_NAMES = {
    family.__name__.rpartition(".")[2]: [n for n in NAMES if find_home(n) == family.__name__]
    for family in FAMILIES
}


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_what_is_said_is_what_torch_does(family: str) -> None:
    plain, symbolic = Tally(), Tally()
    wrong: list[str] = []
    for name in FAMILY_NAMES[family]:
        numbers, symbols, found = try_name(name)
        assert numbers.known, name
        wrong += found
        plain.add(numbers)
        symbolic.add(symbols)
    assert not wrong
    assert plain.undecided <= 0.02 * plain.count()
    assert plain.missed <= 0.06 * plain.count()
    assert symbolic.undecided <= UNDECIDED.get(family, 0.1) * symbolic.count()


def test_every_name_is_one_of_torch_and_is_tried() -> None:
    assert sorted(name for names in FAMILY_NAMES.values() for name in names) == NAMES
    for name in NEEDS_DEVICE:
        assert find_callable(name)


SAID = [
    ("torch.add", [(2, 3), (2, 4)]),
    ("torch.add", [("H", 3), ("H", 4)]),
    ("torch.nn.functional.linear", [(2, 10), (5, 20)]),
    ("torch.matmul", [(2, 3, 4), (2, 5, 4)]),
    ("torch.mm", [("H", 3), (4, 5)]),
    ("torch.bmm", [(2, 3, 4), (2, 5, 4)]),
    ("torch.nn.functional.conv2d", [(1, 4, 8, 8), (8, 3, 3, 3)]),
    ("torch.nn.functional.conv2d", [("H", 4, "H", 8), (8, 3, 3, 3)]),
    ("torch.nn.functional.conv2d", [(1, 3, 2, 2), (8, 3, 3, 3)]),
    ("torch.nn.functional.conv2d", [(3, 5), (8, 3, 3, 3)]),
    ("torch.conv_transpose2d", [(1, 4, 8, 8), (3, 8, 3, 3)]),
    ("torch.nn.functional.max_pool2d", [(1, 3, 1, 8)], 2),
    ("torch.nn.functional.cross_entropy", [(4, 10), (5,)]),
    ("torch.nn.functional.binary_cross_entropy_with_logits", [(4, 1), (4,)]),
    ("torch.nn.functional.scaled_dot_product_attention", [(2, 5, 8), (2, 7, 6), (2, 7, 8)]),
    ("torch.nn.functional.layer_norm", [(2, 5, 8)], (16,)),
    ("torch.nn.functional.group_norm", [(2, 6, 8)], 4),
    ("torch.nn.functional.pixel_shuffle", [(2, 6, 8, 8)], 2),
    ("torch.cat", [[(2, 3), (4, 5)]]),
    ("torch.cat", [[(2, 3), (4, 5, 6)]]),
    ("torch.stack", [[(2, 3), (2, 4)]]),
    ("torch.Tensor.view", [(2, 5)], 3, -1),
    ("torch.Tensor.view", [(2, 5)], 3, 4),
    ("torch.Tensor.expand", [(2, 5)], 3, 5),
    ("torch.Tensor.squeeze", [(2, 5)], 3),
    ("torch.Tensor.select", [(2, 5)], 0, 2),
    ("torch.permute", [(2, 5)], (0, 1, 2)),
    ("torch.flatten", [(2, 5)], 1, 0),
    ("torch.split", [(2, 5)], [2, 2], 1),
    ("torch.narrow", [(2, 5)], 1, 3, 4),
    ("torch.topk", [(2, 5)], 6),
]
"""Names, shapes of tensors, and further arguments, all of which torch refuses."""


@pytest.mark.parametrize("call", SAID, ids=str)
def test_errors_are_said_in_the_words_of_torch(call: tuple[Any, ...]) -> None:
    name, shapes, *more = call
    trial = TriedCall(name, [*read_shapes(shapes, 64), *more], {})
    shown = TriedCall(name, [*read_shapes(shapes, make_symbol("H")), *more], {})
    with pytest.raises(TorchRefusal) as refused:
        run_torch(trial, "cpu")
    with pytest.raises(ShapeError) as error:
        infer(shown)
    assert str(error.value).replace("H", "64") == str(refused.value).partition("\n")[0]


def read_shapes(shapes: Any, value: Any) -> list[Any]:
    """Tensors, or lists of them, of shapes in which a letter stands for a value."""
    return [
        read_shapes(each, value)
        if isinstance(each, list)
        else TensorType(
            tuple(value if size == "H" else size for size in each),
            "int64" if each == (5,) else "float32",  # that is the one shape of classes
        )
        for each in shapes
    ]
