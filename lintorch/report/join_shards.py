"""Records of shards of one run as the record that the run would have had."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from lintorch.record.shard import Shard
from lintorch.report.record_cells import group_trials, name_column
from lintorch.report.record_changes import Record

_EVIDENCE = ("source", "trace", "export")


class ShardsError(Exception):
    """Records that are no shards of one run; the text says why."""


def join_shards(records: Sequence[Record]) -> Record:
    """All models in the order of the whole run, without those that are parts of another. Raises ShardsError.

    A finding that models of several shards speak of keeps its strongest evidence. Records that are
    no shards are put one behind the other.
    """
    _require_whole(records)
    findings, moved = _join_findings(records)
    placed = [
        (
            {**model, "findings": sorted({moved[n, i] for i in model["findings"]})},
            trials[model["model"]],
        )
        for n, record in enumerate(records)
        for trials in [group_trials(record)]
        for model in record["models"]
    ]
    placed.sort(key=lambda each: each[0].get("place") or [])
    kept = [*_leave_out_parts(placed)]
    trials = [trial for _, own in kept for trial in own]
    models = [
        {key: value for key, value in m.items() if key not in ("place", "contains")}
        for m, _ in kept
    ]
    return {
        "columns": list(dict.fromkeys(map(name_column, trials))) or records[0]["columns"],
        "link": records[0]["link"],
        "models": models,
        "trials": trials,
        "findings": findings,
        "sources": [*_join_sources(records)],
    }


def _require_whole(records: Sequence[Record]) -> None:
    """Raises ShardsError where a shard is missing or there twice, or a model is in records of no shards twice."""
    shards = [Shard.parse(text) for record in records if (text := record.get("shard"))]
    if not shards:
        names = [model["model"] for record in records for model in record["models"]]
        if twice := next((name for name, count in Counter(names).items() if count > 1), None):
            raise ShardsError(f"{twice} is in several of these files")
        return
    of = shards[0].of
    if len(shards) < len(records) or any(shard.of != of for shard in shards):
        raise ShardsError("these files are not shards of one run")
    numbers = sorted(shard.number for shard in shards)
    if missing := [f"{number}/{of}" for number in range(1, of + 1) if number not in numbers]:
        raise ShardsError(
            f"{'shard' if len(missing) == 1 else 'shards'} {', '.join(missing)} missing"
        )
    if len(numbers) > of:
        raise ShardsError("a shard is there twice")


def _leave_out_parts(
    placed: Sequence[tuple[dict[str, Any], list[dict[str, Any]]]],
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Without models that are parts of an earlier one, which a whole run does not run by themselves."""
    covered: set[str] = set()
    for model, trials in placed:
        if model["model"] in covered and "place" in model:
            continue
        covered.add(model["model"])
        covered.update(() if model.get("cause") else model.get("contains", ()))
        yield model, trials


def _join_findings(
    records: Sequence[Record],
) -> tuple[list[dict[str, Any]], dict[tuple[int, int], int]]:
    """All, each once and in order, and where those of each record have come to."""
    best: dict[str, dict[str, Any]] = {}
    models = [model for record in records for model in record["models"]]
    places = {model["model"]: model.get("place") or [] for model in models}

    def weigh(finding: Mapping[str, Any]) -> tuple[Any, ...]:
        """The strongest evidence first, then the most, then that of the earliest model."""
        evidence = _EVIDENCE.index(finding["evidence"])
        return -evidence, -len(finding["notes"]), places.get(finding["model"], [])

    for record in records:
        for finding in record["findings"]:
            known = best.get(_key(finding))
            if known is None or weigh(finding) < weigh(known):
                best[_key(finding)] = finding
    order = sorted(best, key=lambda key: _sort_key(best[key]))
    place = {key: number for number, key in enumerate(order)}
    moved = {
        (n, i): place[_key(finding)]
        for n, record in enumerate(records)
        for i, finding in enumerate(record["findings"])
    }
    return [best[key] for key in order], moved


def _key(finding: Mapping[str, Any]) -> str:
    """What a finding is known by: rule, place and target; where no line of source has it, what it says."""
    evidence = {finding["evidence"], *(note["evidence"] for note in finding["notes"])}
    said = "" if "source" in evidence else finding["message"]
    parts = (finding[key] for key in ("code", "filename", "cell", "location", "target"))
    return "\0".join(map(str, (*parts, said)))


def _sort_key(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    at = finding["location"]
    place = finding["filename"], finding["cell"] or 0, at["row"], at["column"]
    return *place, finding["code"], finding["target"] or "", finding["message"]


def _join_sources(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """The rows of all, as parts that neither overlap nor touch."""
    files: dict[tuple[str, int | None], dict[int, str]] = defaultdict(dict)
    for record in records:
        for part in record["sources"]:
            own = enumerate(part["text"].split("\n"), part["row"])
            files[part["filename"], part["cell"]].update(own)
    for (filename, cell), lines in sorted(
        files.items(), key=lambda each: (each[0][0], each[0][1] or 0)
    ):
        for _, group in groupby(enumerate(sorted(lines)), lambda pair: pair[1] - pair[0]):
            rows = [row for _, row in group]
            text = "\n".join(lines[row] for row in rows)
            yield {"filename": filename, "cell": cell, "row": rows[0], "text": text}
