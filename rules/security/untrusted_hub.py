"""LT702: code of somebody else's repository is fetched and run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.file_views import read_bytes
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.values import TRUE
from lintorch.facts.classes.written_once import find_written
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT702",
    summary="remote code run without a pinned revision",
    why="""
        torch.hub.load("owner/repo", ...) fetches the default branch and runs its hubconf.py;
        `trust_remote_code=True` does the same with the files beside a model. Without a revision
        whoever can push to that repository decides what runs on your machines. A tag may be moved;
        a full commit hash may not: `"owner/repo:<commit>"`, `revision="<commit>"`. Of owners whom
        torch.hub itself trusts without a question (pytorch, facebookresearch) it is advice.
    """,
    bad="""
        import torch

        model = torch.hub.load("owner/nets", "resnet18")
    """,
    good="""
        import torch

        model = torch.hub.load("owner/nets:v1.2", "resnet18")
    """,
    remedy="pin a commit",
    unproven="""
        It takes a network to fetch a repository. That what is fetched runs is what the
        functions are for.
    """,
    severity=Severity.WARNING,
)

_HUB = frozenset(("torch.hub.load", "torch.hub.help", "torch.hub.list"))
_TRUSTED = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")
"""Owners whose code torch.hub runs without a question."""
_PINNED = re.compile(r":(?!(main|master)$)\S+$")
"""A branch that moves is no pin."""
_LOADS_CODE = re.compile(r"^(Auto\w+|\w+Pipeline)$")
"""Classes whose from_pretrained may run code from beside the model; others are what they are."""
_UNPINNED = "trust_remote_code=True without a revision runs whatever code is there today"
_PIN = 'pin a commit: revision="COMMIT"'
_REPOSITORY = re.compile(r"^[\w.-]+/[\w.-]+(:\S+)?$")


@rule.source(cst.Call, needs=("torch.hub.", "import hub"))
def of_hub(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) not in _HUB:
        return
    given = source.arguments(call, "repo_or_dir", "github") if call.args else None
    if given is None or given.value("source", "github") != "github":
        return
    repository = literal(given.get("repo_or_dir") or given.get("github"))
    if (
        isinstance(repository, str)
        and _REPOSITORY.match(repository)
        and not _PINNED.search(repository)
        and not _is_own(
            literal(source.arguments(call, "repo_or_dir", "model").get("model")), source
        )
    ):
        remedy = f'pin "{repository.partition(":")[0]}:TAG", or ":COMMIT" and skip_validation=True'
        said = f"runs whatever code {repository} holds today: no revision is pinned"
        owner = repository.partition("/")[0].lower()
        yield Hit(call, said, remedy=remedy, severity=Severity.NOTE if owner in _TRUSTED else None)


def _is_own(model: object, source: Source) -> bool:
    """Whether the project's own hubconf.py gives that model: the code is the author's."""
    folder = os.path.dirname(os.path.abspath(source.path))
    while isinstance(model, str) and folder != os.path.dirname(folder):
        path = os.path.join(folder, "hubconf.py")
        source.consulted.add(path)
        if os.path.isfile(path):
            return (
                re.search(rf"\b{re.escape(model)}\b", read_bytes(path).decode("latin-1"))
                is not None
            )
        folder = os.path.dirname(folder)
    return False


@rule.source(cst.Call, needs=("trust_remote_code",))
def of_pretrained(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "from_pretrained":
        return
    if not _LOADS_CODE.match(source.name(func.value).rpartition(".")[2]):
        return
    given = source.arguments(call, "name")
    if _is_folder(call, source):
        return
    trusted = given.value("trust_remote_code", False) is True
    if trusted and given.complete and not {"revision", "code_revision"} & given.by_name.keys():
        yield Hit(call, _UNPINNED, remedy=_PIN)


@rule.source(cst.Call, needs=("trust_remote_code",))
def of_options(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`AutoModel.from_pretrained(name, **options)` of options that hold it."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "from_pretrained":
        return
    if all(each.star != "**" for each in call.args) or _is_folder(call, source):
        return
    place = source.place(call)
    for reached in source.evaluation.reached:
        for event in reached.events:
            if event.spot.row == place.row and _takes_trust(event, source):
                yield Hit(call, _UNPINNED, remedy=_PIN)
                return


def _is_folder(call: cst.Call, source: Source) -> bool:
    """Whether the model is in a folder of this machine, of which there are no revisions."""
    first = find_written(call.args[0].value, source) if call.args else None
    name = literal(first)
    if isinstance(name, str):
        return name.startswith((".", "/", "~"))
    made = source.name(first.func) if isinstance(first, cst.Call) else ""
    return made in ("os.path.join", "os.path.abspath", "os.path.expanduser", "pathlib.Path")


def _takes_trust(event: Occurrence, source: Source) -> bool:
    """Whether a call of a loader is given trust, and no revision."""
    if not isinstance(event, Called) or not event.name.endswith(".from_pretrained"):
        return False
    loader = event.name.removesuffix(".from_pretrained").rpartition(".")[2]
    may_pin = "revision" in source.text if event.open else "revision" in event.keyword
    return (
        bool(_LOADS_CODE.match(loader))
        and event.keyword.get("trust_remote_code") == TRUE
        and not may_pin
        and "code_revision" not in event.keyword
    )
