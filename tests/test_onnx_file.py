"""The reader of .onnx files, held against what the onnx package reads of them."""

from __future__ import annotations

import contextlib
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import onnx
import pytest
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from running import interpreter

from lintorch.onnx_file import (
    OnnxFileError,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxTensor,
    OnnxValue,
    read_onnx_model,
)

PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.rnn = nn.Conv2d(3, 4, 3), nn.LayerNorm(6), nn.LSTM(6, 5)

    def forward(self, x):
        y = self.norm(self.conv(x)).flatten(0, 1)
        return self.rnn(y)[0].softmax(-1).topk(2), x[:, None, ..., ::2].sum() > 1

class Looped(nn.Module):
    def forward(self, x, n: int):
        for i in range(n):
            if x.sum() > 0:
                x = x + i
        return x

x = torch.randn(2, 3, 6, 8)
torch.onnx.export(Net().eval(), (x,), "new.onnx", dynamo=True, verbose=False)
torch.onnx.export(Net().eval(), (x,), "inside.onnx", dynamo=True, external_data=False, optimize=False)
torch.onnx.export(Net().eval(), (x,), "old.onnx", dynamo=False, dynamic_axes={"x": {0: "b"}}, input_names=["x"])
torch.onnx.export(Net().eval(), (x,), "told.onnx", dynamo=False, verbose=True)
loop = torch.jit.script(Looped())
torch.onnx.export(loop, (x, torch.tensor(3)), "looped.onnx", dynamo=False)
"""
NAMES = ("new", "inside", "old", "told", "looped")


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    (folder / "export.py").write_text(PROGRAM)
    done = subprocess.run([interpreter(), "export.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def pairs(entries: Iterable[Any]) -> dict[str, str]:
    return {each.key: each.value for each in entries}


def tensor_of(proto: Any) -> OnnxTensor:
    external = pairs(proto.external_data).get("location", "")
    return OnnxTensor(
        proto.name, tuple(proto.dims), proto.data_type, 0, len(proto.raw_data), external
    )


def value_of(proto: Any) -> OnnxValue:
    tensor = proto.type.tensor_type
    dims = tuple(
        each.dim_value if each.WhichOneof("value") == "dim_value" else each.dim_param
        for each in tensor.shape.dim
    )
    shape = dims if tensor.HasField("shape") else None
    return OnnxValue(proto.name, tensor.elem_type, shape, pairs(proto.metadata_props))


def untold_kind(proto: Any, fields: dict[int, str]) -> int:
    """What an attribute holds that does not say so; 0 where it holds nothing."""
    held = {each.name for each, _ in proto.ListFields()}
    return next((kind for kind, name in fields.items() if name in held), 0)


def node_of(proto: Any) -> OnnxNode:
    fields = {1: "f", 2: "i", 3: "s", 6: "floats", 7: "ints", 8: "strings"}
    kinds = {a.name: a.type or untold_kind(a, fields) for a in proto.attribute}
    held = {
        a.name: getattr(a, fields[kinds[a.name]])
        for a in proto.attribute
        if kinds[a.name] in fields
    }
    values = {
        name: value.decode() if isinstance(value, bytes)
        else value if isinstance(value, (int, float))
        else tuple(each.decode() if isinstance(each, bytes) else each for each in value)
        for name, value in held.items()
    }  # fmt: skip
    graphs = [(a.name, a.g) for a in proto.attribute if a.HasField("g")]
    return OnnxNode(
        proto.name,
        proto.op_type,
        proto.domain,
        tuple(proto.input),
        tuple(proto.output),
        values,
        {a.name: tensor_of(a.t) for a in proto.attribute if a.HasField("t")},
        tuple((name, graph_of(graph)) for name, graph in graphs),
        pairs(proto.metadata_props),
        proto.doc_string,
        proto.overload,
    )


def graph_of(proto: Any) -> OnnxGraph:
    return OnnxGraph(
        proto.name,
        tuple(map(node_of, proto.node)),
        tuple(map(tensor_of, proto.initializer)),
        tuple(map(value_of, proto.input)),
        tuple(map(value_of, proto.output)),
        tuple(map(value_of, proto.value_info)),
        pairs(proto.metadata_props),
    )


def model_of(proto: Any) -> OnnxModel:
    opsets = {each.domain: each.version for each in proto.opset_import}
    assert not proto.functions
    told = pairs(proto.metadata_props)
    version = proto.producer_version
    return OnnxModel(
        graph_of(proto.graph), (), opsets, proto.ir_version, proto.producer_name, version, told
    )


def without_places(found: Any) -> Any:
    """The same with no word about where tensors begin, which onnx does not tell; text that is no UTF-8 replaced."""
    if isinstance(found, bytes):
        return found.decode("utf-8", "replace")
    if isinstance(found, OnnxValue):
        return OnnxValue(*(without_places(each) for each in vars(found).values()))
    if isinstance(found, OnnxTensor):
        name, external = without_places(found.name), without_places(found.external)
        return OnnxTensor(name, found.dims, found.data_type, 0, found.size, external)
    if isinstance(found, (OnnxModel, OnnxGraph, OnnxNode)):
        return type(found)(**{key: without_places(each) for key, each in vars(found).items()})
    if isinstance(found, tuple):
        return tuple(map(without_places, found))
    if isinstance(found, dict):
        return {without_places(key): without_places(each) for key, each in found.items()}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_of_an_export_what_onnx_reads(exports: Path, name: str) -> None:
    path = str(exports / f"{name}.onnx")
    found = read_onnx_model(path)
    assert without_places(found) == without_places(
        model_of(onnx.load(path, load_external_data=False))
    )
    assert len([*found.list_bodies()]) == (4 if name == "looped" else 1)


def test_it_says_where_the_numbers_of_a_weight_are(exports: Path) -> None:
    path = exports / "inside.onnx"
    expected = {each.name: each.raw_data for each in onnx.load(str(path)).graph.initializer}
    data = path.read_bytes()
    told = read_onnx_model(str(path)).graph.initializers
    assert {each.name: data[each.begin : each.begin + each.size] for each in told} == expected


def test_external_data_need_not_be_there(exports: Path, tmp_path: Path) -> None:
    path = tmp_path / "alone.onnx"
    path.write_bytes((exports / "new.onnx").read_bytes())
    tensors = read_onnx_model(str(path)).graph.initializers
    assert {each.external for each in tensors} >= {"new.onnx.data"}


@pytest.mark.parametrize("name", NAMES)
def test_of_a_damaged_file_it_reads_what_onnx_reads_or_tells_one_error(
    exports: Path, tmp_path: Path, name: str
) -> None:
    whole, chance = (exports / f"{name}.onnx").read_bytes(), random.Random(name)
    path = tmp_path / "damaged.onnx"
    read = refused = 0
    for _ in range(60):
        data = bytearray(
            whole[: chance.randrange(1, len(whole))] if chance.random() < 0.3 else whole
        )
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            found = read_onnx_model(str(path))
        except OnnxFileError:
            refused += 1
            continue
        read += 1
        try:
            expected = model_of(onnx.load(str(path), load_external_data=False))
        except (DecodeError, UnicodeDecodeError, AssertionError):
            continue
        assert without_places(found) == without_places(expected)
    assert read
    assert refused


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_end_in_one_error(tmp_path_factory: Any, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.onnx"
    path.write_bytes(data)
    with contextlib.suppress(OnnxFileError):
        read_onnx_model(str(path))


def test_graphs_nested_without_end_are_refused(tmp_path: Path) -> None:
    graph = helper.make_graph([], "inner", [], [])
    for _ in range(30):
        node = helper.make_node("If", ["c"], ["y"], then_branch=graph)
        graph = helper.make_graph([node], "outer", [], [])
    path = tmp_path / "nested.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    with pytest.raises(OnnxFileError, match="nested deeper"):
        read_onnx_model(str(path))


def test_functions_are_bodies_too(tmp_path: Path) -> None:
    inner = helper.make_node("Relu", ["a"], ["b"], name="inside")
    opsets = [helper.make_opsetid("", 18)]
    function = helper.make_function("mine", "Act", ["a"], ["b"], [inner], opsets)
    call = helper.make_node("Act", ["x"], ["y"], domain="mine")
    model = helper.make_model(helper.make_graph([call], "g", [], []), functions=[function])
    path = tmp_path / "functions.onnx"
    path.write_bytes(model.SerializeToString())
    bodies = dict(read_onnx_model(str(path)).list_bodies())
    assert [node.name for node in bodies["function Act"].nodes] == ["inside"]


def test_weights_are_not_read(tmp_path: Path) -> None:
    """The file announces a weight of 3 GB, and has it as a hole."""
    tensor = b"\x42\x01w\x4a" + _varint(3 << 30)
    head = b"\x2a" + _varint(len(tensor) + (3 << 30)) + tensor
    path = tmp_path / "large.onnx"
    with path.open("wb") as file:
        file.write(b"\x3a" + _varint(len(head) + (3 << 30)) + head)
        file.truncate(file.tell() + (3 << 30))
    (weight,) = read_onnx_model(str(path)).graph.initializers
    assert (weight.name, weight.size) == ("w", 3 << 30)


def _varint(value: int) -> bytes:
    low = value & 127
    return bytes([low]) if value < 128 else bytes([low | 128]) + _varint(value >> 7)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "it is empty"),
        (b"version https://git-lfs.github.com/spec/v1", "git lfs pull"),
        (b"PK\x03\x04", "a zip file"),
        (b"\x18\x00\x00\x00ORTM", "ONNX Runtime's own format"),
        (b"\x08\x07", "no graph"),
        (b"\x3a\x50", "cut off: byte 2 announces 80 bytes, and the file has 0 more"),
        (b"\x08\xff", "cut off at byte 2"),
    ],
)
def test_what_is_no_model_is_told_in_one_clause(tmp_path: Path, data: bytes, cause: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(OnnxFileError, match=cause):
        read_onnx_model(str(path))
