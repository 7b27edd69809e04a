"""Since which release a runtime takes what it refused, by the tables of targets."""

from __future__ import annotations

from collections.abc import Mapping

from lintorch.messages.describe_exporters import describe_exporters
from lintorch.messages.read_releases import Releases
from lintorch.messages.recognise import Recognised
from lintorch.targets import Answer, Target, list_targets
from lintorch.targets.opset_history import is_standard
from lintorch.targets.runtime_tables import load_family

_UNREAD = "tensorrt/no-plugin"
_TYPES = "float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool"


def describe_support(found: Recognised, releases: Releases = Releases()) -> str:  # noqa: B008 - frozen
    """A sentence from the tables about the operator or opset of a message; "" where they say nothing.

    It speaks of the release that the log names, too.
    """
    if found.kind.table == "torch.onnx":
        return describe_exporters(found.groups.get("torch", ""))
    if not found.kind.table:
        return ""
    if name := found.groups.get("torch", ""):
        return _describe_torch(found.kind.table, name)
    if found.kind.error == "opset":
        return _describe_opset(found.kind.table, found.groups)
    if not found.operator:
        return ""
    told = _describe_operator(found.kind.table, found.operator, found.groups)
    own = _describe_own(found, releases)
    return f"{told}; {own}" if told and own else told


def _describe_opset(family: str, groups: Mapping[str, str]) -> str:
    opset = int(groups.get("opset", "0")[:4] or 0)
    if groups.get("ir"):
        return _describe_format(family, int(groups["ir"]))
    if not opset or groups.get("domain", "ai.onnx") != "ai.onnx":
        return ""
    first = next((t for t in _list_releases(family) if (t.highest or 0) >= opset), None)
    if first is None:
        newest = _list_releases(family)[-1]
        return f"no release of {family} up to {newest.version} is made for opset {opset}: export with opset_version={newest.highest} or lower"
    till = groups.get("till", "")
    lower = f", or export with opset_version={till}" if till else ""
    return f"{family} takes opset {opset} since {first.version}: upgrade it{lower}"


def _describe_own(found: Recognised, releases: Releases) -> str:
    """Of the release that wrote the log."""
    own = releases.find(found.kind.table)
    if own is None:
        return ""
    verdict = own.supports(found.operator, _read_opset(found.groups) or releases.opset)
    if verdict.answer is Answer.NO:
        return f"the log is of {own.name}, which does not"
    if verdict and found.kind.full_name == _UNREAD:
        return f"the log is of {own.name}, which does: its reader of ONNX files (nvonnxparser) was loaded from another, older installation"
    if verdict:
        return f"the log is of {own.name}, which does: types, attributes or sizes are at fault"
    return f"the log is of {own.name}"


def _read_opset(groups: Mapping[str, str]) -> int | None:
    written = groups.get("opset", "")
    return int(written[:4]) if written.isdigit() else None


def _describe_format(family: str, version: int) -> str:
    takes = (t for t in _list_releases(family) if (t.release.ir or 0) >= version)
    first = next(takes, None)
    return f"{family} reads IR version {version} since {first.version}" if first else ""


def _describe_operator(family: str, operator: str, groups: Mapping[str, str]) -> str:
    opset = _read_opset(groups)
    releases = _list_releases(family)
    answers = [target.supports(operator, opset) for target in releases]
    named = f"{operator} as of opset {opset}" if opset else operator
    first = next((n for n, verdict in enumerate(answers) if verdict), None)
    if first is None:
        known = is_standard(operator) and answers[-1].answer is Answer.NO
        newest = releases[-1]
        alone = len(releases) == 1
        every = f"no release of {family} up to {newest.version} takes it"
        said = f"{newest.name} does not take it" if alone else every
        return f"{named}: {said}, by its table" if known else ""
    since = releases[first].version
    types = _describe_types(releases[-1], operator, opset)
    if first and answers[first - 1].answer is Answer.NO:
        return f"{named}: {family} takes it since {since}, by its table{types}"
    return f"{named}: {family} takes it in {since} and later; of releases before that the table says nothing{types}"


def _describe_types(newest: Target, operator: str, opset: int | None) -> str:
    """The types of the first input that the newest release takes, where it refuses some."""
    verdicts = {name: newest.supports(operator, opset, types=(name,)) for name in _TYPES}
    if all(verdicts.values()) or not any(verdicts.values()):
        return ""
    taken = ", ".join(name for name, verdict in verdicts.items() if verdict)
    return f"; {newest.name} for inputs of {taken}"


def _describe_torch(family: str, name: str) -> str:
    if "::" in name and not name.startswith("aten::"):
        return ""  # of a library of its own, as llama::sdpa_with_kv_cache
    newest = _list_releases(family)[-1]
    domain = newest.tables.names
    bare = name.removeprefix("aten::").removeprefix("aten.").removeprefix("torch.")
    verdict = newest.supports(bare, domain=domain)
    if verdict:
        return f"{bare}: {newest.name} takes it, by its table: upgrade from an older release"
    if verdict.answer is Answer.NO:
        return f"{bare}: {newest.name} does not take it either, by its table"
    return ""


def _list_releases(family: str) -> list[Target]:
    whole = {release.version for release in load_family(family).releases if not release.variant}
    return [t for t in list_targets() if t.family == family and t.version in whole]
