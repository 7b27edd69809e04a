"""Writes the files of one model: right ones, and each with a fault or two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn

from beside.small_models import SmallModel

SHUFFLED = 3
"""The seed of the weights that the files are made with."""


@dataclass(frozen=True)
class FaultyFile:
    """A file, what is wrong with it, and the kinds of causes that say so: none for a right one."""

    fault: str
    path: Path
    expected: frozenset[str] = frozenset()
    checkpoint: Path | None = None
    unable: bool = False


class _Before(nn.Module):
    def __init__(self, model: nn.Module, change: Callable[..., tuple[Any, ...]]) -> None:
        super().__init__()
        self.model, self.change = model, change

    def forward(self, *given: torch.Tensor) -> Any:
        return self.model(*self.change(*given))


def write_files(model: SmallModel, folder: Path) -> Iterator[FaultyFile]:
    """Write them below `folder`, beside `net.py`; a file that the exporter refuses is told and left out."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.py").write_text(model.source)
    space: dict[str, Any] = {"__name__": "net"}
    exec(compile(model.source, str(folder / "net.py"), "exec"), space)
    torch.manual_seed(SHUFFLED)
    module = _shake(space["Net"]().eval())
    torch.save(module.state_dict(), folder / "own.pt")
    inputs = tuple(_make_input(name, shape) for name, shape in model.inputs.items())
    export = partial(_export, folder, inputs, list(model.inputs))
    old = export("right, dynamo=False", module, dynamo=False)
    new = export("right, dynamo=True", module, dynamo=True)
    yield from (FaultyFile(name, path) for name, path in _list_written([old, new]))
    training = torch.onnx.TrainingMode.TRAINING
    module.train()
    trained = export("training mode", module, dynamo=False, training=training)
    module.eval().load_state_dict(torch.load(folder / "own.pt"))  # what the training run changed
    expected = frozenset({"training-mode"}) if _behaves_otherwise(module) else frozenset()
    yield from (FaultyFile(n, p, expected) for n, p in _list_written([trained]))
    base = old or new
    if base is not None:
        yield from _write_weights(module, base[1], new and new[1], folder)
        yield from _write_precisions(base[1], folder)
        data = base[1].read_bytes()
        (folder / "cut.onnx").write_bytes(data[: len(data) // 2])
        yield FaultyFile("cut in half", folder / "cut.onnx", unable=True)
    yield from _write_inputs(model, module, export)


def _write_weights(
    module: nn.Module, old: Path, new: Path | None, folder: Path
) -> Iterator[FaultyFile]:
    """A checkpoint with two changed weights; and that of another training."""
    expected = frozenset({"weights"})
    state = {key: value.clone() for key, value in module.state_dict().items()}
    for key in [k for k, v in state.items() if k.endswith("weight") and v.dim() > 1][:2]:
        state[key] += 0.3 * state[key].std() * torch.randn(state[key].shape)
    torch.save(state, folder / "changed.pt")
    names = {name for name, _ in module.named_parameters()}
    other = {
        key: value + 0.2 * value.abs().mean() * torch.randn(value.shape) if key in names else value
        for key, value in module.state_dict().items()
    }
    torch.save(other, folder / "other.pt")
    yield FaultyFile("right, its checkpoint", old, checkpoint=folder / "own.pt")
    yield FaultyFile("two weights changed", old, expected, folder / "changed.pt")
    yield FaultyFile("other checkpoint", new or old, expected, folder / "other.pt")


def _write_precisions(old: Path, folder: Path) -> Iterator[FaultyFile]:
    from onnxconverter_common import float16
    from onnxruntime.quantization import quantize_dynamic

    expected, own = frozenset({"precision"}), folder / "own.pt"
    half, eight = folder / "half.onnx", folder / "eight.onnx"
    onnx.save(float16.convert_float_to_float16(onnx.load(old)), half)
    try:
        quantize_dynamic(old, eight)
    except ValueError as error:  # weights that the graph computes
        print(f"not made: {eight}: {error}")
        eight = Path()
    both = frozenset({"precision", "weights"})
    if _is_loaded(half):
        yield FaultyFile("float16", half, expected, own)
        yield FaultyFile("float16 and other checkpoint", half, both, folder / "other.pt")
    if eight.name:
        yield FaultyFile("int8, dynamic", eight, expected, own)
        yield FaultyFile("int8 and other checkpoint", eight, both, folder / "other.pt")


def _is_loaded(path: Path) -> bool:
    """Whether ONNX Runtime takes what the converter made: casts to float32 inside a model make it invalid."""
    import onnxruntime

    try:
        onnxruntime.InferenceSession(str(path))
    except Exception:
        print(f"not made: {path}")
        return False
    return True


def _write_inputs(model: SmallModel, module: nn.Module, export: Any) -> Iterator[FaultyFile]:
    before = frozenset({"preprocessing"})
    if model.is_image:
        scaled = _Before(module, lambda x: (x / 255,)).eval()
        turned = _Before(module, lambda x: (x.flip(1),)).eval()
        made = []
        if _differs(module, scaled, model):
            made.append(export("input / 255", scaled, dynamo=False))
        if _differs(module, turned, model):
            made.append(export("BGR", turned, dynamo=True))
        yield from (FaultyFile(n, p, before) for n, p in _list_written(made))
    if set(model.inputs) == {"query", "key"}:
        swapped = _Before(module, lambda a, b: (b, a)).eval()
        made = [export("inputs swapped", swapped, dynamo=False)]
        yield from (FaultyFile(n, p, frozenset({"input-order"})) for n, p in _list_written(made))
    if "int(x.shape[2])" in model.source:
        axes = {"x": {0: "b", 2: "h", 3: "w"}}
        made = [export("baked size", module, dynamo=False, dynamic_axes=axes)]
        yield from (FaultyFile(n, p, frozenset({"baked-size"})) for n, p in _list_written(made))


def _differs(module: nn.Module, other: nn.Module, model: SmallModel) -> bool:
    """Whether the numbers of two models show that they are two."""
    given = [_make_input(name, shape) for name, shape in model.inputs.items()]
    with torch.no_grad():
        first, second = module(*given), other(*given)
    return bool((first - second).abs().max() > 1e-2 * first.abs().max())


def _export(
    folder: Path,
    inputs: tuple[torch.Tensor, ...],
    names: list[str],
    fault: str,
    module: nn.Module,
    **options: Any,
) -> tuple[str, Path] | None:
    path = folder / f"{''.join(c if c.isalnum() else '_' for c in fault)}.onnx"
    options = {"input_names": names, "verbose": False, **options}
    try:
        torch.onnx.export(module, inputs, path, external_data=False, **options)
    except Exception as error:
        print(f"not exported: {folder.name}, {fault}: {str(error).splitlines()[0][:120]}")
        return None
    return fault, path


def _list_written(made: list[tuple[str, Path] | None]) -> Iterator[tuple[str, Path]]:
    yield from (each for each in made if each is not None)


def _behaves_otherwise(module: nn.Module) -> bool:
    kinds = (nn.modules.batchnorm._BatchNorm, nn.modules.dropout._DropoutNd)
    return any(isinstance(each, kinds) and getattr(each, "p", 1) > 0 for each in module.modules())


def _shake(module: nn.Module) -> nn.Module:
    """Give BatchNorm layers statistics as after a training."""
    with torch.no_grad():
        for part in module.modules():
            if isinstance(part, nn.modules.batchnorm._BatchNorm):
                assert part.running_mean is not None
                assert part.running_var is not None
                part.running_mean.normal_(0, 0.3)
                part.running_var.uniform_(0.5, 1.5)
    return module


def _make_input(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    if name.endswith("mask"):
        mask = torch.ones(shape, dtype=torch.long)
        mask[0, -2:] = 0
        return mask
    return torch.randint(0, 90, shape) if name.endswith("ids") else torch.randn(shape)
