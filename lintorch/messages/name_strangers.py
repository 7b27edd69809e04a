"""Messages of programs that neither export a model nor run one: pip, a build for the web, a training run."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from lintorch.messages.message_kinds import parse_toml

_TABLE = Path(__file__).with_name("strangers.toml")
_READ = 20_000
"""Characters from the end of a text that are looked at."""


@dataclass(frozen=True)
class Stranger:
    """A program that is none of those known, by words of its logs."""

    whose: str
    """What ends the sentence `This message is of …`."""
    pattern: re.Pattern[str]
    remedy: str


def find_stranger(text: str) -> Stranger | None:
    """The first of the strangers whose words a text that `unify_text` has made holds."""
    near = text[-_READ:]
    return next((each for each in load_strangers() if each.pattern.search(near)), None)


@functools.cache
def load_strangers() -> tuple[Stranger, ...]:
    """In the order in which they are asked."""
    return tuple(
        Stranger(each["whose"], re.compile(each["pattern"]), each["remedy"])
        for each in parse_toml(_TABLE)["stranger"]
    )
