"""A record in one line: `9 exports of 4 models: 3 ok, 4 wrong, 2 failed; 1 not exported`."""

from __future__ import annotations

from lintorch.report.record_cells import count_statuses
from lintorch.report.record_changes import Record
from lintorch.report.summary_line import write_count


def summarise_record(record: Record) -> str:
    """How many exports of how many models came to what."""
    counts = count_statuses(record["trials"])
    ran = sum("inputs" in model for model in record["models"])
    stages = [model["stage"] for model in record["models"] if model.get("cause")]
    stopped = stages.count("stopped")
    told = ", ".join(f"{number} {status}" for status, number in counts.items()) or "none tried"
    parts = [
        f"{write_count(len(record['trials']), 'export')} of {write_count(ran, 'model')}: {told}",
        f"{len(stages) - stopped} not exported" if len(stages) > stopped else "",
        f"{write_count(stopped, 'model')} stopped" if stopped else "",
    ]
    return "; ".join(filter(None, parts))
