"""What is to be linted and what comes of it, without the parser that does it."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.core.finding import Finding
from lintorch.core.profile import Profile

Function = tuple[str, str]
"""The absolute path of a file, and the name of a function in it."""


@dataclass(frozen=True)
class LintTask:
    """A file to lint with some rules for a profile."""

    path: str
    codes: frozenset[str]
    profile: Profile
    folders: tuple[str, ...] = ()
    """Folders of rules besides the built-in ones and those of plugins."""
    entered: frozenset[str] = frozenset()
    """The functions of the file that forward passes of other files call."""
    brief: bool = False
    """Whether models are followed less far, as somebody waits."""
    awaits_runs: bool = False
    """Whether models are run as well, for which fixes in other files may wait."""


@dataclass(frozen=True)
class Linted:
    """What source says of a file, and the other files that this was read from.

    `marked` tells that comments of the file speak to lintorch. `enters` are functions of other
    files (path, name) that run in its forward passes, `inside` its own functions that do; those
    `entered` from other files were known when it was looked at.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    consulted: tuple[str, ...] = ()
    marked: bool = False
    enters: frozenset[Function] = frozenset()
    inside: frozenset[str] = frozenset()
    entered: frozenset[str] = frozenset()
    content: str = ""
    """What stands for the bytes that were read."""


def concerns_torch(text: str) -> bool:
    """The cheap test before the parse: no hazard of torch without the word, a model of another file's, or gradients.

    An .onnx file that is run may have been exported by the file beside it.
    """
    words = (
        *("torch", ".Module", ".backward", "DataLoader", "random_split", "InferenceSession"),
        *("trust_remote_code", "LightningModule"),
    )
    return any(word in text for word in words)


def skip_text(task: LintTask, text: str, content: str = "") -> Linted:
    """What is known of a text that is not parsed."""
    from lintorch.suppress import (
        mentions_suppression,  # here, as a run in which nothing has changed reads none
    )

    return Linted(
        task.path, marked=mentions_suppression(text), entered=task.entered, content=content
    )
