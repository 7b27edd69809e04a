"""Which format a file has, by its first bytes, as torch.load looks at them."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import BinaryIO

from lintorch.checkpoint.folders import (
    INDEX,
    describe_part,
    read_folder,
    read_index,
    refuse_by_name,
)
from lintorch.checkpoint.limits import CheckpointError
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.safetensors_file import read_header
from lintorch.checkpoint.torch_legacy import read_pickles
from lintorch.checkpoint.torch_zip import read_zip

_FIRST = 512
_ZIP = b"PK\x03\x04"
_TAR_AT, _TAR = 257, b"ustar"
_PROTOCOLS = (b"\x02", b"\x03", b"\x04", b"\x05")
_PAGE = (
    "it is a web page, not the file itself: the download needs a login, a token or another address"
    " (pickle says `invalid load key, '<'`)"
)
_STARTS = {
    b"version https://git-lfs": "it is a pointer of Git LFS, not the file itself: git lfs pull"
    " fetches that (pickle says `invalid load key, 'v'`)",
    b"<!doctype": _PAGE,
    b"<html": _PAGE,
    b"<?xml": _PAGE,
    b"\x1f\x8b": "it is packed by gzip: unpack it first (pickle says `invalid load key, '\\x1f'`)",
    b"bzh": "it is packed by bzip2: unpack it first",
    b"\xfd7zxz": "it is packed by xz: unpack it first",
    b"7z\xbc\xaf": "it is packed by 7-Zip: unpack it first",
    b"rar!": "it is packed by RAR: unpack it first",
    b"\x89hdf": "it is an HDF5 file, as Keras writes them",
    b"gguf": "it is a GGUF file of llama.cpp",
    b"\x93numpy": "it is a NumPy array: np.load reads it",
    b"pk\x05\x06": "it is an empty zip file",
    b"{": "it is JSON, and no checkpoint",
    b"ptrt": "it is an engine of TensorRT, which holds no weights by name",
    b"ftrt": "it is an engine of TensorRT, which holds no weights by name",
}


_MARKS = (
    (4, b"TFL3", "it is a .tflite file: tf.lite.Interpreter reads it"),
    (4, b"ET12", "it is a program of ExecuTorch (.pte)"),
    (
        2,
        b"\x12\x07pytorch",
        "it is an ONNX file: lintorch explain FILE --node, and lintorch compare, read it",
    ),
)
"""Where a mark stands, and what it says."""


def read_file(path: str) -> RawFile:
    """What a file describes, or the shards that an index or a folder names. Raises CheckpointError, or OSError."""
    if os.path.isdir(path):
        return read_folder(path, read_file)
    if path.endswith(INDEX):
        return read_index(path, read_file)
    if refused := refuse_by_name(path):
        raise CheckpointError(refused)
    raw = _read_one(path)
    return replace(raw, about={**raw.about, **describe_part(path)})


def _read_one(path: str) -> RawFile:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise CheckpointError(
            "it is no file with contents of its own: a pipe, a socket or a device"
        )
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        start = file.read(_FIRST)
        file.seek(0)
        if not start:
            raise CheckpointError("it is empty")
        if start.startswith(_ZIP):
            return read_zip(file)
        if start[8:9] == b"{" and start[4:8] == b"\0\0\0\0":
            return read_header(file, size)
        if start[_TAR_AT:].startswith(_TAR):
            return _describe_tar(start)
        for known, said in _STARTS.items():
            if start.lower().startswith(known):
                raise CheckpointError(said)
        for at, mark, said in _MARKS:
            if start[at : at + len(mark)] == mark:
                raise CheckpointError(said)
        if start[:1] == b"\x80" and start[1:2] in _PROTOCOLS:
            return read_pickles(file)
        return _try_old_pickle(file, start)


def _describe_tar(start: bytes) -> RawFile:
    """An archive of torch 0.1, or any other."""
    name = start[:100].split(b"\0")[0].decode("utf-8", "replace")
    if name.removeprefix("./") in ("sys_info", "pickle", "storages", "tensors"):
        return RawFile(
            "tar file of torch 0.1",
            refusal="torch.load takes no tar files with weights_only=True",
            advice="load it with weights_only=False where you trust it, and save it again",
        )
    raise CheckpointError(f"it is a tar file that begins with {name[:80]!r}: unpack it first")


def _try_old_pickle(file: BinaryIO, start: bytes) -> RawFile:
    """Pickles of protocol 0 and 1 have no mark of their own."""
    try:
        return read_pickles(file)
    except CheckpointError:
        raise CheckpointError(f"its format is not known: it begins with {start[:12]!r}") from None
