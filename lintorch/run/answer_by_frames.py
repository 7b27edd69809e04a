"""The line of a node by the frames that an exporter wrote into it, or into the nodes beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lintorch.onnx_file import FoundNode, OnnxNode
from lintorch.run.locate_frames import FrameLocator
from lintorch.run.node_answer import NodeAnswer
from lintorch.run.node_by_export import ExportedAgain
from lintorch.run.node_frames import Frame, Told, choose_line, names_row, read_told

_WITHIN = ": it stands in a branch or a loop that is called there; the line within it does not say"


def answer_by_frames(answer: NodeAnswer, found: FoundNode, locator: FrameLocator) -> NodeAnswer:
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


def answer_by_neighbours(
    answer: NodeAnswer, found: FoundNode, locator: FrameLocator
) -> NodeAnswer | None:
    """By the nodes that take its value, or give it one, and that say a line: an optimizer made it of them."""
    near = [
        next((each for each in nodes if read_told(each).frames), None)
        for nodes in (found.body.list_after(found.node), found.body.list_before(found.node))
    ]
    answers = [
        answer_by_frames(
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


def answer_by_export(
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
    known = answer_by_frames(replace(answer, told=told), found, locator)
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
