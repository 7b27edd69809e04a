"""What is said of each model of a record below its matrix: all that is wrong, at its line, and what mends it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lintorch.report.characters import join_lines
from lintorch.report.matrix import LOSSY, OK, WRONG
from lintorch.report.matrix_losses import read_loss, write_loss
from lintorch.report.record_cells import Trial, is_random, name_export

Location = Mapping[str, Any]
"""`{filename, cell, row}`."""


@dataclass(frozen=True)
class Reason:
    """One thing that is wrong; `at` is None where no line is known."""

    text: str
    at: Location | None = None
    code: str = ""


def list_reasons(model: Mapping[str, Any], trials: Sequence[Trial]) -> list[Reason]:
    """Why a model did not run, or what went wrong with each exporter; each thing once."""
    said: dict[str, Reason] = {}
    by: dict[str, list[Trial]] = defaultdict(list)
    problem = model.get("problem")
    if problem:
        said[""] = _read_finding(problem)
    for trial in trials:
        for reason in _explain_trial(trial):
            key = write_reason(replace(reason, text=_drop_name(reason.text, trial["exporter"])))
            said.setdefault(key, reason)
            by[key].append(trial)
    if not problem and not trials and "inputs" in model:
        said["-"] = Reason(f"a {model['purpose'] or 'model'} is run, and not exported")
    every = {trial.get("interpreter") or "" for trial in trials}
    return [_name_trials(reason, by[key], every) for key, reason in said.items()]


def _drop_name(text: str, exporter: str) -> str:
    """What is said of an exporter, so that the same of another can be told from it."""
    named = text.startswith(f"{exporter} ")
    return text.removeprefix(exporter) if named else text


def _name_trials(reason: Reason, trials: Sequence[Trial], every: set[str]) -> Reason:
    """With the other exporters that it holds for, and the interpreters where these are some of several."""
    first, *others = dict.fromkeys(trial["exporter"] for trial in trials) or [""]
    if others and (rest := _drop_name(reason.text, first)) != reason.text:
        reason = replace(reason, text=f"{first} ({', '.join(others)} too){rest}")
    names = [trial.get("interpreter") or "" for trial in trials]
    if not names or {*names} == every:
        return reason
    return replace(reason, text=f"{reason.text} ({', '.join(dict.fromkeys(names))})")


def _read_finding(finding: Mapping[str, Any]) -> Reason:
    return Reason(finding["message"], finding["location"], finding["code"])


def _explain_trial(trial: Trial) -> Iterator[Reason]:
    found = [_read_finding(finding) for finding in trial["findings"]]
    dtype, exporter, loss = trial.get("dtype"), name_export(trial), read_loss(trial.get("loss"))
    yield from (replace(r, text=f"{dtype}: {r.text}") if dtype else r for r in found)
    if trial["stage"] == "eager":
        yield Reason(f"{dtype}: {trial['message']}", trial["location"])
    elif trial["status"] == LOSSY and loss is not None:
        yield Reason(f"{exporter}: {write_loss(loss)}")
    elif not found and (trial["status"] != OK or is_random(trial)):
        yield Reason(f"{exporter}: {trial['message'] or trial['status']}")
    said = " ".join(reason.text for reason in found)
    part, enough = trial["part"], trial["lowest_opset"]
    if part and part not in said:
        goes = "is wrong" if trial["status"] == WRONG else "fails"
        yield Reason(f"{exporter}: the smallest part that {goes} alone is {part}")
    if enough and f"opset {enough}" not in said:
        yield Reason(f"{exporter}: opset {enough} has a translation for all of these")
    for name in trial["pruned"]:
        yield Reason(f"{exporter}: the file has no input {name}, which nothing in the model uses")
    if trial.get("no_repro"):
        yield Reason(f"{exporter}: no program shows this: {trial['no_repro']}")


def write_location(at: Location | None) -> str:
    """`net.py:12`, `demo.ipynb:cell 4:2`; "" where no line is known."""
    if at is None:
        return ""
    cell = f":cell {at['cell']}" if at["cell"] else ""
    return f"{at['filename']}{cell}:{at['row']}"


def write_reason(reason: Reason) -> str:
    """`net.py:12: LT101 …`, in one line."""
    place = f"{write_location(reason.at)}:" if reason.at else ""
    return join_lines(" ".join(part for part in (place, reason.code, reason.text) if part))


def list_fixes(
    findings: list[Mapping[str, Any]], reasons: list[Reason]
) -> Iterator[Mapping[str, Any]]:
    """Of the findings of a model those with a fix that speak of the same as one of these reasons."""
    told = [(each.code, each.at) for each in reasons if each.at is not None]
    for finding in findings:
        first, last = finding["location"]["row"], finding["end_location"]["row"]
        if finding["fix"] and any(
            (code, at["filename"], at["cell"])
            == (finding["code"], finding["filename"], finding["cell"])
            and first <= at["row"] <= last
            for code, at in told
        ):
            yield finding
