"""What rules say of the lines that made nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lintorch.core.finding import Finding
from lintorch.report.wording import write_message
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.node_answer import ExplainedNodes, NodeAnswer, SpokenRule
from lintorch.run.node_frames import Frame
from lintorch.run.request import CheckRequest, ExplainRequest, Progress
from lintorch.run.scope import Scope


def add_rules(
    answers: Sequence[NodeAnswer], request: ExplainRequest, progress: Progress
) -> ExplainedNodes:
    """Look at the files of the lines, each once."""
    frames = [frame for answer in answers for frame in answer.lines]
    files = tuple(dict.fromkeys(each.found for each in frames if _is_to_check(each)))
    if not files:
        return ExplainedNodes(tuple(answers))
    asked = CheckRequest(files, settings=request.settings, jobs=request.jobs, config=request.config)
    checked = check_files(asked, Scope(asked), progress)
    told = (replace(each, rules=tuple(_list_rules(each, checked))) for each in answers)
    return ExplainedNodes(tuple(told), (*checked.errors, *checked.notes))


def _is_to_check(frame: Frame) -> bool:
    return bool(frame.found and frame.now and not frame.is_installed)


def _list_rules(answer: NodeAnswer, checked: CheckedFiles) -> Iterator[SpokenRule]:
    lines = {(each.found, each.now) for each in answer.lines if _is_to_check(each)}
    for finding in checked.standing:
        row = next((row for path, row in lines if _speaks_of(finding, path, row)), 0)
        if row:
            message, evidence = write_message(finding), str(finding.evidence)
            yield SpokenRule(finding.code, message, row, evidence)


def _speaks_of(finding: Finding, path: str, row: int) -> bool:
    """Whether it stands at the line, or names it as another with the same cause, and is about exports."""
    places = (finding.place, *finding.also)
    here = any(
        each.path == path and each.row <= row <= max(each.row, each.end_row) for each in places
    )
    return here and (finding.hazard is not None or finding.exporter is not None)
