"""What `lintorch explain --log` prints of a message of a runtime or exporter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lintorch.report.places import shown_path
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.wording import write_message
from lintorch.run.answer import Answer
from lintorch.run.explain_messages import ExplainedMessage
from lintorch.run.read_export_log import LoggedWarning
from lintorch.run.read_frames import is_cell

_SHOWN = 120
_MOST = 6
"""Findings that are told of one message."""


def write_message_answer(answer: Answer, message: ExplainedMessage, screen: Screen) -> None:
    """What the message names, what tables and file say, what to write instead, and where."""
    if answer.code:
        screen.write(screen.wrap(message.found.kind.cause, 4))
    for label, text in _list_facts(message):
        screen.write(_write_fact(screen, label, text))
    if message.node and message.node.line:
        screen.write(_describe_rules(message))
    elif message.rules:
        screen.write(_describe_findings(message, screen))


def _list_facts(message: ExplainedMessage) -> Iterator[tuple[str, str]]:
    found = message.found
    named = " ".join(part for part in (found.operator, found.node) if part)
    if named:
        yield "node", named + _describe_layer(found.node)
    if message.node:
        yield "line", _describe_line(message)
    if message.caller:
        yield "call", _describe_caller(message.caller)
    if message.support:
        yield "since", message.support
    if found.kind.remedy:
        yield "write", found.kind.remedy
    if found.kind.rank in ("general", "last", "class"):
        yield "more", found.kind.more or found.runtime.more


def _describe_layer(node: str) -> str:
    """The layer that torch wrote into the node's name."""
    layer = ".".join(part for part in node.split("/")[:-1] if part)
    plain = layer and not set(layer) & set("[]{} +")
    return f", by its name in the layer {layer}" if plain else ""


def _describe_line(message: ExplainedMessage) -> str:
    node = message.node
    if node is None or not node.lines:
        return f"not known: {node.why}" if node else ""
    places = ", ".join(
        f"{shown_path(each.found or each.path)}:{each.now or each.row}" for each in node.lines[:3]
    )
    return f"{places} ({node.certainty}: {node.why})"


def _describe_caller(caller: LoggedWarning) -> str:
    place = f"{shown_path(caller.found or caller.path)}:{caller.row}"
    place = f"{caller.path}, line {caller.row}" if is_cell(caller.path) else place
    return f"at {place}  {caller.source[:_SHOWN]}".rstrip()


def _write_fact(screen: Screen, label: str, text: str) -> Iterator[Line]:
    for number, line in enumerate(screen.wrap(text, 11)):
        shown = f"    {label}:".ljust(11) if not number else " " * 11
        yield ((shown, "strong"), *line[1:])


def _describe_rules(message: ExplainedMessage) -> Iterator[Line]:
    for rule in message.node.rules if message.node else ():
        yield ((f"    {rule.code} ", "strong"), (rule.message, ""))


def _describe_findings(message: ExplainedMessage, screen: Screen) -> Iterator[Line]:
    listed = ", ".join(f"{name} ({code})" for code, name in message.rules)
    if not message.findings:
        where = "the file" if message.files == 1 else f"the {message.files} files"
        told = f"In {where} looked at no line is found by the rules that speak of it: {listed}"
        asked = " (operator-missing and its kin ask the release that a setting `target` names)"
        needs = any(name == "operator-missing" for _, name in message.rules)
        if not message.files:
            told, asked = f"No file was given to look at; the rules that speak of it: {listed}", ""
        yield from screen.wrap(told + (asked if needs else ""), 4)
        return
    yield (("    Lines that may be its cause:", ""),)
    for finding in message.findings[:_MOST]:
        place = f"{shown_path(finding.place.path)}:{finding.place.row}"
        lines = screen.wrap(write_message(finding), 6)
        yield (("    ", ""), (place, "strong"), (f"  {finding.code} {finding.name}", ""))
        yield from lines
    left = len(message.findings) - _MOST
    if left > 0:
        yield ((f"    and {left} more", "dim"),)


def make_message_data(message: ExplainedMessage) -> dict[str, Any]:
    """The keys that an answer has besides; docs/explain.md says what they mean."""
    found, node = message.found, message.node
    return {
        "runtime": found.runtime.name,
        "error": found.kind.name,
        "about": found.kind.error,
        "operator": found.operator or None,
        "node": found.node or None,
        "cause": found.kind.cause,
        "since": message.support or None,
        "remedy": found.kind.remedy,
        "rules": [{"code": code, "name": name} for code, name in message.rules],
        "lines": [
            {
                "filename": finding.place.path,
                "row": finding.place.row,
                "code": finding.code,
                "message": write_message(finding),
            }
            for finding in message.findings
        ],
        "node_lines": [
            {"filename": each.found or each.path, "row": each.now or each.row}
            for each in (node.lines if node else ())
        ],
        "caller": _make_caller_data(message.caller),
    }


def _make_caller_data(caller: LoggedWarning | None) -> dict[str, Any] | None:
    if caller is None:
        return None
    place = {"filename": caller.found or caller.path, "row": caller.row}
    return {**place, "source": caller.source or None}
