"""The zip files of torch: those of torch.save, TorchScript archives, and exported programs."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import BinaryIO

from lintorch.checkpoint.dtypes import BYTES
from lintorch.checkpoint.limits import MOST_HEADER, MOST_PICKLE, BoundedReader, CheckpointError
from lintorch.checkpoint.persistent_storages import PersistentStorages, count_bytes
from lintorch.checkpoint.pickle_machine import PickleReading
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.values import Storage, Table, Tensor
from lintorch.checkpoint.weights_only import WeightsOnly
from lintorch.checkpoint.zip_file import ZipFile

_MOST_WORDS = 4096
_CONFIG = "data/weights/model_weights_config.json"
_DTYPES_OF_PROGRAMS = (
    None, "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32",
    "complex64", "complex128", "bool", "bfloat16", "uint16", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz",
)  # fmt: skip


def read_zip(file: BinaryIO) -> RawFile:
    """What a zip file describes. Raises CheckpointError."""
    archive = ZipFile(file)
    if archive.find("archive_format") or archive.find("serialized_exported_program.json"):
        return _read_program(archive)
    if archive.find("data.pkl") is None:
        raise CheckpointError(_name_other(archive.names))
    script = archive.find("constants.pkl") is not None
    raw = _read_pickle(archive)
    if not script:
        return raw
    return RawFile(
        "TorchScript archive (torch.jit.save)",
        raw.root,
        raw.about,
        problems=raw.problems,
        refusal="torch.load takes no TorchScript archives with weights_only=True",
        advice="torch.jit.load reads it, and runs the program that it holds",
        places=raw.places,
    )


def _read_pickle(archive: ZipFile) -> RawFile:
    weights_only = WeightsOnly()
    storages = PersistentStorages(weights_only)
    reading = PickleReading(storages.find, weights_only)
    data = archive.read("data.pkl", MOST_PICKLE)
    pickled = reading.read(BoundedReader(io.BytesIO(data)))
    about = {"pickle protocol": str(pickled.protocol), **dict(_read_words(archive))}
    problems = tuple(_check_storages(archive, storages))
    places = {key: f"data/{key}" for key in storages.found}
    return RawFile(
        "torch.save (zip)",
        pickled.value,
        about,
        weights_only,
        problems,
        refusal=_miss_version(archive),
        places=places,
    )


def _read_words(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """What small entries say of the file."""
    for name, meaning in (("byteorder", "byte order"), (".format_version", "format version")):
        if (size := archive.count_bytes(name)) and size <= _MOST_WORDS:
            yield meaning, archive.read(name, _MOST_WORDS).decode("utf-8", "replace").strip()[:80]


def _miss_version(archive: ZipFile) -> str:
    """Why torch reads this zip file as no file of its own; empty where it does."""
    if archive.find("version") or archive.find(".data/version"):
        return ""
    return f"it has no entry {archive.folder[:40]}version, so it is not as torch.save wrote it"


def _check_storages(archive: ZipFile, storages: PersistentStorages) -> Iterator[str]:
    for storage in storages.found.values():
        there, asked = archive.count_bytes(f"data/{storage.key}"), count_bytes(storage)
        if there is None:
            yield f"the numbers of storage {storage.key[:40]} are not in the file"
        elif there < asked:
            yield f"storage {storage.key[:40]} has {there:,} bytes in the file, and should have {asked:,}"


def _read_program(archive: ZipFile) -> RawFile:
    root = None
    if archive.find(_CONFIG):
        try:
            config = json.loads(archive.read(_CONFIG, MOST_HEADER))["config"]
            root = Table("dict", [(str(name), _read_weight(each)) for name, each in config.items()])
        except (
            ValueError,
            RecursionError,
            KeyError,
            TypeError,
            AttributeError,
            IndexError,
        ) as error:
            raise CheckpointError(f"{_CONFIG} is not as torch writes it") from error
    return RawFile(
        "exported program (torch.export.save)",
        root,
        refusal="it is no file of torch.save",
        advice="torch.export.load reads it",
    )


def _read_weight(given: object) -> Tensor:
    """A weight as `{path_name, tensor_meta: {dtype, sizes: [{as_int}], device: {type}}}` has it."""
    assert isinstance(given, dict)
    meta = given["tensor_meta"]
    shape = tuple(int(size["as_int"]) for size in meta["sizes"])
    dtype = _DTYPES_OF_PROGRAMS[meta["dtype"]] or "unknown"
    device = str(meta["device"]["type"])
    count = Tensor(shape, dtype).count
    storage = Storage(str(given["path_name"]), dtype, device, count * (dtype in BYTES))
    return Tensor(shape, dtype, storage=storage, device=device)


def _name_other(names: tuple[str, ...]) -> str:
    """What a zip file may be that is no checkpoint."""
    if any(name.endswith(".npy") for name in names):
        return "it is a NumPy archive (np.load reads it), and no checkpoint of torch"
    inner = next((name for name in names if name.endswith((".pt", ".pth", ".bin", ".ckpt"))), "")
    if inner:
        return f"it is a zip file that holds {inner[:80]}: unpack it first"
    return "it is a zip file without data.pkl, and no checkpoint of torch"
