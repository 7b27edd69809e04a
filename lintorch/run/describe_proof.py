"""What came of verifying fixes, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lintorch.core.profile import enumerate_names
from lintorch.host.reports import Report
from lintorch.record.proofs import Change
from lintorch.report.compared_sizes import write_sizes
from lintorch.run.proof_bench import Verdict

_MOST_CHANGES = 3
NO_PIECE = (
    "it stands in no function, class or loop: no model runs it, and nothing calls it by itself"
)


def describe_equal(reports: Sequence[Report], verdicts: Iterable[Verdict]) -> str:
    """`UNet at 64, 97×129: outputs, gradients and state are equal, in eval and training mode; onnx: wrong → ok`."""
    told = {each.model: each for each in verdicts}
    parts = []
    for report in reports:
        assert report.model is not None
        assert report.observed is not None
        modes, seen = "outputs are equal in eval mode", report.observed
        if seen.trained:
            modes = "outputs, gradients and state are equal, in eval and training mode"
        if seen.steps is not None:
            parts.append(_describe_training(report.model.qualname, seen.steps))
            continue
        at = write_sizes(seen.sizes, report.model.sizes)
        verdict = told.get(report.model.qualname)
        further = [*dict.fromkeys(seen.left_out)]
        if verdict is not None:
            further = [*further, *verdict.gained, *(words for words, _ in verdict.exports)]
        more = f" ({'; '.join(further)})" if further else ""
        parts.append(f"{report.model.qualname} {at}: {modes}{more}")
    return "; ".join(parts)


def _describe_training(name: str, steps: int) -> str:
    often = {1: "once"}.get(steps, f"{steps} times")
    how = f"in which optimizers step {often}" if steps else "in which no optimizer steps"
    return (
        f"{name}, called with a small model and batches made up for it, {how}: weights, gradients,"
        " states of optimizers and what it returns are equal"
    )


def describe_verdicts(verdicts: Iterable[Verdict]) -> str:
    """What is not as it was: `UNet: output at … is 0.42 where it was 0.11, apart by 0.31`."""
    parts = []
    for verdict in verdicts:
        if verdict.failure:
            parts.append(verdict.failure)
        elif verdict.differs:
            told = [describe_change(each) for each in verdict.changes[:_MOST_CHANGES]]
            told += [f"of its state_dict, {each}" for each in verdict.keys]
            told += [words for words, _ in verdict.exports]
            parts.append(f"{verdict.model}: {'; '.join(told)}")
    return "; ".join(parts)


def describe_change(change: Change) -> str:
    """One thing that came out otherwise, with both numbers."""
    mode = "in training mode" if change.training else "in eval mode"
    sizes = f" at {','.join(change.sizes)} {'×'.join(map(str, change.sizes.values()))}"
    where = f" {mode}{sizes if change.sizes else ''}" if change.sizes or change.training else ""
    if change.amount is None:
        return f"{change.what}{where} {change.why}"
    return (
        f"{change.what}{where} differs by {change.amount:.3g} "
        f"({change.now:.6g} where it was {change.was:.6g})"
        f"{', by rounding: in float64 all numbers are the same' if change.exact else ''}"
    )


def describe_uncovered(reports: Sequence[Report], failures: Sequence[str]) -> str:
    """Why nothing is known of a fix: what ran, if anything, and does not run its lines."""
    names = [report.model.qualname for report in reports if report.model is not None]
    if names:
        more = f"; {failures[0]}" if failures else ""
        return f"no model that was run ({enumerate_names(names[:4])}) runs what it changes{more}"
    return failures[0] if failures else "no model was found that runs what it changes"
