"""From a row of a table to a verdict on one use of an operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lintorch.targets import opset_history
from lintorch.targets.runtime_tables import Release, Row
from lintorch.targets.verdict import About, Answer, Verdict

_OVERLOADS = ("default", "Tensor", "Scalar")


def list_spellings(operator: str, names: str) -> Iterator[str]:
    """The names that a table may have an operator by; those of aten differ from table to table."""
    yield operator
    if names != "aten":
        return
    bare = operator.removeprefix("aten::").removeprefix("aten.")
    base = bare.partition(".")[0]
    for prefix in ("", "aten::"):
        yield from (f"{prefix}{bare}", f"{prefix}{base}")
    yield f"aten.{bare}"
    yield from (f"aten.{base}.{overload}" for overload in _OVERLOADS)


def judge_operator(
    name: str, row: Row | None, since: int | None, opset: int | None, target: str, release: Release
) -> Verdict:
    """Whether the operator is there, as the opset that defined it last (`since`) means it."""
    if row is None:
        return _judge_absent(name, since, target, release)
    if row["supported"] is None:
        return Verdict(Answer.UNKNOWN, f"trying {name} on {target} told nothing")
    if not row["supported"]:
        return Verdict(Answer.NO, _explain_missing(name, row, target))
    answer = _judge_version(name, row, since, opset)
    if answer is Answer.NO:
        return Verdict(answer, f"{target} has no {name} as of opset {since}", About.VERSION)
    if answer is Answer.UNKNOWN:
        return Verdict(answer, f"{name} as of opset {since} was not tried", About.VERSION)
    disputed = row.get("documented") == "N"
    said = f"{target} has {name}, but its documentation says that it has not" if disputed else ""
    return Verdict(Answer.YES, said, disputed=disputed)


def judge_use(
    verdict: Verdict,
    row: Row,
    since: int | None,
    types: Sequence[str],
    rank: int | None,
    casts: Mapping[str, str],
    target: str,
) -> Verdict:
    """The verdict on an operator that is there, in view of its first input."""
    taken = _list_types(row, since)
    if types and taken and types[0] not in taken and casts.get(types[0]) not in taken:
        reason = f"{target} takes {', '.join(taken)} there, not {types[0]}"
        return replace(verdict, answer=Answer.NO, reason=reason, about=About.TYPE)
    low, high = row.get("rank", (0, None))
    if rank is not None and (rank < low or (high is not None and rank > high)):
        spelled = f"{low}" if low == high else f"{low} to {high}"
        reason = f"{target} takes {spelled} dimensions there, not {rank}"
        return replace(verdict, answer=Answer.NO, reason=reason, about=About.RANK)
    return verdict


def _judge_absent(name: str, since: int | None, target: str, release: Release) -> Verdict:
    if not release.complete:
        return Verdict(Answer.UNKNOWN, f"nothing is known of {name} on {target}")
    if since is not None and release.limit == "refused" and opset_history.has_body(name, since):
        return Verdict(Answer.UNKNOWN, f"{target} may write {name} out as other operators")
    return Verdict(Answer.NO, f"{target} has no {name}")


def _explain_missing(name: str, row: Row, target: str) -> str:
    said = f"{target} has no {name}"
    return f"{said}, whatever its documentation says" if row.get("documented") == "Y" else said


def _judge_version(name: str, row: Row, since: int | None, opset: int | None) -> Answer:
    """Whether the operator is there as a certain opset defined it; yes where the row does not tell."""
    if since is None or opset is None:
        return Answer.YES
    if since in row.get("missing", ()):
        return Answer.NO
    if "kernels" in row or "ran" in row:
        found = _find_kernel(row, since) is not None or since in row.get("ran", ())
        return Answer.YES if found else Answer.UNKNOWN
    if "ran_opset" in row or "failed_opset" in row:
        ran = {opset_history.find_definition(name, each) for each in row.get("ran_opset", ())}
        return Answer.YES if since in ran else Answer.UNKNOWN
    if "versions" in row:
        return Answer.YES if since in row["versions"] else Answer.UNKNOWN
    if "range" in row:
        low, high = row["range"]
        return Answer.YES if low <= opset <= high else Answer.UNKNOWN
    return Answer.YES


def _find_kernel(row: Row, since: int) -> Sequence[object] | None:
    """The kernel for a definition: one without upper bound is only for the one it names."""
    for kernel in row.get("kernels", ()):
        begin, end = kernel[:2]
        if begin == since or (end is not None and begin <= since <= end):
            found: Sequence[object] = kernel
            return found
    return None


def _list_types(row: Row, since: int | None) -> Sequence[str]:
    """The types its first input may have; () where unknown."""
    kernel = _find_kernel(row, since) if since is not None else None
    if kernel is not None and len(kernel) > 2:
        found: Sequence[str] = kernel[2]  # type: ignore[assignment]
        return found
    listed: Sequence[str] = row.get("types", ())
    return listed
