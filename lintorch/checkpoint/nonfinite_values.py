"""How many numbers of each tensor are NaN or infinite, read off their bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from lintorch.checkpoint.dtypes import BYTES
from lintorch.checkpoint.limits import CheckpointError
from lintorch.checkpoint.persistent_storages import count_bytes
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.values import Storage, Tensor
from lintorch.checkpoint.zip_file import ZipFile

_PIECE = 1 << 20
"""Bytes at a time; a multiple of what each number takes."""
_EXPONENTS = {
    "float64": (7, 0x7F, 6, 0xF0),
    "float32": (3, 0x7F, 2, 0x80),
    "bfloat16": (1, 0x7F, 0, 0x80),
    "float16": (1, 0x7C, 1, 0x7C),
}
"""By type, two bytes of a number and the bits of these that are all set in NaN and infinity alone."""


def list_nonfinite(
    path: str, raw: RawFile, tensors: Iterable[tuple[str, Tensor]]
) -> Iterator[tuple[str, int]]:
    """Names of tensors, with how many numbers of their storage are NaN or infinite.

    Raises CheckpointError. Numbers whose bytes are in the other order are left out.
    """
    if raw.parts:
        listed = list(tensors)
        for number, (part, inner) in enumerate(raw.parts):
            yield from list_nonfinite(part, inner, _list_own(listed, number))
        return
    if raw.about.get("byte order", "little") != "little":
        return
    counted: dict[str, int] = {}
    with open(path, "rb") as file:
        by_entry = any(isinstance(place, str) for place in raw.places.values())
        archive = ZipFile(file) if by_entry else None
        for name, tensor in tensors:
            storage = tensor.storage
            if storage is None or tensor.dtype not in _EXPONENTS or storage.key not in raw.places:
                continue
            if storage.key not in counted:
                place = raw.places[storage.key]
                counted[storage.key] = _count(file, archive, place, storage, tensor.dtype)
            if counted[storage.key]:
                yield name, counted[storage.key]


def _list_own(tensors: Iterable[tuple[str, Tensor]], number: int) -> Iterator[tuple[str, Tensor]]:
    """Those of one of several files, with their storages as that file names them."""
    mark = f"{number}:"
    for name, tensor in tensors:
        if tensor.storage is not None and tensor.storage.key.startswith(mark):
            storage = replace(tensor.storage, key=tensor.storage.key.removeprefix(mark))
            yield name, replace(tensor, storage=storage)


def _count(
    file: BinaryIO, archive: ZipFile | None, place: int | str, storage: Storage, dtype: str
) -> int:
    left = count_bytes(storage)
    if isinstance(place, str):
        if archive is None or archive.find(place) is None:
            return 0
        with archive.open(place) as opened:
            return _count_in(opened, left, dtype)
    file.seek(place)
    return _count_in(file, left, dtype)


def _count_in(opened: Any, left: int, dtype: str) -> int:
    found = 0
    while left > 0:
        data = opened.read(min(_PIECE, left))
        if not data:
            raise CheckpointError("it ends before its numbers do")
        left -= len(data)
        found += count_nonfinite(data, dtype)
    return found


def count_nonfinite(data: bytes, dtype: str) -> int:
    """How many of these little-endian numbers are NaN or infinite."""
    width = BYTES[dtype]
    first, bits, second, others = _EXPONENTS[dtype]
    whole = data[: len(data) - len(data) % width]
    high = whole[first::width].translate(_marks(bits))
    low = whole[second::width].translate(_marks(others))
    both = int.from_bytes(high, "little") & int.from_bytes(low, "little")
    return both.bit_count()


def _marks(bits: int) -> bytes:
    return bytes(byte & bits == bits for byte in range(256))
