"""The files of torch.save up to 1.5, and later with `_use_new_zipfile_serialization=False`; plain pickles."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from lintorch.checkpoint.limits import BoundedReader, CheckpointError
from lintorch.checkpoint.persistent_storages import PersistentStorages, count_bytes
from lintorch.checkpoint.pickle_machine import OpcodeBudget, PickleReading
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.values import Items, Made, Storage, Table, Value
from lintorch.checkpoint.weights_only import WeightsOnly

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
_PROTOCOL = 1001
_COUNT = struct.Struct("<q")
_JOBLIB = "joblib.numpy_pickle"


def read_pickles(file: BinaryIO) -> RawFile:
    """What a file describes that begins as a pickle. Raises CheckpointError."""
    weights_only = WeightsOnly()
    storages = PersistentStorages(weights_only)
    reader = BoundedReader(file)
    reading = PickleReading(storages.find, weights_only)
    inner = InnerFiles(weights_only, reading.budget)
    try:
        first = PickleReading(_keep_id, weights_only, inner.open, reading.budget).read(reader)
    except CheckpointError as error:
        if any(each.module.startswith(_JOBLIB) for each in weights_only.refused):
            raise CheckpointError(
                "it is a joblib file, which torch does not read; joblib.load runs what it names"
            ) from error
        raise
    if first.value != MAGIC_NUMBER:
        return _describe_plain(first.value, first.protocol, weights_only)
    if reading.read(reader).value != _PROTOCOL:
        raise CheckpointError("it has the magic number of torch.save, and another version than any")
    system = reading.read(reader).value
    pickled = reading.read(reader)
    keys = reading.read(reader).value
    places, problems = _find_storages(file, keys, storages)
    about = {"pickle protocol": str(pickled.protocol)}
    if isinstance(system, Table):
        about["byte order"] = "big" if system.get("little_endian") is False else "little"
    return RawFile(
        "torch.save (as up to torch 1.5)",
        pickled.value,
        about,
        weights_only,
        problems,
        places=places,
    )


@dataclass
class InnerFiles:
    """Files of torch.save within a plain pickle, one for each storage."""

    weights_only: WeightsOnly
    budget: OpcodeBudget
    count: int = 0

    def open(self, data: bytes) -> Value:
        """The storage that such a file holds, under a key of its own. Raises CheckpointError."""
        storages = PersistentStorages(self.weights_only)
        reader = BoundedReader(io.BytesIO(data))
        reading = PickleReading(storages.find, self.weights_only, budget=self.budget)
        if reading.read(reader).value != MAGIC_NUMBER:
            raise CheckpointError("a storage in its pickle is no file of torch.save")
        reading.read(reader)
        reading.read(reader)
        found = reading.read(reader).value
        self.count += 1
        return replace(found, key=f"{self.count}") if isinstance(found, Storage) else found


def _keep_id(given: Value) -> Value:
    """What a plain pickle refers to is its reader's."""
    return Made(None, (given,))


def _describe_plain(root: Value, protocol: int, weights_only: WeightsOnly) -> RawFile:
    return RawFile(
        "pickle",
        root,
        {"pickle protocol": str(protocol)},
        weights_only,
        refusal="it is no file of torch.save: torch.load says `Invalid magic number; corrupt file?`",
        advice="pickle.load reads it, and runs what it names",
    )


def _find_storages(
    file: BinaryIO, keys: Value, storages: PersistentStorages
) -> tuple[dict[str, int | str], tuple[str, ...]]:
    """Where each begins, and what is wrong with them. Raises CheckpointError."""
    if not isinstance(keys, Items):
        raise CheckpointError("it does not list its storages")
    places: dict[str, int | str] = {}
    problems = list(
        _walk_storages(file, [str(key) for key in keys.items if _is_key(key)], storages, places)
    )
    left = len(storages.found) - len(places)
    if storages.untyped:
        problems.append(
            "it has storages without a type (float8, uint16 and other new types), which torch.load"
            " does not read in this format: save it without _use_new_zipfile_serialization=False"
        )
    elif left and not problems:
        problems.append(f"the numbers of {left} storages are not in the file")
    return places, tuple(problems)


def _is_key(key: Value) -> bool:
    return isinstance(key, (str, int))


def _walk_storages(
    file: BinaryIO, keys: list[str], storages: PersistentStorages, places: dict[str, int | str]
) -> Iterator[str]:
    at = file.tell()
    end = file.seek(0, os.SEEK_END)
    for key in keys:
        storage = storages.found.get(key)
        if storage is None:
            yield f"it lists a storage {key[:40]} that nothing uses"
            return
        asked = _COUNT.size + count_bytes(storage)
        if at + asked > end:
            yield f"it is cut off: storage {key[:40]} needs {at + asked - end:,} bytes more"
            return
        file.seek(at)
        (count,) = _COUNT.unpack(file.read(_COUNT.size))
        if count != storage.count:
            yield f"storage {key[:40]} has {count:,} numbers in the file, and should have {storage.count:,}"
            return
        places[key] = at + _COUNT.size
        at += asked
