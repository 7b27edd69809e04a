"""The first release of a runtime that takes an opset and all operators of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.targets.runtime_tables import Release, list_families, load_family
from lintorch.targets.target import Target
from lintorch.targets.target_names import find_target
from lintorch.targets.verdict import About, Answer

_IR = {7: 3, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 19: 9, 20: 9}
"""The IR version that came with an opset; 8 with those between, 10 from 21 on (onnx.helper)."""
OPSET, FILE = "opset", "IR version"


@dataclass(frozen=True)
class OperatorNeed:
    """An operator of ONNX that a model holds; `types` and `rank` of its inputs where they are known."""

    name: str
    domain: str = ""
    types: tuple[str, ...] = ()
    rank: int | None = None


@dataclass(frozen=True)
class FirstRelease:
    """From which release on a runtime takes a model, as far as its tables tell.

    `version` is None where no release is known to. `reasons` say what earlier releases, or all,
    lack or are not known to have: names of operators, "opset 16", "IR version 10". `unsure`:
    earlier releases are only not known to take it. `documented`: for some operator a release was
    never tried, and its documentation promises all operators of that opset.
    """

    family: str
    version: str | None
    reasons: tuple[str, ...] = ()
    unsure: bool = False
    documented: bool = False
    takes: Answer | None = None
    """Of a release that was asked about by itself, whether it takes the model; `version` is that release."""

    @property
    def is_known(self) -> bool:
        """Whether a release is known to take the model: the one asked about, or any."""
        return self.version is not None and self.takes in (None, Answer.YES)


@dataclass(frozen=True)
class _Judged:
    answer: Answer
    reasons: tuple[str, ...] = ()
    documented: bool = False


def file_version(opset: int) -> int:
    """The IR version that a file of this opset has where nothing else is asked for."""
    return _IR.get(opset, 10 if opset > 20 else 8)


def find_first_release(
    runtime: str, needs: Sequence[OperatorNeed], opset: int, ir: int
) -> FirstRelease:
    """The first release after which all, and itself, take the model; or what a single one, `tensorrt-8.6`, makes of it."""
    if runtime not in list_families():
        return _judge_one(find_target(runtime), needs, opset, ir)
    releases = [each for each in load_family(runtime).releases if not each.variant]
    judged = [_judge_release(runtime, each, needs, opset, ir) for each in releases]
    begin = len(judged)
    while begin and judged[begin - 1].answer is not Answer.NO:
        begin -= 1
    first = next((n for n in range(begin, len(judged)) if judged[n].answer is Answer.YES), None)
    if first is None:
        told = judged[-1]
        return FirstRelease(runtime, None, told.reasons, told.answer is Answer.UNKNOWN)
    before = judged[first - 1] if first else _Judged(Answer.UNKNOWN)
    unsure = before.answer is Answer.UNKNOWN
    documented = judged[first].documented
    return FirstRelease(runtime, releases[first].version, before.reasons, unsure, documented)


def _judge_one(target: Target, needs: Sequence[OperatorNeed], opset: int, ir: int) -> FirstRelease:
    judged = _judge_release(target.family, target.release, needs, opset, ir)
    unsure = judged.answer is Answer.UNKNOWN
    return FirstRelease(
        target.family, target.version, judged.reasons, unsure, judged.documented, judged.answer
    )


def _judge_release(
    family: str, release: Release, needs: Sequence[OperatorNeed], opset: int, ir: int
) -> _Judged:
    """No where anything is known to be missing, unknown where anything is unknown."""
    answers = [_judge_opset(release, opset)]
    if release.ir is not None and ir > release.ir:
        answers.append(_Judged(Answer.NO, (f"{FILE} {ir}",)))
    target = Target(family, release.version)
    if answers == [_Judged(Answer.YES)]:
        answers += (_judge_need(target, need, opset) for need in needs)
    for answer in (Answer.NO, Answer.UNKNOWN):
        if found := [each for each in answers if each.answer is answer]:
            return _Judged(answer, tuple(dict.fromkeys(r for each in found for r in each.reasons)))
    return _Judged(Answer.YES, (), any(each.documented for each in answers))


def _judge_opset(release: Release, opset: int) -> _Judged:
    said = (f"{OPSET} {opset}",)
    if release.lowest is not None and opset < release.lowest:
        return _Judged(Answer.NO, said)
    low, high = release.bounds or (release.highest, release.highest)
    if high is None:
        return _Judged(Answer.YES) if release.limit == "none" else _Judged(Answer.UNKNOWN, said)
    if opset > high:
        return _Judged(Answer.NO, said)
    return (
        _Judged(Answer.YES) if low is not None and opset <= low else _Judged(Answer.UNKNOWN, said)
    )


def _judge_need(target: Target, need: OperatorNeed, opset: int) -> _Judged:
    verdict = target.supports(need.name, opset, need.domain, need.types, need.rank)
    if verdict:
        return _Judged(Answer.YES)
    untried = verdict.answer is Answer.UNKNOWN and verdict.about is About.VERSION
    if untried and target.tables.promise:
        return _Judged(Answer.YES, documented=True)
    said = f"{need.name} of {need.types[0]}" if verdict.about is About.TYPE else need.name
    return _Judged(verdict.answer, (said,))
