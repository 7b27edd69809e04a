"""What `lintorch explain MODEL.onnx --node NAME` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from lintorch.cli.terminal import choose_style
from lintorch.report.places import shown_path
from lintorch.report.styled_lines import Line, Screen
from lintorch.run.node_answer import ExplainedNodes, NodeAnswer
from lintorch.run.node_frames import Frame

_STYLES = {"certain": "good", "probable": "good", "possible": "warning", "unknown": "warning"}
_MOST_SHOWN = 12
_LONGEST = 110


def write_nodes(explained: ExplainedNodes, out: TextIO) -> None:
    """One paragraph for each node."""
    style = choose_style(out)
    screen = Screen.of(out, style.color, style.width)
    for number, answer in enumerate(explained.answers):
        screen.write([()] if number else [])
        screen.write(_describe_node(answer))
        screen.write(_list_lines(answer))
        for rule in answer.rules:
            screen.write([((f"    {rule.code}, known by {rule.evidence}", "strong"),)])
            screen.write(screen.wrap(rule.message, 4))
        if answer.lines and not answer.rules:
            screen.write([(("    no rule speaks of the line", "dim"),)])
        screen.write(screen.wrap(f"{answer.certainty}: {answer.why}", 4))


def _describe_node(answer: NodeAnswer) -> Iterator[Line]:
    node, told = answer.node, answer.told
    where = f", in {answer.where}" if answer.where else ""
    by = f" ({answer.by}: {answer.asked})" if answer.by else ""
    yield ((f"{node.name or '(no name)'}", "strong"), (f"  {node.operator}{where}{by}", ""))
    if told.operator:
        yield ((f"    made of {told.operator}{_describe_module(answer)}", ""),)
    elif told.module:
        yield ((f"    {_describe_module(answer).strip()}", ""),)
    if answer.together:
        others = [f"{each.operator} {each.name}" for each in answer.together[:_MOST_SHOWN]]
        more = len(answer.together) - len(others)
        others += [f"and {more} more"] if more else []
        yield ((f"    together with {', '.join(others)}", "dim"),)


def _describe_module(answer: NodeAnswer) -> str:
    told = answer.told
    kind = f" ({told.module_class})" if told.module_class else ""
    return f" in {told.module or 'the model itself'}{kind}"


def _list_lines(answer: NodeAnswer) -> Iterator[Line]:
    """The calls that led to the line, or the lines that are possible."""
    shown = answer.calls if answer.line else answer.lines
    others = answer.lines[1:] if answer.line else ()
    for frame in shown[-_MOST_SHOWN:]:
        chosen = frame == answer.line
        yield ((f"  {'> ' if chosen else '  '}", ""), (_place(frame), "strong" if chosen else ""),
               (f"  in {frame.function}", "dim"))  # fmt: skip
        if frame.source:
            yield ((f"        {frame.source[:_LONGEST]}", "" if chosen else "dim"),)
    if others:
        rows = ", ".join(map(_place, others[:_MOST_SHOWN]))
        yield ((f"    less likely: {rows}", "dim"),)


def _place(frame: Frame) -> str:
    path = shown_path(frame.found) if frame.found else frame.path
    if frame.found and not frame.now:
        return f"{path}:{frame.row} (the line is another one now)"
    moved = f" (line {frame.row} when it was exported)" if frame.now not in (0, frame.row) else ""
    return f"{path}:{frame.now or frame.row}{moved}{'' if frame.found else ' (not here)'}"


def format_nodes_json(explained: ExplainedNodes) -> str:
    """A list; docs/explain.md says what its keys mean."""
    return json.dumps([_node_to_json(each) for each in explained.answers], indent=2) + "\n"


def _node_to_json(answer: NodeAnswer) -> dict[str, object]:
    node, told = answer.node, answer.told
    return {
        "asked": answer.asked,
        "node": node.name,
        "operator": node.operator,
        "domain": node.domain,
        "inputs": list(node.inputs),
        "outputs": list(node.outputs),
        "where": answer.where or None,
        "module": told.module or None,
        "class": told.module_class or None,
        "torch_operator": told.operator or None,
        "certainty": answer.certainty,
        "way": answer.way or None,
        "why": answer.why,
        "lines": [_frame_to_json(each) for each in answer.lines],
        "calls": [_frame_to_json(each) for each in answer.calls],
        "together": [each.name for each in answer.together],
        "rules": [
            {"code": each.code, "message": each.message, "row": each.row, "evidence": each.evidence}
            for each in answer.rules
        ],
    }


def _frame_to_json(frame: Frame) -> dict[str, object]:
    return {
        "filename": frame.found or frame.path,
        "here": bool(frame.found),
        "row": frame.now or frame.row,
        "exported_row": frame.row,
        "function": frame.function,
        "source": frame.source or None,
    }
