"""What lintorch tells of itself: its rules, targets and commands."""

from __future__ import annotations

import json
from pathlib import Path

from recorded.questions import Question, Questions

_COMMANDS = ("check", "export", "models", "rule", "rules", "targets")


def ask_of_rules(inputs: Path, workspace: Path) -> Questions:
    """Lists, the page of each rule and target, the help of each command."""
    yield Question("help.txt", ("--help",), workspace)
    for command in _COMMANDS:
        yield Question(f"help-{command}.txt", (command, "--help"), workspace)
    for listing, command, key in (("rules", "rule", "code"), ("targets", "targets", "name")):
        yield Question(f"{listing}.txt", (listing,), workspace)
        listed = yield Question(f"{listing}.json", (listing, "--output-format", "json"), workspace)
        for name in [each[key] for each in json.loads(listed)]:
            yield Question(f"{command}-{name}.txt", (command, name), workspace)
