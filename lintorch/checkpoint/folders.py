"""Checkpoints that are more than one file: shards with an index, and folders that are no file of torch.save."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lintorch.checkpoint.limits import MOST_HEADER, CheckpointError
from lintorch.checkpoint.list_tensors import as_tensor
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.values import Table, Value
from lintorch.checkpoint.weights_only import WeightsOnly

INDEX = ".index.json"
_PART = re.compile(r"-(\d{5})-of-(\d{5})\.")
_SUFFIXES = (".pth", ".pt", ".bin", ".ckpt", ".safetensors", ".tar", ".pkl")
_MOST_PARTS, _MOST_NAMES = 1000, 6
_READ_ALL = "from_pretrained(FOLDER) of transformers or diffusers reads them all; or load each, and put them into one dict"
_FETCH_MORE = "fetch what is not there: from_pretrained(FOLDER) raises without it, and what is there gives only a part of the weights"
Reader = Callable[[str], RawFile]


def read_folder(path: str, read: Reader) -> RawFile:
    """The shards that an index in a folder names. Raises CheckpointError for any other folder, and OSError."""
    names = sorted(os.listdir(path))
    indexes = [name for name in names if name.endswith(INDEX)]
    if indexes:
        chosen = min(indexes, key=lambda each: "safetensors" not in each)
        return read_index(os.path.join(path, chosen), read)
    raise CheckpointError(_describe_folder(path, names))


def read_index(path: str, read: Reader) -> RawFile:
    """All shards that an index of transformers or diffusers names, as one. Raises CheckpointError, or OSError."""
    places = _read_weight_map(path)
    folder = os.path.dirname(path)
    names = list(dict.fromkeys(places.values()))
    if len(names) > _MOST_PARTS or any(os.path.basename(each) != each for each in names):
        raise CheckpointError("it is an index that names what is no file beside it")
    there = [each for each in names if os.path.isfile(os.path.join(folder, each))]
    if not there:
        raise CheckpointError(f"it is an index of {len(names)} files, of which none is beside it")
    parts = tuple((each, read(os.path.join(folder, each))) for each in there)
    problems = [
        f"{each} is named by the index, and is not there" for each in names if each not in there
    ]
    problems += [f"{name}: {each}" for name, raw in parts for each in raw.problems]
    pairs = [
        pair for number, (_, raw) in enumerate(parts) for pair in _list_pairs(raw.root, number)
    ]
    root = Table("dict", pairs)
    have = {key for key, _ in pairs if isinstance(key, str)}
    lacking = [key for key, name in places.items() if name in there and key not in have]
    if lacking:
        problems.append(
            f"{len(lacking)} keys of the index are in no file, such as {lacking[0][:80]}"
        )
    first = parts[0][1]
    return RawFile(
        f"{len(names)} shards of {os.path.basename(path)}, each {first.format}",
        root,
        {},
        _join_readings(raw for _, raw in parts),
        tuple(problems),
        first.refusal,
        _READ_ALL if len(there) == len(names) else _FETCH_MORE,
        parts=tuple((os.path.join(folder, name), raw) for name, raw in parts),
    )


def describe_part(path: str) -> Mapping[str, str]:
    """That a file is one of several, by its name; nothing where it is not."""
    found = _PART.search(os.path.basename(path))
    if found is None:
        return {}
    return {
        "part": f"{int(found[1])} of {int(found[2])}: name the {INDEX} beside it, or the folder"
    }


def refuse_by_name(path: str) -> str:
    """Why a file is none by itself, where its name says so; else ""."""
    if path.endswith(".distcp"):
        return f"it is a part of a distributed checkpoint: {_gather('FOLDER')}"
    return ""


def _describe_folder(path: str, names: Iterable[str]) -> str:
    names = list(names)
    if any(each.endswith(".distcp") for each in names) or ".metadata" in names:
        return f"it is a distributed checkpoint (torch.distributed.checkpoint): {_gather(path)}"
    if "zero_to_fp32.py" in names or "latest" in names:
        return (
            "it is a folder of DeepSpeed: name its …/mp_rank_00_model_states.pt, which has the weights of ZeRO 1 and 2;"
            " of ZeRO 3 python zero_to_fp32.py FOLDER OUT gathers them"
        )
    unpacked = [
        each for each in ("", *names) if os.path.isfile(os.path.join(path, each, "data.pkl"))
    ]
    if unpacked:
        above = os.path.normpath(path if unpacked[0] else os.path.join(path, ".."))
        return (
            "it is a file of torch.save that was unpacked, as macOS does with a download: pack its folder again by"
            f' shutil.make_archive("packed", "zip", {above!r}, {unpacked[0] or os.path.basename(os.path.abspath(path))!r}), and load packed.zip'
        )
    files = [each for each in names if each.endswith(_SUFFIXES)]
    if not files:
        return "it is a folder that holds no checkpoint by its name"
    more = f" and {len(files) - _MOST_NAMES} more" if files[_MOST_NAMES:] else ""
    return f"it is a folder: name one of its files: {', '.join(files[:_MOST_NAMES])}{more}"


def _gather(folder: str) -> str:
    return f"python -m torch.distributed.checkpoint.format_utils dcp_to_torch {folder} out.pth writes it as one file"


def _read_weight_map(path: str) -> dict[str, str]:
    with open(path, "rb") as file:
        text = file.read(MOST_HEADER + 1)
    try:
        data: Any = json.loads(text)
        places = data["weight_map"]
        if len(text) <= MOST_HEADER and all(isinstance(each, str) for each in places.values()):
            return dict(places)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise CheckpointError("it is JSON, and no index of weights: it has no weight_map")


def _list_pairs(root: Value, number: int) -> Iterator[tuple[Value, Value]]:
    """Keys and values of a file, whose storages are told from those of another one."""
    for key, value in root.pairs if isinstance(root, Table) else ():
        tensor = as_tensor(value)
        if tensor is None or tensor.storage is None:
            yield key, value
            continue
        storage = replace(tensor.storage, key=f"{number}:{tensor.storage.key}")
        yield key, replace(tensor, storage=storage)


def _join_readings(parts: Iterable[RawFile]) -> WeightsOnly | None:
    """What torch.load refuses of any of them."""
    read = [each.weights_only for each in parts if each.weights_only is not None]
    return WeightsOnly.join(read) if read else None
