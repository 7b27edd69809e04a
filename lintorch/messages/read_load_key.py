"""What file it is that torch.load was given, by the first byte that it complains about: `invalid load key, '<'`."""

from __future__ import annotations

import re

_KEY = re.compile(r"invalid load key, ['\"](\\x[0-9a-fA-F]{2}|\\.|[^\\])['\"]")
_SAFETENSORS = "it begins with the length of a header, as files of safetensors do, whatever they are called: safetensors.torch.load_file(path)"
_FIRST = {
    "<": "it is a page of HTML, which a server sent instead of the file (a sign-in, a warning of Google Drive, a page of GitHub): download the file itself",
    "v": "it is a pointer of Git LFS, a text that begins with `version https://git-lfs`: git lfs pull, or download the file itself",
    "{": "it is JSON: an index that names the shards, a configuration, or an error of a server",
    "E": "it is text, mostly `Entry not found` of a server: download the file itself",
    "N": "it is text, mostly `Not Found` of a server: download the file itself",
    "G": "it is a GGUF file of llama.cpp, which torch.load does not read",
    "\\x1f": "it is packed by gzip (.tar.gz, .gz): unpack it first",
    "B": "it is packed by bzip2: unpack it first",
    "7": "it is a 7z archive: unpack it first",
    "R": "it is a RAR archive: unpack it first",
    "\\x89": "it is HDF5 of Keras (.h5), or a picture",
    "\\x08": "it is a protobuf, as .onnx files are, or a file of safetensors: onnx.load(path), safetensors.torch.load_file(path)",
    "\\n": "it is text, or a protobuf",
    "\\x0a": "it is text, or a protobuf",
    "P": "it is a zip archive that this torch does not read: a torch before 1.6, or an archive that is no file of torch.save",
    "\\x00": "its beginning is empty: the download or the copy was broken off",
}


def describe_load_key(text: str) -> str:
    """A sentence; "" where the text names no byte, or one that says nothing."""
    match = _KEY.search(text)
    if match is None:
        return ""
    key = match[1].lower() if match[1].startswith("\\x") else match[1]
    said = _FIRST.get(key) or (_SAFETENSORS if key.startswith("\\x") else "")
    return f"By its first byte, {said}." if said else ""
