"""What a target says of one use of an operator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Answer(str, Enum):
    """Unknown is never taken for yes."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


class About(str, Enum):
    """Which part of the use the answer turns on."""

    OPERATOR = "operator"
    """The operator as such."""
    VERSION = "version"
    """The operator exists, but not as the opset asked for defines it."""
    OPSET = "opset"
    """The whole model is of an opset that the runtime refuses."""
    TYPE = "type"
    RANK = "rank"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Verdict:
    """Whether a target takes an operator as it is used, and why.

    `since` names the first later release of the runtime that is known to take it so, if any. `disputed` is a yes that the runtime's own documentation denies.
    `confidence` is "high", "medium" or "low", as the table says of itself.
    """

    answer: Answer
    reason: str = ""
    about: About = About.OPERATOR
    since: str | None = None
    confidence: str = "high"
    disputed: bool = False

    def __bool__(self) -> bool:
        """Whether it is known to be taken."""
        return self.answer is Answer.YES
