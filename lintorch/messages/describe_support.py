"""Since which release a runtime takes what it refused, by the tables of targets."""

from __future__ import annotations

from collections.abc import Mapping

from lintorch.messages.recognise import Recognised
from lintorch.targets import Answer, Target, list_targets
from lintorch.targets.runtime_tables import load_family
from lintorch.targets.written_operators import find_first_opset

_SPELLINGS = ("torch.nn.functional.{}", "torch.{}", "torch.Tensor.{}", "torch.fft.{}")
_EXPORTERS = {"onnx-legacy": "the legacy exporter (dynamo=False)", "onnx": "dynamo=True"}


def describe_support(found: Recognised) -> str:
    """A sentence from the tables about the operator or opset of a message; "" where they say nothing."""
    if found.kind.table == "torch.onnx":
        return _describe_exporters(found.groups.get("torch", ""))
    if not found.kind.table:
        return ""
    if name := found.groups.get("torch", ""):
        return _describe_torch(found.kind.table, name)
    if found.kind.error == "opset":
        return _describe_opset(found.kind.table, found.groups)
    return _describe_operator(found.kind.table, found.operator, found.groups)


def _describe_opset(family: str, groups: Mapping[str, str]) -> str:
    opset = int(groups.get("opset", "0")[:4] or 0)
    if not opset:
        return ""
    first = next((t for t in _list_releases(family) if (t.highest or 0) >= opset), None)
    if first is None:
        newest = _list_releases(family)[-1]
        return f"no release of {family} up to {newest.version} is made for opset {opset}: export with opset_version={newest.highest} or lower"
    till = groups.get("till", "")
    lower = f", or export with opset_version={till}" if till else ""
    return f"{family} takes opset {opset} since {first.version}: upgrade it{lower}"


def _describe_operator(family: str, operator: str, groups: Mapping[str, str]) -> str:
    if not operator:
        return ""
    written = groups.get("opset", "")
    opset = int(written[:4]) if written.isdigit() else None
    releases = _list_releases(family)
    answers = [target.supports(operator, opset) for target in releases]
    known = [n for n, verdict in enumerate(answers) if verdict]
    as_of = f" as of opset {opset}" if opset else ""
    if not known:
        refused = answers[-1].answer is Answer.NO
        said = f"no release of {family} up to {releases[-1].version} takes it"
        return f"{operator}{as_of}: {said}, by its table" if refused else ""
    if known[0] == 0:
        return f"{operator}{as_of}: {family} takes it in all releases that its table has, from {releases[0].version} on, for some types and attributes"
    return f"{operator}{as_of}: {family} takes it since {releases[known[0]].version}, by its table"


def _describe_torch(family: str, name: str) -> str:
    newest = _list_releases(family)[-1]
    domain = newest.tables.names
    bare = name.removeprefix("aten::").removeprefix("aten.").removeprefix("torch.")
    verdict = newest.supports(bare, domain=domain)
    if verdict:
        return f"{bare}: {newest.name} takes it, by its table: upgrade from an older release"
    if verdict.answer is Answer.NO:
        return f"{bare}: {newest.name} does not take it either, by its table"
    return ""


def _describe_exporters(name: str) -> str:
    """From which opset on the ONNX exporters of torch write an operator of PyTorch."""
    bare = name.removeprefix("aten::").removeprefix("aten.").partition(".")[0].rstrip("_")
    bare = {"grid_sampler": "grid_sample", "upsample_bicubic2d": "interpolate"}.get(bare, bare)
    told = []
    for exporter, called in _EXPORTERS.items():
        spelled = (pattern.format(bare) for pattern in _SPELLINGS)
        firsts = [first for name in spelled if (first := find_first_opset(name, exporter))]
        if firsts:
            told.append(f"{called} writes it from opset {min(firsts)} on")
    return f"{bare}: {'; '.join(told)}, as measured with torch 2.13" if told else ""


def _list_releases(family: str) -> list[Target]:
    whole = {release.version for release in load_family(family).releases if not release.variant}
    return [t for t in list_targets() if t.family == family and t.version in whole]
