"""What `lintorch explain --log` prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from lintorch.cli.show_messages import make_message_data, write_message_answer
from lintorch.cli.terminal import choose_style
from lintorch.report.styled_lines import Line, Screen
from lintorch.run.answer import Answer
from lintorch.run.answer_log import AnsweredLog
from lintorch.run.read_frames import is_cell

_STYLES = {"matters": "error", "harmless": "good", "unknown": "warning"}
_FIRST = 90


def write_answers(log: str, answered: AnsweredLog, out: TextIO) -> None:
    """What matters first, then what is not known, then what is harmless."""
    style = choose_style(out)
    screen = Screen.of(out, style.color, style.width)
    screen.write(_summarize(log, answered))
    order = sorted(
        answered.answers, key=lambda each: ("matters", "unknown", "harmless").index(each.verdict)
    )
    for answer in order:
        screen.write(_describe(answer))
        screen.write(screen.wrap(answer.why, 4))
        if answer.message:
            write_message_answer(answer, answer.message, screen)
    for text in answered.models:
        screen.write([[(line, "dim")] for line in ("", *text.splitlines())])


def _summarize(log: str, answered: AnsweredLog) -> Iterator[Line]:
    name = "standard input" if log == "-" else log
    count = len(answered.answers)
    if not count:
        yield ((f"{name}: no warning of a tracer, and no error", "good"),)
        return
    counted = Counter[str](answer.verdict for answer in answered.answers)
    told = ", ".join(
        f"{counted[verdict]} {'matter' if verdict == 'matters' and counted[verdict] > 1 else verdict}"
        for verdict in _STYLES
        if counted[verdict]
    )
    message = all(answer.message or not answer.warning.path for answer in answered.answers)
    what = "message" if message else "line"
    under = "" if message else f" under {answered.exporter}"
    yield ((f"{name}: {count} {what}{'s' * (count > 1)}{under}: {told}", "strong"),)


def _describe(answer: Answer) -> Iterator[Line]:
    warning = answer.warning
    yield ()
    often = f"  ({warning.times} times)" if warning.times > 1 else ""
    place = f"{warning.found or warning.path}:{warning.row}" if warning.path else warning.kind
    place = f"{warning.path}, line {warning.row}" if is_cell(warning.path) else place
    said = warning.text.partition(" might cause ")[0][:_FIRST]
    said = f"{warning.kind}: {said}" if warning.is_error and warning.path else said
    yield (
        (f"{answer.verdict} ", _STYLES[answer.verdict]),
        (place, "strong"),
        (f"  {said}{often}", ""),
    )
    if warning.source and not warning.is_inside_torch:
        yield ((f"    {warning.source[:_FIRST]}", "dim"),)
    if answer.code:
        yield ((f"    {answer.code}, known by {answer.evidence}", ""),)


def format_answers_json(answered: AnsweredLog) -> str:
    """An object; docs/explain.md says what its keys mean."""
    data = {
        "exporter": answered.exporter,
        "answers": [
            {
                "filename": answer.warning.found or answer.warning.path or None,
                "row": answer.warning.row or None,
                "kind": answer.warning.kind,
                "warning": answer.warning.text,
                "times": answer.warning.times,
                "verdict": answer.verdict,
                "why": answer.why,
                "code": answer.code or None,
                "evidence": answer.evidence or None,
                **(make_message_data(answer.message) if answer.message else {}),
            }
            for answer in answered.answers
        ],
    }
    return json.dumps(data, indent=2) + "\n"
