"""The kinds of messages that are known, as they lie in `data/`, one file for each runtime."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Rank = Literal["cause", "broad", "general", "last", "symptom", "note", "class", "place"]
"""What a message is worth beside others: it tells the cause; it tells what is wrong by its words alone, and
counts where no cause of its runtime is known; it names runtime and node alone; it names
the runtime alone, and counts where nothing else is known; it only follows from another one; it is no error;
it is known by its class of error alone, or by the source file that it names, and asked for apart."""
_DATA = Path(__file__).with_name("data")


@dataclass(frozen=True)
class Kind:
    """One kind of message. `needs` are words in lower case, one of which stands in every such message;
    `pattern` is looked for around them.

    Groups of the pattern may be called `operator`, `node`, `opset`, `since`, `torch` (an operator of
    PyTorch) or `input`. `rules` are names of rules that speak of the hazard behind it.
    """

    runtime: str
    name: str
    error: str
    """What is wrong, in a word: `operator`, `opset`, `type`, `sizes`, `input`, `file`, …"""
    heading: str
    needs: tuple[str, ...]
    written: str
    """The pattern as it is written; "" where the word alone tells."""
    cause: str
    remedy: str
    rank: Rank = "cause"
    rules: tuple[str, ...] = ()
    operator: str = ""
    """The operator that messages of this kind are about, where they do not name it."""
    table: str = ""
    """The runtime whose tables tell since when operator or opset is taken; "" where they do not help."""
    more: str = ""
    """What to do to learn more, where that differs from what holds for the runtime."""
    compiled: str = ""
    """What to write instead where torch.compile speaks, and not torch.export; "" where it is the same."""
    shared: bool = False
    """Whether other programs say the same words: they count only where the log can be of this one."""
    named: bool = False
    """Whether its words are of everyday use: they count only where the log holds words of this program."""
    yields_to: tuple[str, ...] = ()
    """Full names of kinds that outweigh it where they are told: they say the same more exactly.
    `torch.export/*` is every cause of that runtime."""

    @functools.cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Compiled when a text first holds one of the words: most of the thousands never are."""
        return re.compile(self.written) if self.written else None

    @property
    def full_name(self) -> str:
        """`onnxruntime/reshape`."""
        return f"{self.runtime}/{self.name}"


@dataclass(frozen=True)
class Runtime:
    """A runtime or exporter and the kinds of its messages. `marks` are words that only its logs hold."""

    name: str
    title: str
    introduction: str
    marks: tuple[str, ...]
    more: str
    """What to do to learn more, where a message says too little."""
    own_line: bool
    """Whether the last line of the user's in a traceback is the one that is to blame."""
    exporters: tuple[str, ...]
    """The exporters that its messages are of; () where they come after the export."""
    contexts: tuple[re.Pattern[str], ...]
    """What names operator and node somewhere around a message."""
    kinds: tuple[Kind, ...] = field(default=())


@functools.cache
def load_runtimes() -> tuple[Runtime, ...]:
    """All of `data/`, by file name; a file without a title holds more kinds of its runtime."""
    tables = [parse_toml(path) for path in sorted(_DATA.glob("*.toml"))]
    heads = [table for table in tables if "title" in table]
    return tuple(_read_runtime(head, _list_kinds(head["runtime"], tables)) for head in heads)


def _list_kinds(runtime: str, tables: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [kind for table in tables if table["runtime"] == runtime for kind in table["kind"]]


def _read_runtime(table: Mapping[str, Any], kinds: Sequence[Mapping[str, Any]]) -> Runtime:
    name = table["runtime"]
    return Runtime(
        name,
        table["title"],
        table["introduction"],
        tuple(table.get("marks", ())),
        table["more"],
        table.get("own_line", False),
        tuple(table.get("exporters", ())),
        tuple(re.compile(each) for each in table.get("contexts", ())),
        tuple(_read_kind(name, each) for each in kinds),
    )


def _read_kind(runtime: str, table: Mapping[str, Any]) -> Kind:
    given: dict[str, Any] = dict(table)
    for key in ("needs", "rules", "yields_to"):
        given[key] = tuple(given.get(key, ()))
    for key in ("cause", "remedy", "more", "compiled"):
        given[key] = " ".join(given.get(key, "").split())
    return Kind(runtime, written=given.pop("pattern", ""), **given)


def parse_toml(path: Path) -> dict[str, Any]:
    """The tables of a file that comes with lintorch."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    return tomllib.loads(path.read_text("utf-8"))
