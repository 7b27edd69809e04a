"""The file was exported in training mode: Dropout drops, BatchNorm takes the statistics of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.distances import match_outputs
from lintorch.guest.beside.onnx_file import OnnxFile, get_attribute
from lintorch.guest.beside.run_file import FileRunner
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.onnx_graph import find_node_site
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.record.file_comparisons import Cause

_REMEDY = "call model.eval() before the export, and leave out training=TrainingMode.TRAINING"
_RATIO, _MODE = 1, 2
"""The places of the inputs of a Dropout node."""
_DRAWS = ("RandomUniformLike", "RandomUniform", "RandomNormalLike", "RandomNormal", "Bernoulli")
"""As Dropout2d is written in training; a model that draws numbers in eval mode is not compared."""


def find_training_mode(case: Case) -> Iterator[Cause]:
    """By nodes that say it; else by the model, which agrees in training mode and not in eval mode."""
    nodes = list_training_nodes(case.file)
    if nodes:
        yield from _try_without(case, nodes)
    elif _has_statistics(case.module):
        yield from _try_training(case)


def list_training_nodes(file: OnnxFile) -> list[Any]:
    """The nodes of the graph that behave as in training."""
    return [node for node in file.graph.node if _is_training(file, node)]


def _is_training(file: OnnxFile, node: Any) -> bool:
    if node.op_type == "BatchNormalization":
        return get_attribute(node, "training_mode") == 1
    if node.op_type in _DRAWS:
        return True
    if node.op_type != "Dropout" or len(node.input) <= _MODE:
        return False
    mode = node.input[_MODE]
    return mode in file.tensors and bool(file.read_tensor(mode).any()) and _drops(file, node)


def _drops(file: OnnxFile, node: Any) -> bool:
    ratio = node.input[_RATIO]
    return ratio not in file.tensors or float(file.read_tensor(ratio)) > 0


def _try_without(case: Case, nodes: list[Any]) -> Iterator[Cause]:
    """Run the file with these nodes as in evaluation."""
    names = _count_kinds(nodes)
    site = next(filter(None, (find_node_site(node, case.user_file) for node in nodes)), None)
    text = f"the file was exported in training mode: {names} behave as in training"
    feed = case.make_feed()
    again = match_outputs(case.runner.run(feed), case.runner.run(feed)).difference
    drawn = "two runs of the file on the same input differ" if again else ""
    changed = FileRunner(case.file, _make_evaluated(case.file, nodes))
    found = match_outputs(case.expected, changed.run(feed)).difference
    if found is None:
        proof = "with these nodes set to inference the file agrees with the model in eval mode"
        yield Cause(
            "training-mode", text, "; ".join(filter(None, (proof, drawn))), _REMEDY, site=site
        )
    elif drawn:
        yield Cause("training-mode", text, drawn, _REMEDY, site=site)


def _make_evaluated(file: OnnxFile, nodes: list[Any]) -> Any:
    """The message with these nodes as in evaluation."""
    import onnx

    wanted = {node.output[0] for node in nodes}
    model = onnx.ModelProto()
    model.CopyFrom(file.model)
    own = {info.name for info in model.graph.output}
    for node in model.graph.node:
        if not node.output or node.output[0] not in wanted:
            continue
        if node.op_type == "Dropout":
            del node.input[_MODE:]
        for attribute in node.attribute:
            if attribute.name == "training_mode":
                attribute.i = 0
        if node.op_type == "BatchNormalization" and own.isdisjoint(node.output[1:]):
            del node.output[1:]
    return model


def _count_kinds(nodes: list[Any]) -> str:
    kinds = [node.op_type for node in nodes]
    return " and ".join(
        f"{kinds.count(kind)} {kind} node{'s' if kinds.count(kind) > 1 else ''}"
        for kind in dict.fromkeys(kinds)
    )


def _has_statistics(module: nn.Module) -> bool:
    return any(
        isinstance(part, nn.modules.batchnorm._NormBase) and part.track_running_stats
        for part in module.modules()
    )


def _try_training(case: Case) -> Iterator[Cause]:
    """Run the model with the statistics of the batch, and nothing dropped."""
    with copy_module(case.module, train=True) as copied, torch.no_grad():
        for part in copied.modules():
            if not isinstance(part, nn.modules.batchnorm._NormBase):
                part.training = False
        try:
            given = flatten_output(copied(*case.arrange(case.list_tensors()), **case.extra))
        except Exception:  # one value for each channel is refused in training
            return
    if match_outputs(given, case.run_file()).difference is None:
        yield Cause(
            "training-mode",
            "the file was exported in training mode: BatchNorm takes the statistics of the batch",
            "the model with its BatchNorm layers in training mode agrees with the file, in eval mode not",
            _REMEDY,
        )
