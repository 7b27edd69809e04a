"""What has changed between two records of exports: what broke, what was mended, what came and went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lintorch.report.matrix import OK, STOPPED, UNAVAILABLE, WRONG
from lintorch.report.record_cells import Trial, name_column, write_cell

Record = dict[str, Any]
"""All that an export came to, as docs/export.md describes it, ready for JSON."""
Change = dict[str, Any]
"""`{kind, worse, message, since}`: `worse` tells that it is no longer as good as it was."""
NEW, GONE, MENDED, GREW, LIMITED, OTHERWISE = (
    "new", "gone", "mended", "grew", "holds for less", "fails otherwise",
)  # fmt: skip
_GREW_WRONG, _GREW_RIGHT, _NEAR = 1.5, 4.0, 0.1
"""Times that a difference is larger where it was beyond the tolerance; where it was within it, if it is more than a tenth of it."""


def mark_changes(record: Record, before: Mapping[str, Any], since: str) -> Record:
    """The record with a `change` in each trial that is not as it was, and all of them as `changes`.

    `since` names what it is compared with. A trial is known by model, exporter, target and what
    stands under its column.
    """
    old = _by_key(before["trials"])
    told: Counter[tuple[str, ...]] = Counter()
    trials = []
    for trial in record["trials"]:
        key = _key(trial)
        earlier = old.get(key, [])[told[key] : told[key] + 1]
        told[key] += 1
        change = _compare(earlier[0], trial) if earlier else _tell_new(trial, before)
        trials.append({**trial, "change": change and {**change, "since": since}})
    gone = [*_list_gone(record, old, told)]
    changed = [trial["change"] for trial in trials if trial["change"]] + gone
    counts = Counter(change["kind"] for change in changed)
    worse = sum(change["worse"] for change in changed)
    about = {"since": since, "worse": worse, "counts": dict(counts.most_common()), "gone": gone}
    return {**record, "trials": trials, "changes": about}


def _by_key(trials: Sequence[Trial]) -> dict[tuple[str, ...], list[Trial]]:
    grouped: dict[tuple[str, ...], list[Trial]] = defaultdict(list)
    for trial in trials:
        grouped[_key(trial)].append(trial)
    return grouped


def _key(trial: Trial) -> tuple[str, ...]:
    return trial["model"], trial["exporter"], trial["target"] or ""


def _make(kind: str, worse: bool, message: str) -> Change:
    return {"kind": kind, "worse": worse, "message": message}


def _tell_new(trial: Trial, before: Mapping[str, Any]) -> Change:
    known = any(model["model"] == trial["model"] for model in before["models"])
    what = "was not tried with it" if known else "was not there"
    return _make(NEW, trial["status"] != OK, f"{what}; now {write_cell(trial)}")


def _compare(old: Trial, new: Trial) -> Change | None:
    """What is to be said of a trial that was made before, too; None where all is as it was."""
    was, now = old["status"], new["status"]
    words = f"was {write_cell(old)}, now {write_cell(new)}"
    if was != now:
        return _make(MENDED, False, words) if now == OK else _make(f"newly {now}", True, words)
    if now == WRONG:
        return _compare_wrong(old, new, words)
    if now == OK:
        return _compare_right(old, new, words)
    if now in (STOPPED, UNAVAILABLE) or _describe_failure(old) == _describe_failure(new):
        return None
    return _make(OTHERWISE, False, f"was: {old['message']}; now: {new['message']}")


def _describe_failure(trial: Trial) -> tuple[Any, ...]:
    """What a failure is known by, whatever numbers stand in its message and wherever its line has moved to."""
    codes = sorted({finding["code"] for finding in trial["findings"]})
    return trial["stage"], trial["operators"], trial["part"], codes


def _compare_wrong(old: Trial, new: Trial, words: str) -> Change | None:
    was, now = _find_worst(old), _find_worst(new)
    if was is not None and now is not None and now > _GREW_WRONG * was:
        return _make(GREW, True, words)
    sizes = [[each["sizes"] for each in trial.get("wrong", [])] for trial in (old, new)]
    further = [at for at in sizes[1] if at not in sizes[0] and at in old["compared"]]
    if further and sizes[0]:
        return _make(GREW, True, f"also wrong at {'; '.join(map(_write_sizes, further))}")
    return None


def _find_worst(trial: Trial) -> float | None:
    amounts = [each["amount"] for each in trial.get("wrong", []) if each["amount"] is not None]
    return max(amounts, default=None)


def _compare_right(old: Trial, new: Trial, words: str) -> Change | None:
    limits = [{limit["condition"] for limit in trial["limits"]} for trial in (old, new)]
    fewer = len(new["compared"]) == 1 < len(old["compared"])
    if limits[1] - limits[0] or fewer:
        return _make(LIMITED, True, words)
    was, now = _find_share(old), _find_share(new)
    if was is not None and now is not None and now > max(_NEAR, _GREW_RIGHT * was):
        told = f"its largest difference was {was:.2g} of what is tolerated, now it is {now:.2g}"
        return _make(GREW, False, told)
    return None


def _find_share(trial: Trial) -> float | None:
    """The largest difference as a share of what is tolerated."""
    shares = [
        each["amount"] / each["tolerance"]
        for each in trial.get("differences", [])
        if each["amount"] is not None and each["tolerance"]
    ]
    return max(shares, default=None)


def _write_sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


def _list_gone(
    record: Record, old: Mapping[tuple[str, ...], list[Trial]], told: Mapping[tuple[str, ...], int]
) -> Iterator[Change]:
    """Trials that there are no more; one whose model no longer runs is worse off."""
    stopped = {model["model"]: model["cause"] for model in record["models"] if model.get("cause")}
    for key, trials in old.items():
        for trial in trials[told.get(key, 0) :]:
            cause = stopped.get(trial["model"])
            what = f"the model does not run any more: {cause}" if cause else "is not tried any more"
            worse = cause is not None and trial["status"] == OK
            change = _make(GONE, worse, f"was {write_cell(trial)}; {what}")
            yield {"model": trial["model"], "column": name_column(trial), **change}
