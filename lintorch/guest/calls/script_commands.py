"""The command lines with which texts of a project start a script: READMEs, and scripts of a shell.

for n in 96 192; do
    python -u run.py --model Net --length $n      # --model Net --length 96
done
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from lintorch.guest.calls.project_texts import list_files_that_name

_ENDS_COMMAND = frozenset(("|", ">", ">>", "&&", "&", ";", "#", "2>&1"))
_CHOICE = re.compile(r"[\[{(<]([\w.-]+)([|/,][\w.-]+)+[\]})>]")
"""Words of which a reader takes one: `[bbox|freeform]`."""
_SETS = re.compile(r"^\s*(?:export\s+)?(\w+)=([^\s;$`(]+)", re.M)
_COUNTS = re.compile(r"\bfor\s+(\w+)\s+in\s+([^\s;$`(]+)")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_TEXTS = (".md", ".sh")
"""Those that show command lines, the most telling first."""
_MOST = 200


@lru_cache(maxsize=256)
def list_commands(project: Path, script: str) -> tuple[tuple[str, ...], ...]:
    """The arguments of all command lines with which a file of that name is started."""
    pattern = re.compile(rf"python3?\b[^\n|;]*?[ /]{re.escape(script)} +(.+)")
    texts = [each for each in list_files_that_name(project, {script}) if each[0].suffix in _TEXTS]
    texts.sort(key=lambda each: _TEXTS.index(each[0].suffix))
    found: list[tuple[str, ...]] = []
    for path, data in texts:
        text = re.sub(r"\\\r?\n", " ", data.decode("utf-8", "replace"))
        known = dict(_list_variables(text)) if path.suffix == ".sh" else {}
        found += (tuple(_split_command(match[1], known)) for match in pattern.finditer(text))
        if len(found) > _MOST:
            break
    return tuple(found[:_MOST])


def _list_variables(text: str) -> Iterator[tuple[str, str]]:
    """What names of a shell's script stand for, where it sets them once and plainly; of a loop the first."""
    yield from _COUNTS.findall(text)
    yield from ((name, value.strip("'\"")) for name, value in _SETS.findall(text))


def _split_command(text: str, known: Mapping[str, str]) -> list[str]:
    """The words of a command line; an option whose value is not known is left out."""
    arguments: list[str] = []
    try:
        words = shlex.split(text.strip("`"), comments=True)
    except ValueError:  # quotes that are not closed
        return arguments
    for word in words:
        if word in _ENDS_COMMAND:
            break
        word = _VARIABLE.sub(lambda match: known.get(match[1], match[0]), word)
        if "$" in word:
            if arguments and arguments[-1].startswith("-"):
                arguments.pop()
            continue
        choice = _CHOICE.fullmatch(word)
        arguments.append(choice[1] if choice else word.rstrip(";"))
    return arguments
