"""ONNX Runtime runs a file, its graph as it is or changed, and gives back values inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from lintorch.guest.beside.onnx_file import OnnxFile, UnreadableFileError
from lintorch.guest.export.error_reading import summarise_error

_FATAL_ONLY = 4
_DATA_FOLDER = "session.model_external_initializers_file_folder_path"
"""The setting that names the folder of weights for a model that comes from memory; ONNX Runtime 1.20 on."""
_AT_ONCE = 96
"""Values inside the graph that are asked for in one run."""
_MOST_BYTES = 2**30
"""Of values inside the graph that are held."""
_FAILED_NODE = re.compile(r"running (?P<operator>\w+) node\. Name:\s*'(?P<name>[^']*)'")
Feed = Mapping[str, torch.Tensor]


class FileRunner:
    """A session of ONNX Runtime on the CPU, in one thread. Raises UnreadableFileError."""

    def __init__(
        self, file: OnnxFile, model: Any = None, outputs: Sequence[str] = (), plain: bool = False
    ) -> None:
        """`model` is a changed message of the file; of a `plain` one nothing is optimized."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _FATAL_ONLY
        options.add_session_config_entry(_DATA_FOLDER, str(file.path.parent))
        if plain:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        untouched = model is None and not outputs
        source: Any = str(file.path) if untouched else _show_values(model or file.model, outputs)
        try:
            self._session = onnxruntime.InferenceSession(
                source, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime has a class for each kind
            raise UnreadableFileError(
                f"ONNX Runtime does not load it: {summarise_error(error, 1)}"
            ) from error

    def run(self, feed: Feed) -> list[torch.Tensor]:
        """The outputs that are tensors, in order. Raises what ONNX Runtime raises."""
        arrays = {name: _to_array(value) for name, value in feed.items()}
        given = self._session.run(None, arrays)
        return [torch.as_tensor(each) for each in given if hasattr(each, "dtype")]

    def run_named(self, feed: Feed) -> Iterator[tuple[str, torch.Tensor]]:
        """The outputs with their names."""
        names = [each.name for each in self._session.get_outputs()]
        arrays = {name: _to_array(value) for name, value in feed.items()}
        for name, value in zip(names, self._session.run(None, arrays), strict=True):
            if hasattr(value, "dtype") and value.dtype.kind in "fiub":
                yield name, torch.as_tensor(value)


def probe_values(file: OnnxFile, feed: Feed, wanted: frozenset[int]) -> dict[str, torch.Tensor]:
    """What the nodes of the graph give, of values with so many numbers; from many runs where they are many."""
    names = [n for node in file.graph.node if node.op_type != "Constant" for n in node.output if n]
    found: dict[str, torch.Tensor] = {}
    size = 0
    for begin in range(0, len(names), _AT_ONCE):
        asked = names[begin : begin + _AT_ONCE]
        for name, value in _probe_some(file, feed, asked):
            if value.numel() in wanted and value.is_floating_point():
                found[name] = value
                size += value.numel() * value.element_size()
        if size > _MOST_BYTES:
            break
    return found


def find_failed_node(file: OnnxFile, error: BaseException) -> Any:
    """The node whose run an error of ONNX Runtime speaks of; None for none."""
    match = _FAILED_NODE.search(str(error))
    named = match and (node for node in file.graph.node if node.name == match["name"])
    return next(named, None) if named else None


def _probe_some(
    file: OnnxFile, feed: Feed, names: Sequence[str]
) -> Iterator[tuple[str, torch.Tensor]]:
    """As many of these as can be had: a value that is no tensor spoils the run of all."""
    try:
        yield from FileRunner(file, outputs=names, plain=True).run_named(feed)
    except Exception:
        if len(names) > 1:
            half = len(names) // 2
            yield from _probe_some(file, feed, names[:half])
            yield from _probe_some(file, feed, names[half:])


def _show_values(model: Any, names: Sequence[str]) -> bytes:
    """The message with these values as its only outputs, as bytes; as it is where none are named."""
    if not names:
        data: bytes = model.SerializeToString()
        return data
    import onnx

    kept = list(model.graph.output)
    del model.graph.output[:]
    try:
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        data = model.SerializeToString()
    finally:
        del model.graph.output[:]
        model.graph.output.extend(kept)
    return data


def _to_array(value: torch.Tensor) -> Any:
    return value.detach().cpu().contiguous().numpy()
