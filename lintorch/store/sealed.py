"""Plain values as bytes that tell whether they are whole."""

from __future__ import annotations

import json
import zlib
from typing import Any

from lintorch.record.digests import digest_bytes

_HEAD = b"lintorch-store 1 "
_MOST_BYTES = 1 << 30
"""Of what was compressed: so much is no result of ours."""


class UnsoundError(ValueError):
    """These bytes are not what was written."""


def seal(value: Any) -> bytes:
    """A plain value as bytes."""
    data = zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 1)
    return _HEAD + digest_bytes(data).encode() + b"\n" + data


def unseal(sealed: bytes) -> Any:
    """The value. Raises UnsoundError."""
    head, _, data = sealed.partition(b"\n")
    if head != _HEAD + digest_bytes(data).encode():
        raise UnsoundError("it is not what was written")
    reader = zlib.decompressobj()
    text = reader.decompress(data, _MOST_BYTES)
    if reader.unconsumed_tail:
        raise UnsoundError("it holds too much")
    return json.loads(text)
