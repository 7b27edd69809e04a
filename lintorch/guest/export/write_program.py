"""A program that exports a model and compares its numbers as a trial does, with torch alone."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from lintorch.guest.export.compare_numbers import ABSOLUTE, LOW_ABSOLUTE, LOW_RELATIVE, RELATIVE
from lintorch.guest.feed import lively_weights
from lintorch.guest.feed.given_weights import AS_BUILT, GivenWeights
from lintorch.guest.watch.make_tensors import SEED
from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import FedArgument, Input

_HEAD = '''\
"""{title}

Run it by the Python that has torch: `python {name}`. Ends with 0 where the export is right, and
else with what is wrong.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import importlib.util
import os
import random
import sys
import tempfile
from collections import Counter
from typing import Any

import torch
from torch import nn

sys.argv = sys.argv[:1]
torch.set_num_threads(1)


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def named(module, name):
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def seed():
    random.seed(0)
    torch.manual_seed(0)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(0)


'''
TENSORS = """def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict) or hasattr(value, "values"):
        return [tensor for part in value.values() for tensor in tensors(part)]
    if isinstance(value, (tuple, list)):
        return [tensor for part in value for tensor in tensors(part)]
    if dataclasses.is_dataclass(value):
        fields = (getattr(value, field.name) for field in dataclasses.fields(value))
        return [tensor for part in fields for tensor in tensors(part)]
    if isinstance(value, torch.distributions.Distribution):
        return [tensor for part in vars(value).values() for tensor in tensors(part)]
    return []

"""
"""What lists the tensors of a value, as part of a program."""
COPYING = """
def fresh(module):
    try:
        return copy.deepcopy(module)
    except Exception:
        return module

"""
"""What gives the same module afresh, as part of a program."""
_KEEPING = """
def fresh(module):
    return module  # a copy of it would not see what its hooks write

"""
_TAIL = """
for sizes in {sizes}:
    given = inputs(**sizes)
    with torch.no_grad():
        expected = tensors(fresh(eager)(*given))
        got = tensors(fresh(exported)(*given))
    shapes = [list(tensor.shape) for tensor in got], [list(tensor.shape) for tensor in expected]
    if shapes[0] != shapes[1]:
        sys.exit(f"wrong at {{sizes}}: the outputs are {{shapes[0]}}, in eager {{shapes[1]}}")
    for number, (left, right) in enumerate(zip(got, expected)):
        left, right = left.to(torch.complex128), right.to(torch.complex128)
        apart = float((left - right).abs().nan_to_num().max()) if left.numel() else 0.0
        low = expected[number].dtype in (torch.float16, torch.bfloat16)
        absolute, relative = ({low}) if low else ({usual})
        exact = not (expected[number].is_floating_point() or expected[number].is_complex())
        most = 0.0 if exact else absolute + relative * float(right.abs().nan_to_num().max())
        if apart > most or not torch.equal(left.isfinite(), right.isfinite()):
            sys.exit(f"wrong at {{sizes}}: output {{number}} differs from eager by {{apart:.3g}}")
print("right: the exported model gives eager's numbers")
"""

_LIVENING = (
    "lively = fresh(eager)  # through weights as they are made at random the signal may die",
    "seed()",
    "liven_weights(lively, example)",
    "keep_weights(eager, lively)",
)
_TRAINING = (
    "with torch.no_grad():",
    "    eager.train()(*example)  # sets weights that evaluation asks for",
    "eager.eval()",
)
_SETTLING = ("with torch.no_grad():", "    eager(*example)  # the first samples set its weights")
_WARMING = ("with torch.no_grad():", "    eager(*example)  # leaves what the next run finds")


def write_program(
    title: str,
    name: str,
    building: Sequence[str],
    inputs: Sequence[FedArgument],
    sizes: Sequence[Mapping[str, int]],
    exporting: str,
    train: bool,
    weights: GivenWeights = AS_BUILT,
    warmed: bool = False,
    copied: bool = True,
) -> str:
    """The whole text; `sizes` holds those that are traced first, then others to compare at.

    `exporting` are the exporter's statements: they have `model`, `example`, `path` and a `folder`
    to write to, and set `exported`. Its `weights` are those of `settle_model` and `liven_model`, and a
    `warmed` one is run before it is exported. One that is not `copied` is run itself each time.
    """
    head = _HEAD.format(title=title, name=name) + TENSORS + (COPYING if copied else _KEEPING)
    body = [
        *(_copy_definitions() if weights.livened else ()),
        *building,
        "eager = model.eval()",
        *write_inputs(inputs, sizes[0]),
        "example = inputs()",
        *(_TRAINING if weights.trained else ()),
        *(_SETTLING if weights.settled else ()),
        *(_LIVENING if weights.livened else ()),
        *(_WARMING if warmed else ()),
        f"model = fresh(eager).{'train' if train else 'eval'}()",
        'folder = tempfile.TemporaryDirectory(prefix="repro-")',
        exporting.strip("\n"),
    ]
    compared = [dict(each) for each in (sizes[:1] if train else sizes)]
    return head + "\n" + "\n".join(body) + "\n" + write_comparison(compared)


def write_comparison(sizes: Sequence[Mapping[str, int]]) -> str:
    """What compares `exported` with `eager` at these sizes, and ends with 1 where they differ."""
    usual, low = f"{ABSOLUTE}, {RELATIVE}", f"{LOW_ABSOLUTE}, {LOW_RELATIVE}"
    return _TAIL.format(sizes=[dict(each) for each in sizes], low=low, usual=usual)


def _copy_definitions() -> list[str]:
    """What gives a model lively weights, as it is defined in its own file."""
    _, begin, text = inspect.getsource(lively_weights).partition("_LAYERS = ")
    return [begin + text]


def write_inputs(inputs: Sequence[FedArgument], sizes: Mapping[str, int]) -> list[str]:
    """A function from named sizes to what the model is fed."""
    named = ", ".join(f"{name}={size}" for name, size in sizes.items())
    return [
        "",
        "",
        f"def inputs({named}):",
        f"    generator = torch.Generator().manual_seed({SEED})",
        "    return (",
        *(
            f"        {_write_argument(part)},"
            for part in arrange_arguments(inputs, list(map(_write_leaf, inputs)))
        ),
        "    )",
        "",
        "",
    ]


def _write_argument(argument: Any) -> str:
    """An argument made of expressions."""
    if isinstance(argument, dict):
        parts = (f"{key!r}: {_write_argument(part)}" for key, part in argument.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(argument, list):
        return "[" + ", ".join(map(_write_argument, argument)) + "]"
    if isinstance(argument, tuple):
        return "(" + "".join(f"{_write_argument(part)}, " for part in argument).strip() + ")"
    return str(argument)


def _write_leaf(given: FedArgument) -> str:
    return _write_tensor(given) if isinstance(given, Input) else given.value


def _write_tensor(given: Input) -> str:
    shape = "(" + ", ".join(map(str, given.shape)) + ("," if len(given.shape) == 1 else "") + ")"
    if given.dtype.startswith(("float", "bfloat")) and given.high > given.low:
        drawn = f"torch.rand({shape}, generator=generator)"
        return f"({drawn} * {given.high - 1 - given.low} + {given.low}).to(torch.{given.dtype})"
    if given.dtype.startswith(("float", "bfloat", "complex")):
        return f"torch.randn({shape}, generator=generator).to(torch.{given.dtype})"
    if given.longest != "":
        return f"({given.longest} - torch.arange({given.shape[0]}) * max(1, {given.longest} // 4)).clamp(min=1)"
    low, high = (0, 2) if given.dtype == "bool" else (given.low, given.high)
    high = high if high > low else low + 2
    return f"torch.randint({low}, {high}, {shape}, generator=generator).to(torch.{given.dtype})"
