"""What the persistent ids in pickles of torch stand for: storages, each with its numbers elsewhere in the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from lintorch.checkpoint.dtypes import BYTES, storage_dtype
from lintorch.checkpoint.limits import CheckpointError
from lintorch.checkpoint.values import Global, Storage, Value
from lintorch.checkpoint.weights_only import WeightsOnly

_LARGEST = 2**62


@dataclass
class PersistentStorages:
    """The storages that a file's pickle names, by their keys."""

    weights_only: WeightsOnly
    found: dict[str, Storage] = field(default_factory=dict)
    untyped: bool = False
    """Whether one counts bytes, which torch writes for types that are newer than these classes."""

    def find(self, given: Value) -> Value:
        """The storage that an id names; of a class whose source is in the file, the class.

        Raises CheckpointError.
        """
        kind = given[0] if isinstance(given, tuple) and given else None
        kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
        if kind == "module" and len(given) > 1:
            self.weights_only.obstacles["classes with their source in the file"] = None
            return given[1]
        if kind != "storage" or len(given) < 5:
            raise CheckpointError("its pickle refers to what is no storage of torch")
        storage = _read_storage(*given[1:5])
        self.untyped = self.untyped or given[1].name == "UntypedStorage"
        known = self.found.setdefault(storage.key, storage)
        if count_bytes(known) != count_bytes(storage):
            raise CheckpointError(
                f"its storage {storage.key[:40]!r} is said to have two lengths, {known.count:,} and {storage.count:,}"
            )
        return storage


def count_bytes(storage: Storage) -> int:
    """What its numbers take."""
    return storage.count * BYTES.get(storage.dtype, 1)


def _read_storage(kind: Value, key: Value, device: Value, count: Value) -> Storage:
    dtype = storage_dtype(kind.name) if isinstance(kind, Global) else ""
    key = key.decode("ascii", "replace") if isinstance(key, bytes) else key
    right = dtype and isinstance(key, (str, int)) and type(count) is int and 0 <= count < _LARGEST
    if not right:
        raise CheckpointError("its pickle describes a storage in a way that torch does not know")
    return Storage(str(key), dtype, str(device) if isinstance(device, str) else "", count)
