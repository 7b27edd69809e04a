"""Builds a labelled model, feeds it, and says what comes of it; imported by the worker's interpreter alone."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from faults.builder_names import provide_builder_names

SHAPE_WORDS = re.compile(
    r"shape|\bsizes?\b|channels|dimension|divisible|cannot be multiplied|elements|Kernel size|"
    r"spatial|must match|normalized|out of range",
    re.IGNORECASE,
)
"""What an error about shapes speaks of."""
TOO_SMALL = re.compile(
    "too small|greater than actual|smaller than kernel|non-empty|not divisible by"
)
"""What errors speak of that larger inputs would not raise."""
_OURS = str(Path(__file__).parent.parent)
"""The folder that this is imported from, whose files are named as some of the models' are."""
_RAISED = (RuntimeError, ValueError, AssertionError, IndexError)


@dataclass(frozen=True)
class LabelledBuild:
    """How labels build and feed a model: `repositories` is the folder in which its own lies."""

    name: str
    repositories: str
    files: tuple[str, ...]
    builder: str
    inputs: Sequence[Mapping[str, Any]]
    sizes: Sequence[Mapping[str, int]]
    """The first sizes by letter, and the second."""


def run_model(build: LabelledBuild) -> str:
    """Run it once at each of the sizes: what shapes it gives, or the error, in words.

    Changes `sys.path` and `sys.modules`: to be called in a process of its own.
    """
    provide_builder_names(Path(build.repositories))
    sys.path[:] = [*_list_import_folders(build), *(each for each in sys.path if each != _OURS)]
    names: dict[str, Any] = {}
    torch.manual_seed(0)
    exec(compile(build.builder, "builder", "exec"), names)
    model = names["m"].eval()
    with torch.no_grad():
        return "; ".join(_describe(model(*_make_inputs(build, sizes))) for sizes in build.sizes)


def name_shape_error(error: BaseException) -> str:
    """The error in words where it is about shapes, else ''."""
    known = isinstance(error, _RAISED) or type(error).__name__ == "EinopsError"
    words = f"{type(error).__name__}: {str(error).strip()[:300]}"
    told = known and SHAPE_WORDS.search(words) and not TOO_SMALL.search(words)
    return words if told else ""


def _list_import_folders(build: LabelledBuild) -> list[str]:
    """The repository, and of the folders of files that run those that the builder imports from."""
    root = Path(build.repositories, build.files[0].partition("/")[0])
    folders = [root]
    for name in _list_imported(build.builder):
        if not _holds_module(root, name):
            around = (Path(build.repositories, file).parents for file in build.files)
            inner = (each for parents in around for each in parents if root in each.parents)
            folders += [each for each in inner if _holds_module(each, name)][:1]
    return [*dict.fromkeys(map(str, folders))]


def _list_imported(builder: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(builder)):
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)


def _holds_module(folder: Path, name: str) -> bool:
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()


def _make_inputs(build: LabelledBuild, sizes: Mapping[str, int]) -> list[torch.Tensor]:
    return [_make_input(given, sizes) for given in build.inputs]


def _make_input(given: Mapping[str, Any], sizes: Mapping[str, int]) -> torch.Tensor:
    shape = [_work_out(size, sizes) for size in given["shape"]]
    kind = given.get("kind", "randn")
    if kind == "randint":
        return torch.randint(given.get("lo", 0), given["hi"], shape)
    if kind == "dimval":
        return torch.full(shape, sizes[given["value"]])
    makers = {"ones": torch.ones, "rand": torch.rand, "randn": torch.randn}
    return makers[kind](shape)


def _work_out(size: int | str, sizes: Mapping[str, int]) -> int:
    """`8*H` at these sizes."""
    if isinstance(size, int):
        return size
    return int(eval(size, {"__builtins__": {}}, dict(sizes)))


def _describe(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return str(list(value.shape))
    if isinstance(value, Mapping):
        return f"{{{', '.join(_describe(each) for each in value.values())}}}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(_describe, value))})"
    return type(value).__name__
