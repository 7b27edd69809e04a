"""What a model computes: outputs, gradients and state, in eval and in training mode, all from the same seeds."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.module_state import copy_module
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.process import surroundings, tampering
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import describe_error, is_of_memory
from lintorch.guest.watch.make_tensors import flatten_output, make_inputs
from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import FedArgument, Input

EVAL, TRAINING, EXACT = "eval", "training", "exact"
"""EXACT is training mode in float64, which tells what rounding makes of numbers from what a fix does."""
OVERALL = -1
"""In place of the number of a run: what is there after all of them."""


@dataclass
class Observation:
    """What was seen, by mode, number of the run, and what it is: `eval:0:output 1`.

    `words` hold what is no tensor: how an output is made up, what a run raised. `runs` are the
    sizes of the runs, by their numbers.
    """

    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    runs: list[Mapping[str, int]] = field(default_factory=list)
    attempts: int = 0
    """How many of these were tried in training mode too, in this order."""

    @property
    def is_trained(self) -> bool:
        """Whether all that was tried in training mode came to its end."""
        return self.attempts > 0 and not any(
            key.startswith(f"{TRAINING}:") and key.endswith(":error") for key in self.words
        )


def run_once(module: nn.Module, fed: Fed) -> None:
    """Run copies of a model at its first sizes, and one backward too, only to see which lines run."""
    given = arrange_arguments(fed.inputs, make_inputs(fed.inputs, fed.sizes))
    with suppress(Exception), copy_module(module) as copied, torch.no_grad():
        copied(*given)
    tampering.restore_interpreter()
    with suppress(Exception), copy_module(module, train=True) as copied:
        _train_once(copied, fed.inputs, fed.sizes, 0, Observation())
    tampering.restore_interpreter()


def observe_first(module: nn.Module, fed: Fed, late: float) -> Observation:
    """Run copies of a model at all its sizes, those left out that `clock()` does not reach by `late`."""
    seen = Observation()
    for number, sizes in enumerate((fed.sizes, *fed.varied)):
        if number and clock() > late:
            break
        seen.runs.append(sizes)
        _observe_eval(module, fed.inputs, sizes, number, seen)
    _observe_training(module, fed.inputs, seen, len(seen.runs), late)
    if seen.is_trained and clock() < late:
        light = sorted(range(seen.attempts), key=lambda each: _weigh(fed.inputs, seen.runs[each]))
        _observe_exactly(module, fed.inputs, seen, light, late)
    return seen


def observe_alike(module: nn.Module, fed: Fed, known: Observation) -> Observation:
    """Run copies of another model in the same ways, however long that takes."""
    seen = Observation(runs=known.runs)
    for number, sizes in enumerate(known.runs):
        _observe_eval(module, fed.inputs, sizes, number, seen)
    _observe_training(module, fed.inputs, seen, known.attempts, inf)
    if numbers := _list_exact(known):
        _observe_exactly(module, fed.inputs, seen, numbers, inf)
    return seen


def digest_state(module: nn.Module) -> dict[str, str]:
    """By key of the state_dict: type, shape and a digest of its values."""
    return {name: _digest_tensor(value) for name, value in list_state(module)}


def list_state(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in a state_dict, by their keys."""
    for name, value in module.state_dict().items():
        if isinstance(value, torch.Tensor):
            yield name, value


def describe_structure(value: Any, depth: int = 4) -> str:
    """How an output is made up: `{'out': tensor, 'aux': [tensor, 3]}`."""
    if isinstance(value, torch.Tensor):
        return "tensor"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)[:80]
    if depth and isinstance(value, Mapping):
        parts = (f"{key!r}: {describe_structure(part, depth - 1)}" for key, part in value.items())
        return f"{type(value).__name__}{{{', '.join(parts)}}}"
    if depth and isinstance(value, (tuple, list)):
        parts = (describe_structure(part, depth - 1) for part in value)
        return f"{type(value).__name__}({', '.join(parts)})"
    if depth and dataclasses.is_dataclass(value):
        names = (each.name for each in dataclasses.fields(value))
        parts = (f"{n}={describe_structure(getattr(value, n, None), depth - 1)}" for n in names)
        return f"{type(value).__name__}({', '.join(parts)})"
    return type(value).__name__


def _observe_eval(
    module: nn.Module,
    inputs: Sequence[FedArgument],
    sizes: Mapping[str, int],
    number: int,
    seen: Observation,
) -> None:
    """One run in eval mode; also what it leaves in its inputs, where it writes to them."""
    where = f"{EVAL}:{number}:"
    given = make_inputs(inputs, sizes)
    surroundings.seed_generators()
    try:
        with copy_module(module) as copied, torch.no_grad():
            output = copied(*arrange_arguments(inputs, given))
    except Exception as error:  # whatever user code raises
        _note_error(error, where, seen)
        return
    finally:
        tampering.restore_interpreter()
    _note_output(output, where, seen)
    seen.words[f"{where}structure"] = describe_structure(output)
    for each, value, fresh in zip(inputs, given, make_inputs(inputs, sizes), strict=True):
        if isinstance(each, Input) and not torch.equal(value, fresh):
            seen.tensors[f"{where}input {each.label} after the run"] = value


def _observe_training(
    module: nn.Module,
    inputs: Sequence[FedArgument],
    seen: Observation,
    most: int,
    late: float,
) -> None:
    """Runs in training mode, whose gradients add up, and the state that they leave."""
    with copy_module(module, train=True) as copied:
        for number, sizes in enumerate(seen.runs[:most]):
            if number and clock() > late:
                break
            seen.attempts += 1
            try:
                _train_once(copied, inputs, sizes, number, seen)
            except Exception as error:  # whatever user code raises
                _note_error(error, f"{TRAINING}:{number}:", seen)
                return
            finally:
                tampering.restore_interpreter()
        _note_end(copied, TRAINING, seen)


def _weigh(inputs: Sequence[FedArgument], sizes: Mapping[str, int]) -> int:
    given = make_inputs(inputs, sizes)
    return sum(value.numel() for value in given if isinstance(value, torch.Tensor))


def _list_exact(seen: Observation) -> list[int]:
    """The numbers of the runs that were done in float64 too, in their order."""
    parts = (key.split(":", 2) for key in seen.tensors)
    return [*dict.fromkeys(int(n) for mode, n, _ in parts if mode == EXACT and int(n) >= 0)]


def _observe_exactly(
    module: nn.Module,
    inputs: Sequence[FedArgument],
    seen: Observation,
    numbers: Sequence[int],
    late: float,
) -> None:
    """What these runs give in float64, as far as there is time; nothing of a model that does not run so."""
    exact, usual = Observation(runs=seen.runs), torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with copy_module(module, train=True) as copied:
            copied.double()
            for number in numbers:
                if exact.tensors and clock() > late:
                    break
                _train_once(copied, inputs, seen.runs[number], number, exact, EXACT)
            _note_end(copied, EXACT, exact)
    except Exception:  # whatever user code raises
        return
    finally:
        torch.set_default_dtype(usual)
        tampering.restore_interpreter()
    seen.tensors.update(exact.tensors)


def _note_end(module: nn.Module, mode: str, seen: Observation) -> None:
    """The gradients of all runs, and the state that they leave."""
    where = f"{mode}:{OVERALL}:"
    for name, value in module.named_parameters():
        if value.grad is not None:
            seen.tensors[f"{where}gradient of {name}"] = value.grad
    for name, value in list_state(module):
        seen.tensors[f"{where}state {name}"] = value.detach()


def _train_once(
    module: nn.Module,
    inputs: Sequence[FedArgument],
    sizes: Mapping[str, int],
    number: int,
    seen: Observation,
    mode: str = TRAINING,
) -> None:
    """One run forward and backward, from random gradients of the outputs that are the same each time."""
    where = f"{mode}:{number}:"
    leaves = [_widen(each, mode) for each in make_inputs(inputs, sizes)]
    for value in leaves:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            value.requires_grad_()
    given = [value.clone() if isinstance(value, torch.Tensor) else value for value in leaves]
    surroundings.seed_generators()
    output = module(*arrange_arguments(inputs, given))
    _note_output(output, where, seen)
    ends = [each for each in flatten_output(output) if each.requires_grad]
    if ends:
        torch.autograd.backward(ends, [_make_gradient(end) for end in ends])
    for each, value in zip(inputs, leaves, strict=True):
        if isinstance(value, torch.Tensor) and isinstance(each, Input) and value.grad is not None:
            seen.tensors[f"{where}gradient of input {each.label}"] = value.grad
    seen.words[f"{where}structure"] = describe_structure(output)


def _widen(value: Any, mode: str) -> Any:
    """In float64, where that is the mode."""
    widens = mode == EXACT and isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if widens else value


def _make_gradient(end: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(end.numel())
    return torch.randn(end.shape, generator=generator, dtype=torch.float32).to(end.dtype)


def _note_output(output: Any, where: str, seen: Observation) -> None:
    tensors = flatten_output(output)
    for number, tensor in enumerate(tensors, 1):
        name = "output" if len(tensors) == 1 else f"output {number}"
        seen.tensors[f"{where}{name}"] = tensor.detach().clone()


def _note_error(error: Exception, where: str, seen: Observation) -> None:
    """Raises the error where it is of memory: that says nothing of the model."""
    if is_of_memory(error):
        raise error
    seen.words[f"{where}error"] = describe_error(error)


def _digest_tensor(value: torch.Tensor) -> str:
    kept = value.detach().contiguous().cpu().reshape(-1)
    data = kept.view(torch.uint8).numpy().tobytes() if kept.numel() else b""
    return f"{value.dtype} {[*value.shape]} {hashlib.sha256(data).hexdigest()}"
