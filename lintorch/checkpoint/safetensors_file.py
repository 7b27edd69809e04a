"""The header of a safetensors file: names, types and places of tensors, as JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from lintorch.checkpoint.dtypes import BYTES, OF_SAFETENSORS
from lintorch.checkpoint.limits import MOST_HEADER, CheckpointError
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.rebuild_tensor import read_sizes
from lintorch.checkpoint.values import Storage, Table, Tensor

_LENGTH = struct.Struct("<Q")


def read_header(file: BinaryIO, size: int) -> RawFile:
    """Tensors by name, and what the file says of itself. Raises CheckpointError."""
    length = _LENGTH.unpack(file.read(8))[0]
    if length > MOST_HEADER:
        raise CheckpointError(f"its header takes {length:,} bytes, more than {MOST_HEADER:,}")
    text = file.read(length)
    if len(text) < length:
        raise CheckpointError(f"its header takes {length:,} bytes, and the file ends before")
    try:
        header = json.loads(text, object_pairs_hook=_refuse_doubles)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"its header is no JSON: {str(error)[:120]}") from error
    if not isinstance(header, dict):
        raise CheckpointError("its header is no JSON object")
    about = header.pop("__metadata__", None)
    pairs = list(_list_tensors(header))
    _check_places(pairs, size - 8 - length)
    said = about.items() if isinstance(about, dict) else ()
    return RawFile(
        "safetensors",
        Table("dict", [*pairs]),
        {f"metadata {key[:40]}": str(value)[:200] for key, value in said},
        advice="safetensors.torch.load_file reads it, and runs nothing",
        places={name: 8 + length + tensor.offset for name, tensor in pairs},
    )


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _list_tensors(header: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    for name, given in header.items():
        try:
            shape, (begin, end) = read_sizes(given["shape"]), read_sizes(given["data_offsets"])
            dtype = OF_SAFETENSORS.get(given["dtype"], str(given["dtype"])[:40])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"its header says of {name[:80]!r} what is no tensor") from error
        width = BYTES.get(dtype, 0)
        storage = Storage(name, dtype, "", (end - begin) // width if width else 0)
        tensor = Tensor(shape, dtype, offset=begin, storage=storage)
        if end < begin or (width and tensor.count * width != end - begin):
            raise CheckpointError(
                f"{name[:80]!r} has other bytes in its header than its shape takes"
            )
        yield name, tensor


def _check_places(pairs: list[tuple[str, Tensor]], room: int) -> None:
    """The numbers of all tensors fill the rest of the file, one after the other."""
    end = 0
    for name, tensor in sorted(pairs, key=lambda pair: (pair[1].offset, pair[1].count)):
        if tensor.offset != end:
            raise CheckpointError(f"{name[:80]!r} does not begin where the one before it ends")
        storage = tensor.storage
        end += storage.count * BYTES.get(tensor.dtype, 0) if storage else 0
        if tensor.dtype not in BYTES:
            return
    if end > room:
        raise CheckpointError(f"it is cut off: its tensors take {end:,} bytes, and {room:,} follow")
    if end < room:
        raise CheckpointError(f"{room - end:,} bytes follow its last tensor")
