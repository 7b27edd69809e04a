"""One protobuf message: its fields by number, each read when it is asked for."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from lintorch.onnx_file.wire import Field, WireFile, sign

_VARINT, _BYTES, _FIXED32 = 0, 2, 5


class Message:
    """The message that stands between two bytes of a file, the whole file by default.

    A field of another wire type than asked for is as none, and of a single text or number the last
    counts, as in protobuf. All methods raise OnnxFileError or OSError.
    """

    def __init__(self, wire: WireFile, begin: int = 0, end: int | None = None) -> None:
        self._wire = wire
        self._fields: dict[int, list[Field]] = {}
        for field in wire.list_fields(begin, wire.size if end is None else end):
            self._fields.setdefault(field.number, []).append(field)

    def list_texts(self, number: int) -> Iterator[str]:
        """The texts of a repeated field."""
        return (self._wire.read_text(field) for field in self._list(number, _BYTES))

    def read_text(self, number: int) -> str:
        """The text of a field, "" where there is none."""
        last = [*self._list(number, _BYTES)][-1:]
        return self._wire.read_text(last[0]) if last else ""

    def read_number(self, number: int) -> int | None:
        """The whole number of a field."""
        last = [*self._list(number, _VARINT)][-1:]
        return sign(last[0].value) if last else None

    def list_numbers(self, number: int) -> Iterator[int]:
        """The whole numbers of a repeated field, packed or not."""
        for field in self._fields.get(number, ()):
            if field.wire in (_VARINT, _BYTES):
                yield from self._wire.read_varints(field)

    def list_floats(self, number: int) -> Iterator[float]:
        """The numbers of 32 bits of a field, repeated or not, packed or not."""
        for field in self._fields.get(number, ()):
            if field.wire in (_FIXED32, _BYTES):
                data = self._wire.read(field)
                yield from (each for (each,) in struct.iter_unpack("<f", data[: len(data) & ~3]))

    def list_messages(self, number: int) -> Iterator[Message]:
        """The messages of a field, repeated or not."""
        fields = self._list(number, _BYTES)
        return (Message(self._wire, field.begin, field.end) for field in fields)

    def read_pairs(self, number: int) -> dict[str, str]:
        """The entries of a field of StringStringEntryProto."""
        found = self.list_messages(number)
        return {pair.read_text(1): pair.read_text(2) for pair in found}

    def find_bytes(self, number: int) -> tuple[int, int]:
        """Where the bytes of a field begin in the file, and how many there are; (0, 0) where it is missing."""
        last = [*self._list(number, _BYTES)][-1:]
        return (last[0].begin, last[0].end - last[0].begin) if last else (0, 0)

    def _list(self, number: int, wire: int) -> Iterator[Field]:
        return (field for field in self._fields.get(number, ()) if field.wire == wire)
