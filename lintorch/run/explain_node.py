"""Which line of a model's source made a node of an .onnx file, and which rule speaks of that line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from lintorch.core.finding import Finding
from lintorch.onnx_file import FoundNode, NodeFinder, OnnxNode, read_onnx_model
from lintorch.report.wording import write_message
from lintorch.run.between_weights import Between, find_between
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.find_followed import FoundModel
from lintorch.run.locate_frames import FrameLocator
from lintorch.run.module_scopes import read_scope
from lintorch.run.node_by_export import ExportedAgain
from lintorch.run.node_by_scope import ScopedNodes
from lintorch.run.node_frames import Frame, Told, choose_line, names_row, read_told
from lintorch.run.place_nodes import Placed
from lintorch.run.request import CheckRequest, ExplainRequest, Progress, ignore_progress
from lintorch.run.scope import Scope

Certainty = Literal["certain", "probable", "possible", "unknown"]
_WITHIN = ": it stands in a branch or a loop that is called there; the line within it does not say"


@dataclass(frozen=True)
class SpokenRule:
    """What a rule says of the line: the message ends with what to write instead."""

    code: str
    message: str
    row: int
    evidence: str


@dataclass(frozen=True)
class NodeAnswer:
    """Where one node comes from.

    `lines` are the lines that may have made it, the most likely first: one where `certainty` is
    "certain" or "probable". `calls` is how the first of them was reached, outermost first, it included.
    `way` says how that is known: "metadata", "verbose export", "neighbours", "scope", "weights", "export" or "".
    """

    asked: str
    node: OnnxNode
    by: str = ""
    where: str = ""
    lines: tuple[Frame, ...] = ()
    calls: tuple[Frame, ...] = ()
    way: str = ""
    certainty: Certainty = "unknown"
    why: str = ""
    told: Told = field(default_factory=Told)
    together: tuple[OnnxNode, ...] = ()
    """Other nodes of the same line and the same operation of torch, in the order of the file."""
    rules: tuple[SpokenRule, ...] = ()

    @property
    def line(self) -> Frame | None:
        """The line, where it is one."""
        return self.lines[0] if self.certainty in ("certain", "probable") and self.lines else None


@dataclass(frozen=True)
class ExplainedNodes:
    """The answers in the order of the names; `notes` say what was left undone."""

    answers: tuple[NodeAnswer, ...]
    notes: tuple[str, ...] = ()


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
    request = name_models(request)
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
        answers = [_answer_by_export(each, node, again, locator) for each, (_, node) in pairs]
    return _add_rules(answers, request, progress)


def name_models(request: ExplainRequest) -> ExplainRequest:
    """With the files of models that are named as `net.py:Net`, of which these alone are exported again."""
    only = tuple(each for each in request.paths if os.path.isfile(each.rpartition(":")[0]))
    paths = (each.rpartition(":")[0] if each in only else each for each in request.paths)
    models = replace(request.models, only=only) if only else request.models
    return replace(request, paths=tuple(dict.fromkeys(paths)), models=models)


def _answer(name: str, found: FoundNode, scoped: ScopedNodes, locator: FrameLocator) -> NodeAnswer:
    told = read_told(found.node)
    answer = NodeAnswer(name, found.node, found.by, found.body.where, told=told)
    if told.frames:
        return _answer_by_frames(answer, found, locator)
    if near := _answer_by_neighbours(answer, found, locator):
        return near
    return _answer_by_scope(answer, found, scoped)


def _answer_by_neighbours(
    answer: NodeAnswer, found: FoundNode, locator: FrameLocator
) -> NodeAnswer | None:
    """By the nodes that take its value, or give it one, and that say a line: an optimizer made it of them."""
    near = [
        next((each for each in nodes if read_told(each).frames), None)
        for nodes in (found.body.list_after(found.node), found.body.list_before(found.node))
    ]
    answers = [
        _answer_by_frames(
            replace(answer, told=read_told(each)), FoundNode(each, found.body), locator
        )
        for each in near
        if each is not None
    ]
    lines = tuple(dict.fromkeys(each.lines[0] for each in answers if each.lines))
    if not lines:
        return None
    first = next(each for each in answers if each.lines)
    return replace(
        answer,
        lines=lines,
        calls=first.calls,
        way="neighbours",
        certainty="probable" if len(lines) == 1 else "possible",
        why="the exporter wrote no line into it; this is what the nodes beside it say",
    )


def _answer_by_scope(answer: NodeAnswer, found: FoundNode, scoped: ScopedNodes) -> NodeAnswer:
    model = scoped.found
    scope = read_scope(found.node.name)
    told = replace(answer.told, module="/".join(scope) if scope else "")
    between = find_between(found.body, found.node)
    if model is None:
        why = "the file does not say it, and no model was found that has the modules it names"
        why = f"{why}: name the model's files behind the .onnx file"
        near = "" if scope else between.describe()
        return replace(answer, told=told, why=f"{near}; {why}" if near else why)
    if scope is None:
        return _answer_by_weights(answer, found, between, scoped)
    placed = scoped.place(found)
    kind = model.model.name_class(placed.module or "") if placed.module is not None else ""
    told = replace(answer.told, module=placed.module or "", module_class=kind)
    answer = replace(answer, told=told, way="scope")
    if not placed.steps:
        return replace(answer, why=_explain_nothing(placed, model))
    rivals = "".join(f"; {each.name} fits as well" for each in scoped.rivals[:3])
    sure = placed.sure and model.share > 0.99 and not rivals
    calls = [scoped.list_calls(step) for step in placed.steps]
    return replace(
        answer,
        lines=tuple(each[-1] for each in calls),
        calls=calls[0],
        certainty="certain" if sure else "probable" if placed.found else "possible",
        why=_explain_placed(placed, model) + rivals,
        together=scoped.list_together(found, placed),
    )


def _answer_by_weights(
    answer: NodeAnswer, found: FoundNode, between: Between, scoped: ScopedNodes
) -> NodeAnswer:
    """By the weights around it, where its name says nothing; no line where several models may be it."""
    if doubt := scoped.describe_doubt():
        near = between.describe()
        return replace(answer, way="weights", why=f"{near}; {doubt}" if near else doubt)
    steps, agreed, through = scoped.list_between(found, between)
    calls = [scoped.list_calls(step) for step in steps] if agreed else []
    why = between.describe() or "by the order of operations alone"
    if through is not None:
        why = f"it computes what {through.name or through.operator} takes; {why}"
    if steps and not agreed:
        why = f"{why}; no line there stands in the same order as the node"
    return replace(
        answer,
        lines=tuple(each[-1] for each in calls if each),
        calls=calls[0] if calls else (),
        way="weights",
        certainty="probable" if calls else "unknown",
        why=why,
    )


def _answer_by_export(
    answer: NodeAnswer, found: FoundNode, again: ExportedAgain, locator: FrameLocator
) -> NodeAnswer:
    """By the node of an export made now, where nothing better is known."""
    if answer.certainty == "certain":
        return answer
    twin = again.find_twin(found.node)
    if twin is not None and not twin.told.frames:
        return answer
    if twin is None:
        like = "is like the file" if again.closest is None else "has a node like it"
        return replace(
            answer, why=f"{answer.why}; exported again by {again.exporter}, no model {like}"
        )
    told = replace(twin.told, module=twin.told.module or answer.told.module)
    known = _answer_by_frames(replace(answer, told=told), found, locator)
    if not known.lines:
        return answer
    where = (
        f"the node {twin.node.name} of an export made now"
        if twin.node.name
        else "an export made now"
    )
    same = "has the same name and place" if twin.same_name else "stands where it does"
    sure = twin.same_name and bool(again.closest and again.closest.share > 0.99)
    return replace(
        known,
        way="export",
        certainty="certain" if sure else "probable",
        why=f"{where} {same}",
        together=answer.together,
    )


def _explain_nothing(placed: Placed, model: FoundModel) -> str:
    where = model.name
    if placed.module is None:
        return f"its name tells no module of {where}"
    return f"no line of {placed.module or 'the model itself'}, of {where}, is known to write it"


def _explain_placed(placed: Placed, model: FoundModel) -> str:
    told = f"by its name, and the operations of {model.name} in order"
    if placed.through is not None:
        told = f"it computes what {placed.through.name} takes; that one is known {told}"
    elif placed.sure:
        told = f"{told}: no other line of the module writes it"
    share = (
        "" if model.share > 0.99 else f"; {model.share:.0%} of the file's modules are that model's"
    )
    return told + share


def _answer_by_frames(answer: NodeAnswer, found: FoundNode, locator: FrameLocator) -> NodeAnswer:
    calls = tuple(locator.locate(each) for each in answer.told.frames if not each.is_torch)
    line = choose_line(calls)
    way = "metadata" if found.node.metadata else "verbose export"
    compiled = bool(answer.where) and answer.told.frames[-1].path.startswith("<")
    if line is None:
        return replace(answer, way=way, why="every line that it names is torch's own")
    return replace(
        answer,
        lines=(line,),
        calls=calls[: calls.index(line) + 1],
        way=way,
        certainty="probable" if compiled else "certain",
        why=f"the exporter wrote it into the node{_WITHIN if compiled else ''}",
        together=tuple(_list_together(found, answer.told, line)),
    )


def _list_together(found: FoundNode, told: Told, line: Frame) -> Iterator[OnnxNode]:
    """Other nodes that say the same line, and the same operation where they name one."""
    place = line.path, line.row
    for node in found.body.graph.nodes:
        if node is found.node or not (
            names_row(node, line.row) and (other := read_told(node)).frames
        ):
            continue
        at = choose_line(other.frames)
        if (
            at
            and (at.path, at.row) == place
            and (other.key, other.module) == (told.key, told.module)
        ):
            yield node


def _add_rules(
    answers: Sequence[NodeAnswer], request: ExplainRequest, progress: Progress
) -> ExplainedNodes:
    """Look at the files of the lines, each once."""
    frames = [frame for answer in answers for frame in answer.lines]
    files = tuple(dict.fromkeys(each.found for each in frames if _is_to_check(each)))
    if not files:
        return ExplainedNodes(tuple(answers))
    asked = CheckRequest(files, settings=request.settings, jobs=request.jobs, config=request.config)
    checked = check_files(asked, Scope(asked), progress)
    told = (replace(each, rules=tuple(_list_rules(each, checked))) for each in answers)
    return ExplainedNodes(tuple(told), (*checked.errors, *checked.notes))


def _is_to_check(frame: Frame) -> bool:
    return bool(frame.found and frame.now and not frame.is_installed)


def _list_rules(answer: NodeAnswer, checked: CheckedFiles) -> Iterator[SpokenRule]:
    lines = {(each.found, each.now) for each in answer.lines if _is_to_check(each)}
    for finding in checked.standing:
        row = next((row for path, row in lines if _speaks_of(finding, path, row)), 0)
        if row:
            message, evidence = write_message(finding), str(finding.evidence)
            yield SpokenRule(finding.code, message, row, evidence)


def _speaks_of(finding: Finding, path: str, row: int) -> bool:
    """Whether it stands at the line, or names it as another with the same cause, and is about exports."""
    places = (finding.place, *finding.also)
    here = any(
        each.path == path and each.row <= row <= max(each.row, each.end_row) for each in places
    )
    return here and (finding.hazard is not None or finding.exporter is not None)
