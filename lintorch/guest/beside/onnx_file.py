"""An .onnx file that somebody else wrote: what it takes, gives and holds. Nothing in it is trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.process.error_text import describe_error

_TORCH_TYPES = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 5: torch.int16, 6: torch.int32,
                7: torch.int64, 9: torch.bool, 10: torch.float16, 11: torch.float64,
                16: torch.bfloat16}  # fmt: skip
"""By the number of a type in onnx.proto."""
_MOST_SHARE = 0.5
"""Of the memory that the model may take: a file is held twice, read and as it runs."""


class UnreadableFileError(Exception):
    """The file cannot be read, or not be run; the message says why."""


@dataclass(frozen=True)
class FileInput:
    """What the file is fed: dims are sizes where they are fixed, else names, "" for nameless ones."""

    name: str
    dtype: torch.dtype | None
    dims: tuple[int | str, ...] | None


@dataclass(frozen=True)
class OnnxFile:
    """A file that was read; `model` is its message, which nothing here changes."""

    path: Path
    model: Any

    @property
    def graph(self) -> Any:
        """The message of its graph."""
        return self.model.graph

    @cached_property
    def opset(self) -> int | None:
        """Of the standard operators."""
        found = (e.version for e in self.model.opset_import if e.domain in ("", "ai.onnx"))
        return next(found, None)

    @cached_property
    def inputs(self) -> tuple[FileInput, ...]:
        """What it has to be fed: those of its inputs that have no value in it."""
        own = {tensor.name for tensor in self.graph.initializer}
        return tuple(map(_read_input, (i for i in self.graph.input if i.name not in own)))

    @cached_property
    def tensors(self) -> Mapping[str, Any]:
        """The messages of tensors in the file by name: its initializers, and what Constant nodes hold.

        Exporters keep equal tensors once, and give them further names by Identity nodes.
        """
        found = {tensor.name: tensor for tensor in self.graph.initializer}
        for node in self.graph.node:
            if node.op_type == "Constant" and node.output:
                held = (a.t for a in node.attribute if a.name == "value" and a.HasField("t"))
                found.update((node.output[0], tensor) for tensor in held)
            if node.op_type == "Identity" and node.input and node.input[0] in found:
                found[node.output[0]] = found[node.input[0]]
        return found

    @cached_property
    def operators(self) -> frozenset[str]:
        """The types of its nodes, those of functions and branches too."""
        return frozenset(node.op_type for node in self.walk_nodes())

    def walk_nodes(self) -> Iterator[Any]:
        """All nodes, those of functions and branches too."""
        yield from _walk_nodes(self.graph.node)
        for function in self.model.functions:
            yield from _walk_nodes(function.node)

    def read_tensor(self, name: str) -> torch.Tensor:
        """The numbers of one of its tensors. Raises UnreadableFileError."""
        import onnx

        held = self.tensors[name]
        try:
            if held.data_location == onnx.TensorProto.EXTERNAL:
                copied = onnx.TensorProto()
                copied.CopyFrom(held)
                onnx.external_data_helper.load_external_data_for_tensor(
                    copied, str(self.path.parent)
                )
                held = copied
            if held.data_type == onnx.TensorProto.BFLOAT16:
                words = torch.frombuffer(bytearray(held.raw_data), dtype=torch.bfloat16)
                return words.reshape(tuple(held.dims))
            return torch.as_tensor(onnx.numpy_helper.to_array(held).copy())
        except Exception as error:  # whatever a tensor that is cut short raises
            raise UnreadableFileError(f"its tensor {name[:80]} cannot be read: {error}") from error


def read_onnx_file(path: str, memory: int) -> OnnxFile:
    """The file at a path, its weights in other files unread. Raises UnreadableFileError."""
    import onnx

    most = int(_MOST_SHARE * memory)
    try:
        size = os.path.getsize(path)
        if size > most:
            raise UnreadableFileError(
                f"it has {size >> 20:,} MB, more than half of the {memory >> 20:,} MB it may take"
            )
        data = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableFileError(error.strerror or str(error)) from error
    try:
        model = onnx.ModelProto.FromString(data)
    except Exception as error:
        raise UnreadableFileError(
            f"it is no ONNX file, or is cut short ({describe_error(error)})"
        ) from error
    if not model.graph.node or not model.graph.output:
        raise UnreadableFileError("it is no ONNX file, or is cut short: it holds no graph")
    return OnnxFile(Path(os.path.realpath(path)), model)


def get_attribute(node: Any, name: str, default: int = 0) -> int:
    """A whole number among the attributes of a node."""
    return next((int(a.i) for a in node.attribute if a.name == name), default)


def _read_input(info: Any) -> FileInput:
    kind = info.type.tensor_type
    dims: tuple[int | str, ...] | None = None
    if kind.HasField("shape"):
        dims = tuple(
            int(dim.dim_value) if dim.HasField("dim_value") and dim.dim_value > 0 else dim.dim_param
            for dim in kind.shape.dim
        )
    return FileInput(info.name, _TORCH_TYPES.get(kind.elem_type), dims)


def _walk_nodes(nodes: Any) -> Iterator[Any]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _walk_nodes(attribute.g.node)
