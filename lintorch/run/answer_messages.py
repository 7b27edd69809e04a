"""From known messages, and from texts that are not known, to answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lintorch.messages import (
    Recognised,
    find_ending,
    guess_runtime,
    looks_like_error,
    read_class,
)
from lintorch.run.answer import Answer, Verdict
from lintorch.run.explain_messages import ExplainedMessage
from lintorch.run.read_export_log import LoggedWarning

_SHOWN = 400


def join_messages(answers: Sequence[Answer], told: Sequence[ExplainedMessage]) -> list[Answer]:
    """The answers, and one for each message; an error at a line of the user's takes the message that it is."""
    joined = list(answers)
    for message in told:
        at = next((n for n, each in enumerate(joined) if _is_same(each, message.found)), None)
        if at is None:
            joined.append(_answer_message(message))
        else:
            joined[at] = _add_message(joined[at], message)
    return joined


def add_class(answers: Sequence[Answer], text: str) -> list[Answer]:
    """The answers, with the class of the error where nothing is known of its message."""
    errors = [each for each in answers if each.warning.is_error]
    found = None if any(each.message or each.code for each in errors) else read_class(text)
    if found is None or (answers and not errors and not _raises_beyond(answers, text)):
        return [*answers]
    message = ExplainedMessage(found)
    if not errors:
        return [_answer_message(message), *answers]
    told = replace(errors[-1], message=message, why=found.kind.cause)
    return [told if each is errors[-1] else each for each in answers]


def _raises_beyond(answers: Sequence[Answer], text: str) -> bool:
    """Whether a text ends with an error that stands in none of the notes that are answered."""
    at = find_ending(text)
    notes = [each.message.found for each in answers if each.message]
    return at >= 0 and not any(note.at <= at < _find_end(note, text) for note in notes)


def _find_end(note: Recognised, text: str) -> int:
    """Where the words of a note end, of which its excerpt shows more."""
    match = note.kind.pattern.match(text, note.at) if note.kind.pattern else None
    return match.end() if match else note.at + 1


def answer_unknown(text: str) -> Answer | None:
    """The answer to a text that speaks of an error which is not known; None where it speaks of none."""
    if not looks_like_error(text):
        return None
    runtime = guess_runtime(text)
    kind, more = (runtime.title, runtime.more) if runtime else ("error", "")
    more = more or "give the whole log, with the lines before the error"
    why = f"nothing is known of this message. To learn more: {more}"
    return Answer(LoggedWarning("", 0, kind, text[-_SHOWN:], is_error=True), "unknown", why)


def _is_same(answer: Answer, found: Recognised) -> bool:
    return (
        answer.warning.is_error
        and answer.message is None
        and found.runtime.own_line
        and found.kind.rank != "note"
    )


def _add_message(answer: Answer, message: ExplainedMessage) -> Answer:
    """What is known of the line outweighs what is known of the message, which may be nothing."""
    if answer.code and message.found.kind.rank == "last":
        return answer
    told = replace(answer, message=message)
    if answer.code:
        return told
    return replace(told, verdict=_judge(message), why=message.found.kind.cause)


def _answer_message(message: ExplainedMessage) -> Answer:
    found = message.found
    title = found.runtime.title
    line = message.node.line if message.node else None
    told = LoggedWarning(
        line.path if line else "",
        (line.now or line.row) if line else 0,
        title,
        found.excerpt,
        found=line.found if line else "",
        times=found.times,
        is_error=found.kind.rank != "note",
    )
    return Answer(told, _judge(message), found.kind.cause, evidence="log", message=message)


def _judge(message: ExplainedMessage) -> Verdict:
    """A cause that is known matters; where runtime and node alone are known, why is not."""
    rank = message.found.kind.rank
    if rank == "note":
        return "harmless"
    known = bool(message.findings) or bool(message.node and message.node.line)
    return "unknown" if rank in ("general", "last", "class") and not known else "matters"
