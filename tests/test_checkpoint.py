"""`lintorch checkpoint`: what it prints and exits with, and files that are broken or mean harm."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from running import lintorch

from lintorch.checkpoint import limits
from lintorch.checkpoint.checkpoint import count_types, list_shared, measure_bytes, read_checkpoint
from lintorch.checkpoint.limits import CheckpointError

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))
        self.head = nn.Linear(4, classes)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))
"""
STATE = {"a.weight": torch.ones(2, 3), "a.bias": torch.zeros(2)}


def _save(value: Any, **how: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer, **how)
    return buffer.getvalue()


def _read(data: bytes, folder: Path) -> Any:
    path = folder / "file.pt"
    path.write_bytes(data)
    return read_checkpoint(str(path))


def _refused(data: bytes, folder: Path) -> str:
    with pytest.raises(CheckpointError) as raised:
        _read(data, folder)
    return str(raised.value)


def _zip(entries: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_a_report_and_its_exit_codes(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "fine.pt")
    done = lintorch("checkpoint", "fine.pt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a.weight  2×3 float32" in done.stdout
    assert "torch.load takes it" in done.stdout
    torch.save({"state_dict": STATE, "when": io.StringIO}, tmp_path / "harm.pt")
    done = lintorch("checkpoint", "harm.pt", cwd=tmp_path)
    assert done.returncode == 1
    assert "dangerous _io.StringIO" in done.stdout
    assert "safe_globals" not in done.stdout
    done = lintorch("checkpoint", "lost.pt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "lintorch: lost.pt: No such file or directory\n"


def test_it_runs_without_torch(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "fine.pt")
    program = (
        "import sys\nfrom lintorch.cli import main\n"
        "try:\n    main(['checkpoint', 'fine.pt', '--values'])\n"
        "except SystemExit:\n    print(sorted({'torch', 'numpy'} & set(sys.modules)))\n"
    )
    (tmp_path / "run.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_model_is_built_and_its_keys_compared(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    space: dict[str, Any] = {}
    exec(NET, space)
    state = {f"module.{key}": value for key, value in space["Net"](5).state_dict().items()}
    torch.save({"state_dict": state, "epoch": 3}, tmp_path / "net.pt")
    done = lintorch("checkpoint", "net.pt", "net.py:Net", "--output-format", "json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    model = json.loads(done.stdout)["model"]
    assert (model["keys"], model["matched"], model["missing"]) == (9, 7, [])
    assert [each["key"] for each in model["other_shapes"]] == ["head.weight", "head.bias"]
    assert "key.removeprefix('module.')" in "\n".join(model["load"])
    done = lintorch("checkpoint", "net.pt", "net.py:Nothing", cwd=tmp_path)
    assert done.returncode == 2
    assert "net.py defines no Nothing" in done.stderr


def test_json_tells_all_of_it(tmp_path: Path) -> None:
    torch.save({"model": STATE, "ema": STATE, "epoch": 3, "lr": 0.1}, tmp_path / "a.pt")
    told = json.loads(lintorch("checkpoint", "a.pt", "--output-format=json", cwd=tmp_path).stdout)
    assert told["values"] == {"epoch": "3", "lr": "0.1"}
    assert [(s["name"], s["kind"], s["chosen"]) for s in told["sections"]] == [
        ("model", "weights", True),
        ("ema", "average", False),
    ]
    assert told["sections"][0]["tensors"][0] == {
        "key": "a.weight",
        "shape": [2, 3],
        "dtype": "float32",
        "kind": None,
        "subclass": None,
        "storage": "0",
    }
    assert told["weights_only"]["taken"] is True
    chosen = lintorch("checkpoint", "a.pt", "--key", "ema", "--output-format=json", cwd=tmp_path)
    assert json.loads(chosen.stdout)["sections"][1]["chosen"]
    assert lintorch("checkpoint", "a.pt", "--key", "no", cwd=tmp_path).returncode == 2


def test_shared_numbers_count_once(tmp_path: Path) -> None:
    tied = torch.zeros(10, 4)
    found = _read(_save({"in": tied, "out": tied, "half": tied.half()}), tmp_path)
    tensors = found.chosen.tensors
    assert list_shared(tensors) == (("in", "out"),)
    assert measure_bytes(tensors) == 10 * 4 * (4 + 2)
    assert count_types(tensors) == {"float32": 2, "float16": 1}


def test_numbers_that_are_none_are_found(tmp_path: Path) -> None:
    state = {"w": torch.tensor([1.0, float("nan"), float("inf")]), "v": torch.zeros(2)}
    for number, how in enumerate(({}, {"_use_new_zipfile_serialization": False})):
        (tmp_path / f"{number}.pt").write_bytes(_save(state, **how))
        done = lintorch("checkpoint", f"{number}.pt", "--values", cwd=tmp_path)
        assert done.returncode == 1
        assert "2 numbers of w are NaN or infinite" in done.stdout
        assert " v " not in done.stdout.partition("error")[2]


def _safetensors(header: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_a_header_whose_length_looks_like_a_brace_is_no_json(tmp_path: Path) -> None:
    header: dict[str, Any] = {
        "a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
        "__metadata__": {"b": ""},
    }
    short = len(json.dumps(header).encode())
    header["__metadata__"]["b"] = "x" * (ord("{") - short)
    assert _read(_safetensors(header, bytes(2)), tmp_path).raw.format == "safetensors"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pth")
    with pytest.raises(CheckpointError, match="a pipe"):
        read_checkpoint(str(tmp_path / "pipe.pth"))


def test_a_directory_that_names_more_than_there_is_is_refused(tmp_path: Path) -> None:
    data = bytearray(_save(STATE))
    last = data.rfind(b"PK\x01\x02")
    data[last + 20 : last + 28] = struct.pack("<II", 0xFFFFFF00, 0xFFFFFF00)
    assert "by the directory" in _refused(bytes(data), tmp_path)


def test_safetensors(tmp_path: Path) -> None:
    one = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
    two = {"dtype": "BF16", "shape": [3], "data_offsets": [16, 22]}
    header = {"__metadata__": {"format": "pt"}, "a.weight": one, "a.bias": two}
    found = _read(_safetensors(header, bytes(22)), tmp_path)
    assert found.is_fine
    assert [(k, t.shape, t.dtype) for k, t in found.chosen.tensors] == [
        ("a.weight", (2, 2), "float32"),
        ("a.bias", (3,), "bfloat16"),
    ]
    assert "cut off" in _refused(_safetensors(header, bytes(20)), tmp_path)
    assert "follow its last" in _refused(_safetensors(header, bytes(24)), tmp_path)
    overlap = {"a": one, "b": {**two, "data_offsets": [8, 14]}}
    assert "does not begin" in _refused(_safetensors(overlap, bytes(22)), tmp_path)
    assert "than its shape" in _refused(_safetensors({"a": {**one, "shape": [2]}}, b""), tmp_path)
    long = struct.pack("<Q", 2**31) + b"{"
    assert "header takes" in _refused(long, tmp_path)
    deep = b'{"a":' * 100_000
    assert "no JSON" in _refused(struct.pack("<Q", len(deep)) + deep, tmp_path)


WRITES = b"\x80\x02cbuiltins\nopen\nX\x08\x00\x00\x00WRITTEN!X\x01\x00\x00\x00w\x86R."


@pytest.mark.parametrize("packed", ["zip", "legacy", "plain"])
def test_nothing_that_a_pickle_names_is_run(
    packed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Harm:
        def __reduce__(self) -> tuple[Any, ...]:
            return open, ("WRITTEN!", "w")

    monkeypatch.chdir(tmp_path)
    data = {
        "zip": _zip({"a/data.pkl": WRITES}),
        "legacy": _save(Harm(), _use_new_zipfile_serialization=False),
        "plain": WRITES,
    }[packed]
    found = _read(data, tmp_path)
    assert found.is_dangerous
    assert not Path("WRITTEN!").exists()
    pickle.loads(WRITES).close()  # it does what it is feared for
    assert Path("WRITTEN!").exists()


WORDS = {
    b"version https://git-lfs.github.com/spec/v1\n": "pointer of Git LFS",
    b"<!DOCTYPE html><html>": "web page",
    b"\x1f\x8b\x08\x00": "gzip",
    b"": "it is empty",
    b'{"weight_map": {}}': "JSON",
    b"\x93NUMPY\x01\x00": "np.load",
    b"nothing that is known": "its format is not known",
}


@pytest.mark.parametrize("data", WORDS)
def test_what_is_no_checkpoint_is_named(data: bytes, tmp_path: Path) -> None:
    assert WORDS[data] in _refused(data, tmp_path)


BROKEN = {
    "no end": (b"\x80\x02}", "broken"),
    "nothing to pop": (b"\x80\x02R.", "broken"),
    "nothing to give": (b"\x80\x02(((.", "broken"),
    "no mark": (b"\x80\x02u.", "broken"),
    "unknown opcode": (b"\x80\x02\xff.", "broken"),
    "empty memo": (b"\x80\x02h\x05.", "broken"),
    "a long string": (b"\x80\x02X\xff\xff\xff\x7fabc.", "more than 128 MiB"),
    "a huge number": (b"\x80\x02\x8b\x00\x00\x10\x00" + b"\x7f" * 2**20 + b".", "number"),
    "a long line": (b"\x80\x02c" + b"a" * 2**20, "broken"),
    "a wrong storage": (b"\x80\x02X\x01\x00\x00\x00aQ.", "no storage"),
    "a wrong tensor": (
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nK\x01\x85R.",
        "does not take",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_pickle_is_one_clear_error(name: str, tmp_path: Path) -> None:
    data, word = BROKEN[name]
    assert word in _refused(_zip({"a/data.pkl": data}), tmp_path)


def test_what_holds_itself_or_unfolds_without_end_is_bounded(tmp_path: Path) -> None:
    itself = b"\x80\x02]q\x00h\x00a."
    assert not _read(_zip({"a/data.pkl": itself}), tmp_path).sections
    laughs = b"\x80\x02]q\x00" + b"".join(
        b"](h%ch%ce" % (n, n) + b"q%c" % (n + 1) for n in range(40)
    )
    assert "values" in _refused(_zip({"a/data.pkl": laughs + b"."}), tmp_path)
    deep = b"\x80\x02" + b"]" * 5000 + b"a" * 4999 + b"."
    assert "deep" in _refused(_zip({"a/data.pkl": deep}), tmp_path)
    tuples = b"\x80\x02)" + b"\x85" * 200_000 + b"."
    assert "deep" in _refused(_zip({"a/data.pkl": tuples}), tmp_path)


def test_a_pickle_of_many_opcodes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lintorch.checkpoint.pickle_machine.MOST_OPCODES", 1000)
    monkeypatch.setattr(
        "lintorch.checkpoint.pickle_machine.OpcodeBudget.__init__.__defaults__", (1000,)
    )
    data = b"\x80\x02" + b"N0" * 1000 + b"N."
    assert "opcodes" in _refused(_zip({"a/data.pkl": data}), tmp_path)


def test_zip_files_that_deceive_are_refused(tmp_path: Path) -> None:
    good = pickle.dumps({"a": 1}, protocol=2)
    bomb = _zip({"a/data.pkl": bytes(limits.MOST_PICKLE + 1)}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 2**20
    assert "more than" in _refused(bomb, tmp_path)
    assert "two entries" in _refused(_zip({"a/data.pkl": good, "a/DATA.PKL": good}), tmp_path)
    assert "does not read" in _refused(_zip({"a/data.pkl": good}, zipfile.ZIP_BZIP2), tmp_path)
    whole = _zip({"a/data.pkl": good, "a/version": b"3"})
    assert "cut off" in _refused(whole[: len(whole) // 2], tmp_path)
    at = whole.index(good)
    changed = whole[: at + 5] + b"\0" + whole[at + 6 :]
    assert "CRC" in _refused(changed, tmp_path)
    encrypted = bytearray(whole)
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in _refused(bytes(encrypted), tmp_path)
    sized = bytearray(whole)
    place = sized.index(b"PK\x01\x02") + 20
    sized[place : place + 8] = struct.pack("<II", 2**31, 2**31)
    assert _refused(bytes(sized), tmp_path)
    assert "no checkpoint" in _refused(_zip({"../../etc/passwd": good}), tmp_path)


def test_a_zip_without_torch_s_version_is_told(tmp_path: Path) -> None:
    data = pickle.dumps({"a": 1}, protocol=2)
    bare = _zip({"a/data.pkl": data, "b/version": b"3"})
    with pytest.raises(RuntimeError, match="version"):
        torch.load(io.BytesIO(bare))
    assert "no entry a/version" in _read(bare, tmp_path).raw.refusal
    assert not _read(_zip({"a/data.pkl": data, "a/.data/version": b"3"}), tmp_path).raw.refusal


def test_numbers_that_are_not_in_the_file_are_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(_save(STATE))) as archive:
        entries = {each: archive.read(each) for each in archive.namelist()}
    name = next(each for each in entries if each.endswith("data/0"))
    found = _read(_zip({**entries, name: b"1234"}), tmp_path)
    assert "has 4 bytes in the file, and should have 24" in found.problems[0]
    legacy = _save(STATE, _use_new_zipfile_serialization=False)
    assert "cut off" in _read(legacy[:-3], tmp_path).problems[0]
    strided = _save({"a": torch.as_strided(torch.zeros(10), (2, 2), (4, 1))})
    assert _read(strided, tmp_path).is_fine
    wide = strided.replace(b"K\x04K\x01\x86", b"K\x40K\x01\x86")
    with zipfile.ZipFile(io.BytesIO(strided)) as archive:
        entries = {each: archive.read(each) for each in archive.namelist()}
    inner = next(each for each in entries if each.endswith("data.pkl"))
    entries[inner] = entries[inner].replace(b"K\x04K\x01\x86", b"K\x40K\x01\x86")
    assert wide != strided
    assert "reaches beyond" in _read(_zip(entries), tmp_path).problems[0]


SEEDS = (
    _save({"model": STATE, "epoch": 3}),
    _save({"model": STATE, "epoch": 3}, _use_new_zipfile_serialization=False),
    pickle.dumps({"model": [1, 2.5, "x", {3}], "more": {"a": (1, b"2")}}, protocol=2),
    pickle.dumps({"model": [1, 2.5, "x", {3}], "more": {"a": (1, b"2")}}, protocol=4),
    _safetensors({"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}, bytes(16)),
)
_CHANGES = st.lists(
    st.tuples(st.integers(0, 4095), st.binary(min_size=0, max_size=4), st.integers(0, 4)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=250, deadline=None)
@given(seed=st.sampled_from(SEEDS), changes=_CHANGES, inner=st.booleans())
def test_changed_files_give_a_report_or_one_clear_error(
    seed: bytes, changes: list[tuple[int, bytes, int]], inner: bool, tmp_path_factory: Any
) -> None:
    """`inner` changes the pickle in a zip file, whose checksum is right again."""
    entries: dict[str, bytes] = {}
    if inner and seed.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(seed)) as archive:
            entries = {each: archive.read(each) for each in archive.namelist()}
    name = next((each for each in entries if each.endswith("data.pkl")), "")
    data = bytearray(entries.get(name, seed))
    for at, text, drop in changes:
        place = at % (len(data) + 1)
        data[place : place + drop] = text
    path = tmp_path_factory.getbasetemp() / "changed.pt"
    path.write_bytes(_zip({**entries, name: bytes(data)}) if entries else bytes(data))
    with contextlib.suppress(CheckpointError):
        assert read_checkpoint(str(path)).raw.format
