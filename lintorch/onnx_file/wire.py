"""The wire form of protobuf, field by field, of a file of which only pieces are read at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

_PIECE = 1 << 16
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
MOST_FIELDS = 3_000_000
"""Fields looked at in one file; a node with what torch writes of it has some thirty."""
MOST_TEXT = 512 << 20
"""Bytes of all texts and numbers that are taken from one file; weights are not among them."""
MOST_PIECE = 64 << 20
"""Bytes of one text, or of one list of numbers."""


class OnnxFileError(Exception):
    """The file cannot be read as an .onnx file; says why, without its name."""


class Field(NamedTuple):
    """One field of a message: a number, or what stands from byte `begin` to `end` of the file."""

    number: int
    wire: int
    begin: int
    end: int
    value: int = 0
    """Of a varint, without its sign; the bytes of others are read where they are wanted."""


class WireFile:
    """A file of `size` bytes, within the limits above. All methods raise OnnxFileError or OSError."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)
        self._piece, self._at = b"", 0
        self._fields, self._text = 0, 0

    def list_fields(self, begin: int, end: int) -> Iterator[Field]:
        """The fields of the message that stands between two bytes; what they hold is skipped."""
        at = begin
        while at < end:
            key, after = self._read_varint(at, end)
            number, wire = key >> 3, key & 7
            value, width = 0, 0
            if wire == _BYTES:
                width, after = self._read_varint(after, end)
            elif wire == _VARINT:
                value, after = self._read_varint(after, end)
            elif wire in _WIDTHS:
                width = _WIDTHS[wire]
            else:
                raise OnnxFileError(f"byte {at} is no field of a protobuf message")
            if not number or number >> 29:
                raise OnnxFileError(f"byte {at} is no field of a protobuf message")
            if width > end - after:
                raise OnnxFileError(_explain_width(after, width, end, self.size))
            self._count_field()
            yield Field(number, wire, after, after + width, value)
            at = after + width

    def read(self, field: Field) -> bytes:
        """What a field of bytes holds, of which there may not be too many."""
        width = field.end - field.begin
        self._text += width
        if width > MOST_PIECE or self._text > MOST_TEXT:
            raise OnnxFileError("its texts take more memory than any model's")
        if self._at <= field.begin and field.end <= self._at + len(self._piece):
            return self._piece[field.begin - self._at : field.end - self._at]
        return self._read_at(field.begin, width)

    def read_text(self, field: Field) -> str:
        """A name or a text, in UTF-8; what is none is replaced."""
        return self.read(field).decode("utf-8", "replace") if field.wire == _BYTES else ""

    def read_varints(self, field: Field) -> Iterator[int]:
        """The numbers of a repeated field, packed or not, with their signs."""
        if field.wire == _VARINT:
            yield sign(field.value)
            return
        at = field.begin
        while at < field.end:
            value, at = self._read_varint(at, field.end)
            self._count_field()
            yield sign(value)

    def _count_field(self) -> None:
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise OnnxFileError("it has more fields than any model")

    def _read_varint(self, at: int, end: int) -> tuple[int, int]:
        value = shift = 0
        while at < end and shift < 70:
            if not self._at <= at < self._at + len(self._piece):
                self._piece, self._at = self._read_at(at, min(_PIECE, self.size - at)), at
            byte = self._piece[at - self._at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value & 0xFFFF_FFFF_FFFF_FFFF, at
        if at >= self.size:
            raise OnnxFileError(f"it is cut off at byte {self.size}")
        raise OnnxFileError(f"byte {at} is no number of a protobuf message")

    def _read_at(self, at: int, width: int) -> bytes:
        self._file.seek(at)
        found = self._file.read(width)
        if len(found) < width:
            raise OnnxFileError(f"it is cut off at byte {at + len(found)}")
        return found


def sign(value: int) -> int:
    """A varint as the signed number that it stands for: protobuf writes int64 by two's complement."""
    return value - (1 << 64) if value >> 63 else value


def _explain_width(at: int, width: int, end: int, size: int) -> str:
    if at + width > size:
        return (
            f"it is cut off: byte {at} announces {width} bytes, and the file has {size - at} more"
        )
    return f"byte {at} announces {width} bytes where {end - at} are left of the message"
