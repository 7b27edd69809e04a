"""What is known of one warning or error of a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lintorch.run.explain_messages import ExplainedMessage
from lintorch.run.read_export_log import LoggedWarning

Verdict = Literal["matters", "harmless", "unknown"]


@dataclass(frozen=True)
class Answer:
    """What is known of one warning or error; `code` is the rule that speaks of the line, "" where none does.

    `message` is there where the message is known, and says what holds of it wherever it is met.
    """

    warning: LoggedWarning
    verdict: Verdict
    why: str
    code: str = ""
    evidence: str = ""
    message: ExplainedMessage | None = None
