"""Which line of a model's source made a node of an .onnx file, and which rule speaks of that line."""

from __future__ import annotations

from collections.abc import Sequence

from lintorch.onnx_file import FoundNode, NodeFinder, read_onnx_model
from lintorch.run.answer_by_frames import answer_by_export, answer_by_frames, answer_by_neighbours
from lintorch.run.answer_by_scope import answer_by_scope
from lintorch.run.asked_models import ask_of_models
from lintorch.run.locate_frames import FrameLocator
from lintorch.run.node_answer import ExplainedNodes, NodeAnswer
from lintorch.run.node_by_export import ExportedAgain
from lintorch.run.node_by_scope import ScopedNodes
from lintorch.run.node_frames import read_told
from lintorch.run.request import ExplainRequest, Progress, ignore_progress
from lintorch.run.rules_at_lines import add_rules


def explain_node(
    path: str, name: str, request: ExplainRequest, progress: Progress = ignore_progress
) -> NodeAnswer:
    """The answer for one node. Raises as explain_nodes does."""
    return explain_nodes(path, (name,), request, progress).answers[0]


def explain_nodes(
    path: str, names: Sequence[str], request: ExplainRequest, progress: Progress = ignore_progress
) -> ExplainedNodes:
    """Answer for each node of the model at `path` that is named, or whose value is.

    `request.paths` are files or folders of the project whose model it is, or `net.py:Net`. With `request.models.trace`
    their models are exported again in a worker, for nodes of which no line is certain. Raises
    OnnxFileError, NoNodeError, OSError, SettingsError, CatalogError, or WorkerError.
    """
    request = ask_of_models(request)
    progress(f"reading {path}")
    model = read_onnx_model(path)
    finder = NodeFinder(model)
    found = [(name, finder.find(name)) for name in names]
    locator = FrameLocator(request.paths)
    scoped = ScopedNodes(model, finder.bodies, request, progress)
    answers = [_answer(name, each, scoped, locator) for name, each in found]
    if request.models.trace:
        again = ExportedAgain(model, request, progress)
        pairs = zip(answers, found, strict=True)
        answers = [answer_by_export(each, node, again, locator) for each, (_, node) in pairs]
    return add_rules(answers, request, progress)


def _answer(name: str, found: FoundNode, scoped: ScopedNodes, locator: FrameLocator) -> NodeAnswer:
    told = read_told(found.node)
    answer = NodeAnswer(name, found.node, found.by, found.body.where, told=told)
    if told.frames:
        return answer_by_frames(answer, found, locator)
    if near := answer_by_neighbours(answer, found, locator):
        return near
    return answer_by_scope(answer, found, scoped)
