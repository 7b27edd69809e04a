"""What stands for content: the same on every machine."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest_bytes(data: bytes) -> str:
    """What stands for bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_values(value: Any) -> str:
    """What stands for plain values."""
    return digest_bytes(json.dumps(value, sort_keys=True, default=str).encode())


def digest_file(path: str) -> str:
    """What stands for what a file holds. Raises OSError."""
    with open(path, "rb") as file:
        return digest_bytes(file.read())
