"""What an error's own words say to do: `please install …`, `use … instead`, `you need to …`."""

from __future__ import annotations

import re
from dataclasses import replace

from lintorch.messages.message_kinds import Kind

_ADVICE = re.compile(
    r"(?:(?<=[.;!?)\]] )|(?<=: )|(?<=, ))"
    r"(?P<advice>(?:[Pp]lease (?:try |make sure |ensure )?(?:to )?|[Tt]ry (?:to )?|[Cc]onsider |[Mm]ake sure |"
    r"[Yy]ou (?:can|may|need to|must|should|have to|could) |(?:[Uu]se|[Ss]et|[Ii]nstall|[Uu]pgrade|[Pp]ass|[Ss]pecify) (?=[`'\"\w])|[Rr]un (?:the )?(?=[`'\"\w]{1,40} command))"
    r"[^;]{4,220}?)(?=\. |\.$|;|$|! )"
)
_IDLE = re.compile(
    r"(?i:report|file an? |open an? |submit|feel free|request support|pull request|detail log|for more (?:info|detail)|"
    r"see the|refer to|notice|propose|check (?:the )?(?:log|detail|error|above|documentation)|contact|issue|ignore|https?://)"
)
"""Advice that leads to no change of the user's."""
_LEAD = re.compile(r"^(?i:please|you (?:can|may|could)) (?:to )?")


def read_advice(said: str) -> str:
    """The first piece of advice in an error's statement that says what to change; "" where there is none."""
    for match in _ADVICE.finditer(said):
        advice = match["advice"].strip()
        if not _IDLE.search(advice):
            return _LEAD.sub("", advice)
    return ""


def add_advice(kind: Kind, said: str) -> Kind:
    """The class of an error with what the error itself advises, in front of what holds of the class."""
    advice = read_advice(said)
    if not advice or advice in kind.remedy:
        return kind
    return replace(kind, remedy=f"as the message itself says: {advice}; {kind.remedy}")
