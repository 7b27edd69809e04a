"""A model gets the weights of a file, or of a checkpoint; and where these are not the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.onnx_file import UnreadableFileError
from lintorch.guest.beside.weight_pairs import WeightPair
from lintorch.guest.process.error_text import describe_error

_NESTS = ("state_dict", "model_state_dict", "model_state", "model", "net", "network", "params_ema",
          "params", "weights", "module", "ema", "generator")  # fmt: skip
_PREFIXES = ("module.", "_orig_mod.", "model.", "net.", "")
_NEAR = 2e-3
"""Of the largest number of a tensor: float16 rounds by 5e-4, and a folded tensor twice."""
_NEAR_QUANTIZED = 2e-2
_STORED_TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
                 "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8,
                 "U8": torch.uint8, "BOOL": torch.bool}  # fmt: skip
"""By their names in a safetensors file."""
_MOST_UNLIKE = 3
State = Mapping[str, torch.Tensor]


def put_weights(module: nn.Module, pairs: Sequence[WeightPair]) -> None:
    """Give a module the file's values; the BatchNorm behind a folded layer then changes nothing."""
    own = module.state_dict(keep_vars=True)
    folded = {pair.folded: pair for pair in pairs if pair.folded and pair.key.endswith(".weight")}
    biases = {pair.folded: pair for pair in pairs if pair.folded and pair.key.endswith(".bias")}
    with torch.no_grad():
        for pair in pairs:
            if pair.folded is None:
                own[pair.key].copy_(pair.value)
        for folding, pair in folded.items():
            assert folding is not None
            own[pair.key].copy_(pair.value)
            if (bias := own.get(f"{folding.layer}.bias")) is not None:
                bias.zero_()
            shift = biases[folding].value if folding in biases else None
            _make_idle(module.get_submodule(folding.norm), shift)


def list_unlike(
    module: nn.Module, pairs: Sequence[WeightPair], quantized: bool = False
) -> Iterator[WeightPair]:
    """The pairs whose values are others than the module's own, with what the file folds folded here too."""
    own = module.state_dict()
    for pair in pairs:
        if not is_near(expect_value(module, own, pair), pair.value, quantized):
            yield pair


def expect_value(module: nn.Module, own: State, pair: WeightPair) -> torch.Tensor:
    """What the file has to hold for the module's own weights."""
    if pair.folded is None:
        return own[pair.key].detach().double()
    value = own[pair.key].detach().double() if pair.key in own else torch.zeros(1).double()
    norm: Any = module.get_submodule(pair.folded.norm)
    scale = 1 / torch.sqrt(norm.running_var.double() + norm.eps)
    scale = scale * norm.weight.detach().double() if norm.affine else scale
    if pair.key.endswith(".weight"):
        layer = module.get_submodule(pair.folded.layer)
        shape = [1] * value.dim()
        shape[1 if isinstance(layer, nn.modules.conv._ConvTransposeNd) else 0] = -1
        return value * scale.reshape(shape)
    shift = norm.bias.detach().double() if norm.affine else 0.0
    return (value - norm.running_mean.double()) * scale + shift


def is_near(expected: torch.Tensor, given: torch.Tensor, quantized: bool = False) -> bool:
    """Whether two tensors are the same but for rounding to fewer bits."""
    expected, given = expected.double(), given.double()
    if expected.shape != given.shape:
        return False
    if not expected.numel():
        return True
    most = float(expected.abs().max())
    near = (_NEAR_QUANTIZED if quantized else _NEAR) * most + 1e-7
    return bool(float((expected - given).abs().max()) <= near)


def _tell_unlike(
    keys: Sequence[str], given: Mapping[str, torch.Tensor], own: Mapping[str, torch.Tensor]
) -> str:
    shown = ", ".join(
        f"{key} is {list(given[key].shape)} in it and {list(own[key].shape)} in the model"
        for key in keys[:_MOST_UNLIKE]
    )
    others = f" and {len(keys) - _MOST_UNLIKE} others" if len(keys) > _MOST_UNLIKE else ""
    return f"it is of a model that was built with other arguments: {shown}{others}"


def load_checkpoint(module: nn.Module, path: str) -> str:
    """Give a module the weights of a checkpoint, and say how many it takes.

    Nothing is unpickled but tensors. Raises UnreadableFileError.
    """
    state = _find_state(_read_checkpoint(path), module)
    own = {k: v for k, v in module.state_dict(keep_vars=True).items() if torch.is_tensor(v)}
    prefix = max(_PREFIXES, key=lambda p: sum(key.removeprefix(p) in own for key in state))
    named = {key.removeprefix(prefix): value for key, value in state.items()}
    fitting = {k: v for k, v in named.items() if k in own and own[k].shape == v.shape}
    if unlike := [key for key in named if key in own and key not in fitting]:
        raise UnreadableFileError(_tell_unlike(unlike, named, own))
    if not fitting:
        raise UnreadableFileError("it holds no weight of this model by name")
    with torch.no_grad():
        for key, value in fitting.items():
            own[key].copy_(value)
    missing = [key for key in own if key not in fitting and not key.endswith("num_batches_tracked")]
    told = f"{len(fitting)} of {len(own)} from {Path(path).name}"
    return told + (f"; not in it: {', '.join(missing[:4])}" if missing else "")


def _read_checkpoint(path: str) -> Any:
    try:
        if path.endswith(".safetensors"):
            return _read_safetensors(Path(path).read_bytes())
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a file that is no checkpoint raises
        raise UnreadableFileError(describe_error(error, 300)) from error


def _read_safetensors(data: bytes) -> dict[str, torch.Tensor]:
    """The tensors of such a file: the length of its header, the header as JSON, and the numbers."""
    begin = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, about in json.loads(data[8:begin]).items():
        if name == "__metadata__":
            continue
        first, last = about["data_offsets"]
        numbers = bytearray(data[begin + first : begin + last])
        dtype = _STORED_TYPES[about["dtype"]]
        flat = torch.frombuffer(numbers, dtype=dtype) if numbers else torch.empty(0, dtype=dtype)
        found[name] = flat.reshape(about["shape"])
    return found


def _find_state(read: Any, module: nn.Module) -> dict[str, torch.Tensor]:
    """The mapping with most of the model's keys: the whole, or one inside it."""
    own = set(module.state_dict())
    found = [read, *(read.get(name) for name in _NESTS)] if isinstance(read, dict) else []
    states = [
        {str(k): v for k, v in each.items() if isinstance(v, torch.Tensor)}
        for each in found
        if isinstance(each, dict)
    ]

    def count(state: dict[str, torch.Tensor]) -> int:
        return max(sum(key.removeprefix(p) in own for key in state) for p in _PREFIXES)

    best = max(states, key=count, default={})
    if not best:
        raise UnreadableFileError("it holds no state_dict")
    return best


def _make_idle(norm: Any, shift: torch.Tensor | None) -> None:
    """Let a BatchNorm in eval mode only add."""
    norm.running_var.fill_(1 - norm.eps)
    norm.running_mean.zero_()
    if shift is not None:
        norm.running_mean.copy_(-shift)
    if norm.affine:
        norm.weight.fill_(1)
        norm.bias.zero_()
