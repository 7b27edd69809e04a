"""What `lintorch checkpoint` says of a file is what the torch that is installed does with it."""

from __future__ import annotations

import argparse
import collections
import contextlib
import datetime
import io
import pathlib
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import _weights_only_unpickler as unpickler
from torch import nn

from lintorch.checkpoint.admitted_globals import ADMITTED, BLOCKED_MODULES, WITH_IMPORT
from lintorch.checkpoint.checkpoint import Checkpoint, read_checkpoint
from lintorch.checkpoint.compare_keys import compare_keys
from lintorch.checkpoint.judge_globals import judge_globals
from lintorch.checkpoint.nonfinite_values import count_nonfinite
from lintorch.checkpoint.prefixes import write_stripping
from lintorch.checkpoint.values import Global
from lintorch.cli.show_comparison import describe_hidden
from lintorch.cli.show_refusals import list_refusals, write_access, write_admission

warnings.filterwarnings("ignore", category=UserWarning)


class Odd:
    """Somebody's own class."""

    def __init__(self) -> None:
        self.rate = 0.1


def _linear() -> Any:
    return nn.Linear(3, 2).state_dict()


def _adam() -> dict[str, Any]:
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.zeros(4, 3)).sum().backward()
    optimizer.step()
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    return {
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": schedule.state_dict(),
        "epoch": 3,
    }


def _kinds() -> list[Any]:
    with_attribute = torch.zeros(3)
    with_attribute.note = "kept"
    return [
        torch.eye(2).to_sparse(),
        torch.eye(2).to_sparse_csr(),
        torch.zeros(2, 3, device="meta"),
        torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8),
        torch.quantize_per_channel(
            torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.quint8
        ),
        nn.Parameter(torch.zeros(2)),
        nn.Buffer(torch.zeros(2)),
        torch.zeros(2).to(torch.float8_e5m2),
        torch.zeros(2).expand(3, 2),
        torch.zeros(4, 4)[1:, ::2],
        torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        torch.zeros(2, dtype=torch.complex64),
        torch.zeros(2, dtype=torch.uint16),
        torch.zeros(()),
        torch.zeros(0, 3),
        with_attribute,
    ]


SAVED: dict[str, Callable[[], Any]] = {
    "state_dict": _linear,
    "training": _adam,
    "all kinds": _kinds,
    "half": lambda: {"w": torch.zeros(3).half(), "v": torch.zeros(2).bfloat16()},
    "namespace": lambda: {"model": _linear(), "args": argparse.Namespace(lr=0.1)},
    "own class": lambda: {"model": _linear(), "config": Odd()},
    "whole model": lambda: nn.Sequential(nn.Linear(3, 2), nn.ReLU()),
    "numpy scalar": lambda: {"best": np.float64(0.5), "count": np.int32(3)},
    "numpy array": lambda: {"mean": np.zeros((2, 3), "f4"), "names": np.array(["a"])},
    "defaultdict": lambda: collections.defaultdict(list, a=[1]),
    "empty defaultdict": lambda: collections.defaultdict(list),
    "deque": lambda: collections.deque([1, 2]),
    "counter": lambda: collections.Counter("aab"),
    "path": lambda: {"path": pathlib.Path("x")},
    "date": lambda: {"at": datetime.datetime(2020, 1, 1)},
    "frozenset": lambda: {"kinds": frozenset([1, 2])},
    "slice": lambda: {"rows": slice(1, 2)},
    "plain": lambda: {"a": [1, 2.5, "x", None, True, b"y", {1, 2}, 10**400, 1j, bytearray(b"z")]},
    "function": lambda: {"activation": torch.nn.functional.relu},
    "getattr": lambda: {"f": [].append},
}


def _loads(path: Path) -> bool:
    try:
        torch.load(path)
    except (pickle.UnpicklingError, RuntimeError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize("name", SAVED)
def test_what_torch_refuses_is_told_and_what_admits_it_does(
    name: str, legacy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("saved.pt")
    with contextlib.suppress(AttributeError, NotImplementedError):
        torch.save(SAVED[name](), path, _use_new_zipfile_serialization=not legacy)
    found = read_checkpoint(str(path))
    assert found.is_fine == _loads(path)
    lines = [line.replace("__main__", __name__) for line in write_admission(found)]
    if lines:
        space: dict[str, Any] = {"Odd": Odd}
        exec("\n".join(lines), space)
        assert "checkpoint" in space
        assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_each_kind_of_tensor_is_described_as_it_is(legacy: bool, tmp_path: Path) -> None:
    path = tmp_path / "kinds.pt"
    kinds = _kinds()
    torch.save(kinds, path, _use_new_zipfile_serialization=not legacy)
    tensors = dict(read_checkpoint(str(path)).sections[0].tensors)
    for number, each in enumerate(kinds):
        found = tensors[str(number)]
        if not each.is_nested:
            assert found.shape == tuple(each.shape)
        assert f"torch.{found.dtype}" == str(each.dtype)
        assert found.parameter == isinstance(each, nn.Parameter)
    named = [found.kind for found in tensors.values()]
    assert named[:5] == ["sparse coo", "sparse csr", "meta", "quantized", "quantized"]


def test_the_parts_of_a_training_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "training.pt"
    torch.save(_adam(), path)
    found = read_checkpoint(str(path))
    assert [(each.name, each.kind) for each in found.sections] == [
        ("model", "weights"),
        ("optimizer", "optimizer"),
        ("scheduler", "scheduler"),
    ]
    assert found.chosen is found.sections[0]
    assert "AdamW" in found.sections[1].about
    assert found.plain == {"epoch": "3"}


def _is_taken(path: str) -> bool:
    module, _, name = path.rpartition(".")
    try:
        unpickler.load(io.BytesIO(b"\x80\x02c" + f"{module}\n{name}\n".encode() + b"."))
    except pickle.UnpicklingError:
        return False
    return True


def test_the_table_of_what_is_taken_is_that_of_torch() -> None:
    taken = {*unpickler._get_allowed_globals(), *unpickler._get_user_allowed_globals()}
    assert {path for path in ADMITTED if not _is_taken(path)} == set()
    assert taken - ADMITTED - WITH_IMPORT.keys() == set()
    others = ["os.system", "builtins.eval", "argparse.Namespace", "torch.load", "torch.nn.Linear"]
    assert not any(map(_is_taken, others))
    assert set(unpickler._blocklisted_modules) == BLOCKED_MODULES


def test_the_opcodes_that_are_taken_are_those_of_torch() -> None:
    import pickletools

    from lintorch.checkpoint.admitted_globals import SUPPORTED_OPCODES

    for opcode in pickletools.opcodes:
        data = opcode.code.encode("latin-1") + b"\x00" * 16
        try:
            unpickler.load(io.BytesIO(data))
            refused = False
        except Exception as error:
            refused = "Unsupported operand" in str(error) and str(ord(opcode.code)) in str(error)
        assert refused == (opcode.name not in SUPPORTED_OPCODES), opcode.name


@pytest.mark.parametrize(
    "path",
    ["os.system", "posix.system", "builtins.eval", "builtins.getattr", "subprocess.Popen", "a b.c"],
)
def test_what_runs_code_is_never_admitted(path: str) -> None:
    module, _, name = path.rpartition(".")
    (judged,) = judge_globals([Global(module, name)])
    assert judged.verdict == "dangerous"
    assert not judged.spelled


def test_what_wrappers_put_before_keys_is_known(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.pt"
    inner = nn.DataParallel(nn.Sequential(nn.Linear(3, 2)))
    torch.save({f"_orig_mod.{key}": v for key, v in inner.state_dict().items()}, path)
    assert [each.text for each in read_checkpoint(str(path)).prefixes] == ["_orig_mod.", "module."]


class _Net(nn.Module):
    def __init__(self, classes: int = 4) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))
        self.head = nn.Linear(4, classes)


class _Other(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))
        self.extra = nn.Linear(2, 2)
        self.fc = nn.Linear(4, 5)


def _compare(saved: Any, model: nn.Module, folder: Path) -> Any:
    path = folder / "weights.pt"
    torch.save(saved, path)
    chosen = read_checkpoint(str(path)).chosen
    assert chosen is not None
    return compare_keys(chosen, {key: tuple(v.shape) for key, v in model.state_dict().items()})


@pytest.mark.parametrize("saved", [_Net, _Other, lambda: _Net(7)], ids=["same", "other", "head"])
def test_keys_are_missing_as_load_state_dict_says(
    saved: Callable[[], nn.Module], tmp_path: Path
) -> None:
    state, model = saved().state_dict(), _Net()
    found = _compare(state, model, tmp_path)
    fitting = {k: v for k, v in state.items() if k not in {o.key for o in found.other_shapes}}
    told = model.load_state_dict(fitting, strict=False)
    wrong = {each.key for each in found.other_shapes}
    assert set(told.missing_keys) - wrong == set(found.missing)
    assert set(told.unexpected_keys) == set(found.unexpected)
    if wrong:
        with pytest.raises(RuntimeError) as raised:
            model.load_state_dict(state)
        assert set(re.findall(r"size mismatch for (\S+):", str(raised.value))) == wrong


@pytest.mark.parametrize("prefix", ["", "module."])
def test_another_shape_is_raised_where_a_name_is_the_models(prefix: str, tmp_path: Path) -> None:
    state = {f"{prefix}{key}": value for key, value in _Net(7).state_dict().items()}
    del state[f"{prefix}stem.0.bias"]
    told = describe_hidden(_compare(state, _Net(), tmp_path))
    try:
        _Net().load_state_dict(state, strict=False)
    except RuntimeError:
        assert told.endswith("but for the shapes")
    else:
        assert told.endswith("raises nothing")


def test_a_batch_norm_gets_its_counter_where_an_old_file_has_none(tmp_path: Path) -> None:
    state = {k: v for k, v in _Net().state_dict().items() if "num_batches" not in k}
    _Net().load_state_dict(state)
    assert _compare(state, _Net(), tmp_path).loads_as_it_is


def test_a_value_that_is_no_tensor_is_told_as_load_state_dict_refuses_it(tmp_path: Path) -> None:
    state = {**_Net().state_dict(), "mask_values": [0, 1]}
    with pytest.raises(RuntimeError, match="mask_values"):
        _Net().load_state_dict(state)
    found = _compare(state, _Net(), tmp_path)
    assert found.plain == ("mask_values",)
    assert not found.loads_as_it_is


def test_a_list_of_pairs_is_a_state_dict_once_it_is_a_mapping(tmp_path: Path) -> None:
    pairs = [*_Net().state_dict().items()]
    with pytest.raises(TypeError, match="dict-like"):
        _Net().load_state_dict(pairs)
    found = _compare(pairs, _Net(), tmp_path)
    assert found.is_whole
    assert not found.loads_as_it_is
    torch.save(pairs, tmp_path / "pairs.pt")
    (section,) = read_checkpoint(str(tmp_path / "pairs.pt")).sections
    assert (section.kind, section.paired) == ("weights", True)
    assert write_access(section) == "state = dict(checkpoint)"
    _Net().load_state_dict(dict(pairs))


METRICS: list[tuple[Any, list[str]]] = [
    ({"epoch": 3, "loss": torch.tensor(0.3), "val_loss": torch.ones(2)}, ["tensors"]),
    ({"train": {"top1": torch.tensor(1.0)}, "test": {"psnr": torch.tensor(2.0)}}, ["tensors"] * 2),
    ({"net": {"w": torch.ones(2, 2)}, "best_acc": torch.tensor(0.9)}, ["tensors", "weights"]),
    ({"scale": torch.tensor(0.5)}, ["weights"]),
    ({"score.weight": torch.ones(2), "score.bias": torch.ones(2)}, ["weights"]),
    ({"loss": torch.ones(2, 2)}, ["weights"]),
]


@pytest.mark.parametrize(("saved", "kinds"), METRICS)
def test_numbers_of_a_run_are_no_weights(saved: Any, kinds: list[str], tmp_path: Path) -> None:
    torch.save(saved, tmp_path / "file.pt")
    found = read_checkpoint(str(tmp_path / "file.pt"))
    assert [each.kind for each in found.sections] == kinds
    assert (found.chosen is None) == ("weights" not in kinds)


class _Branches(nn.Module):
    def __init__(self, deploy: bool) -> None:
        super().__init__()
        if deploy:
            self.rbr_reparam = nn.Conv2d(3, 8, 3)
        else:
            self.rbr_dense, self.rbr_1x1 = nn.Conv2d(3, 8, 3), nn.Conv2d(3, 8, 1)


def test_merged_blocks_are_told_from_those_of_training(tmp_path: Path) -> None:
    trained, merged = _Branches(False), _Branches(True)
    found = _compare(trained.state_dict(), merged, tmp_path)
    assert "make the model without deploy=True" in found.branches
    found = _compare(merged.state_dict(), trained, tmp_path)
    assert "make the model with deploy=True" in found.branches
    for same in (trained, merged):
        assert not _compare(same.state_dict(), same, tmp_path).branches
    (section,) = _sections(merged.state_dict(), tmp_path)
    assert "rbr_reparam" in section.about


def _sections(saved: Any, folder: Path) -> Any:
    torch.save(saved, folder / "file.pt")
    return read_checkpoint(str(folder / "file.pt")).sections


def test_a_counter_under_another_name_is_not_called_as_the_model_calls_it(tmp_path: Path) -> None:
    state = {f"module.{key}": value for key, value in _Net().state_dict().items()}
    found = _compare(dict(state), _Net(), tmp_path)
    assert found.is_whole
    assert found.before == 0


def test_arrays_are_told_as_load_state_dict_refuses_them(tmp_path: Path) -> None:
    state = {k: v.numpy() for k, v in _Net().state_dict().items()}
    with pytest.raises(RuntimeError, match=r"expected torch\.Tensor"):
        _Net().load_state_dict(state)
    found = _compare(state, _Net(), tmp_path)
    assert found.is_whole
    assert found.arrays == len(state)
    assert not found.loads_as_it_is
    _Net().load_state_dict({k: torch.as_tensor(v) for k, v in state.items()})


def test_weights_with_their_axes_in_another_order_are_turned_by_the_lines(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2d(3, 5, 2), nn.Conv1d(5, 7, 3), nn.Linear(7, 2))
    orders = {4: (2, 3, 1, 0), 3: (2, 1, 0), 2: (1, 0), 1: (0,)}
    plain = model.state_dict()
    state = {k: v.permute(orders[v.ndim]).contiguous() for k, v in plain.items()}
    found = _compare(state, model, tmp_path)
    assert [each.key for each in found.turned] == ["0.weight", "1.weight", "2.weight"]
    for each in found.turned:
        assert torch.equal(state[each.key].permute(each.order), plain[each.key])
    assert not _compare({"weight": torch.zeros(3, 9)}, nn.Linear(8, 3), tmp_path).turned


def test_a_file_that_is_cut_off_is_not_said_to_load(tmp_path: Path) -> None:
    path = tmp_path / "old.pth"
    torch.save(_linear(), path, _use_new_zipfile_serialization=False)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(RuntimeError):
        torch.load(path)
    told = [text for line in list_refusals(read_checkpoint(str(path))) for text, _ in line]
    assert "torch.load takes it" not in told


def test_renamed_keys_are_paired_and_the_lines_load_them(tmp_path: Path) -> None:
    names = {"stem": "backbone", "head": "fc"}
    state = {
        f"module.{names[key.split('.')[0]]}.{key.partition('.')[2]}": value
        for key, value in _Net().state_dict().items()
    }
    found = _compare(dict(state), _Net(), tmp_path)
    assert found.renaming is not None
    assert dict(found.renaming.rules) == {"backbone.": "stem.", "fc.": "head."}
    stripped = {key.removeprefix("module."): value for key, value in state.items()}
    space: dict[str, Any] = {"state": stripped}
    exec("\n".join(found.renaming.write_lines()), space)
    _Net().load_state_dict(space["state"])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_nan_and_infinity_are_counted_off_their_bytes(dtype: torch.dtype) -> None:
    values = torch.randn(1000, dtype=torch.float64).to(dtype)
    values[::7] = float("nan")
    values[5] = float("-inf")
    values[6] = torch.finfo(dtype).max
    data = values.view(torch.uint8).numpy().tobytes()
    wanted = int((~values.isfinite()).sum())
    assert count_nonfinite(data, str(dtype).removeprefix("torch.")) == wanted


def _of(checkpoint: Checkpoint) -> tuple[str, list[str]]:
    assert checkpoint.chosen is not None
    return checkpoint.raw.format, [key for key, _ in checkpoint.chosen.tensors]


def test_other_formats_are_read_too(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 2))
    keys = ["0.weight", "0.bias"]
    path = str(tmp_path / "file")
    torch.jit.save(torch.jit.script(model), path)
    assert _of(read_checkpoint(path)) == ("TorchScript archive (torch.jit.save)", keys)
    assert not _loads(Path(path))
    Path(path).write_bytes(pickle.dumps(model.state_dict()))
    assert _of(read_checkpoint(path)) == ("pickle", keys)
    assert not _loads(Path(path))


def test_keys_of_a_file_are_no_code_in_what_is_to_be_copied(tmp_path: Path) -> None:
    harm = "\"+str(1/0)+'\n"
    state = {f"{harm}.{key}": value for key, value in _Net().state_dict().items()}
    found = _compare(state, _Net(), tmp_path)
    space: dict[str, Any] = {"state": dict(state)}
    exec("\n".join(write_stripping(found.prefixes)), space)
    _Net().load_state_dict(space["state"])
