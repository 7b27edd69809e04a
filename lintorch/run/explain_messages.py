"""What is known of the messages of runtimes and exporters in a log, and where the project has their causes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lintorch.core.finding import Finding
from lintorch.messages import Recognised, Releases, describe_support
from lintorch.onnx_file import NoNodeError, OnnxFileError
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.explain_node import explain_node
from lintorch.run.given_files import list_files
from lintorch.run.narrow_findings import narrow_findings
from lintorch.run.node_answer import NodeAnswer
from lintorch.run.read_export_log import LoggedWarning
from lintorch.run.request import CheckRequest, ExplainRequest, Progress
from lintorch.run.scope import Scope

_PARTS = re.compile(r"\s\+\s|\.\.\.")
_MOST_NODES = 6
_MOST_FILES = 1_000
"""Files below the working directory, where none are named, that are looked at for a message's causes."""


@dataclass(frozen=True)
class ExplainedMessage:
    """A known message: what tables say of it, its node in the .onnx file, and lines of the project.

    `findings` are of the rules that speak of its hazard, those of the most likely rule first; `files`
    is how many files they were looked for in.
    """

    found: Recognised
    support: str = ""
    node: NodeAnswer | None = None
    rules: tuple[tuple[str, str], ...] = ()
    """Code and name of each rule that speaks of the hazard."""
    findings: tuple[Finding, ...] = ()
    files: int = 0
    notes: tuple[str, ...] = field(default=())
    caller: LoggedWarning | None = None
    """The last line of the user's in the traceback that the message ends."""


@dataclass(frozen=True)
class _Places:
    """Where the causes of messages are looked for; the folder is listed once, where any message asks."""

    request: ExplainRequest
    named: tuple[str, ...]

    @cached_property
    def narrowed(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files to look at where nothing was named; with a note where the folder holds very many."""
        paths, request = _list_places(self.request), self.request
        if paths != (".",):
            return paths, ()
        asked = CheckRequest(paths, settings=request.settings, config=request.config)
        files = len(list_files(asked, Scope(asked)).paths)
        if files <= _MOST_FILES:
            return paths, ()
        folders = dict.fromkeys(os.path.dirname(path) or "." for path in self.named)
        near = tuple(
            os.path.join(folder, name)
            for folder in folders
            for name in sorted(os.listdir(folder))
            if name.endswith((".py", ".ipynb"))
        )
        which = "those beside the files that the log names alone were" if near else "none was"
        note = (
            f"{files} files lie below the working directory, and {which} looked at: "
            "name files or folders of the project behind the log"
        )
        return near, (note,)


def explain_messages(
    found: Sequence[Recognised],
    releases: Releases,
    request: ExplainRequest,
    progress: Progress,
    named: Sequence[str] = (),
) -> tuple[tuple[ExplainedMessage, ...], tuple[str, ...]]:
    """Look the messages up in tables, file and project; with notes about what was left undone.

    Lints the files below `request.paths`, else those below the working directory, for the releases
    that the log names; of a folder with very many, those in the folders of `named`, the files of
    the project that the log names. Raises SettingsError or CatalogError.
    """
    begun = (ExplainedMessage(each, describe_support(each, releases)) for each in found)
    explained = [_add_node(each, request, progress) for each in begun]
    places = _Places(request, tuple(named))
    told = [
        _add_findings(each, releases, request, progress, places) for each in _share_rules(explained)
    ]
    notes = dict.fromkeys(note for each in told for note in each.notes)
    return tuple(told), tuple(notes)


def _share_rules(explained: Sequence[ExplainedMessage]) -> list[ExplainedMessage]:
    """A rule is looked for once, for the first error that it speaks of."""
    seen: set[str] = set()
    shared = []
    for each in explained:
        is_note = each.found.kind.rank == "note"
        names = [name for name in each.found.kind.rules if name not in seen and not is_note]
        seen.update(names)
        shared.append(replace(each, rules=tuple(("", name) for name in names)))
    return shared


def _add_node(
    message: ExplainedMessage, request: ExplainRequest, progress: Progress
) -> ExplainedMessage:
    """The line behind the node that it names, where an .onnx file is given that has the node."""
    if not message.found.node or not request.place.endswith(".onnx"):
        return message
    notes = []
    for name in _list_names(message.found.node):
        try:
            node = explain_node(request.place, name, request, progress)
            return replace(message, node=node)
        except NoNodeError as error:
            notes.append(f"{request.place}: {error}")
        except (OnnxFileError, OSError) as error:
            cause = error.strerror if isinstance(error, OSError) else str(error)
            return replace(message, notes=(f"{request.place}: {cause}",))
    return replace(message, notes=tuple(notes[:1]))


def _list_names(node: str) -> list[str]:
    """The names in what TensorRT calls a part: `{ForeignNode[a...b + c]}`; the last ones come first."""
    if "ForeignNode[" not in node:
        return [node]
    inner = node.partition("ForeignNode[")[2].rstrip("}]")
    return [part.strip() for part in reversed(_PARTS.split(inner)) if part.strip()][:_MOST_NODES]


def _add_findings(
    message: ExplainedMessage,
    releases: Releases,
    request: ExplainRequest,
    progress: Progress,
    places: _Places,
) -> ExplainedMessage:
    names = [name for _, name in message.rules]
    if not names or (message.node and message.node.line):
        return message
    exporters = request.models.exporters or message.found.runtime.exporters
    settings = {**_name_releases(releases), **request.settings, "select": tuple(names)}
    if exporters:
        settings["exporters"] = tuple(exporters)
    paths, notes = places.narrowed
    asked = CheckRequest(paths, settings=settings, jobs=request.jobs, config=request.config)
    scope = Scope(asked)
    codes = {name: code for code, name in scope.catalog.names.items()}
    checked = check_files(asked, scope, progress)
    return replace(
        message,
        rules=tuple((codes[name], name) for name in names),
        findings=narrow_findings(_order_findings(checked, names), checked.texts, message.found),
        files=checked.files,
        notes=(*message.notes, *notes, *checked.errors, *checked.notes),
    )


def _name_releases(releases: Releases) -> dict[str, Any]:
    """What a log says of releases, as settings."""
    named: dict[str, Any] = {"target": tuple(target.name for target in releases.targets)}
    named["opset"] = releases.opset
    return {key: value for key, value in named.items() if value}


def _list_places(request: ExplainRequest) -> tuple[str, ...]:
    place = request.place
    named = (place,) if place and not place.endswith(".onnx") else ()
    return named + request.paths or (".",)


def _order_findings(checked: CheckedFiles, names: Sequence[str]) -> tuple[Finding, ...]:
    told = [each for each in checked.standing if each.name in names]
    return tuple(sorted(told, key=lambda each: names.index(each.name)))
