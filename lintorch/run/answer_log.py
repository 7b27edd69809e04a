"""Whether the warnings in the log of an export matter, by what source, runs and a trial export tell of their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lintorch.core.finding import Finding, Harm, Severity
from lintorch.core.text_rows import split_rows
from lintorch.evidence import Trial
from lintorch.evidence.size_changes import find_changes, get_question
from lintorch.files import FileText, read_file
from lintorch.messages import (
    Recognised,
    describe_class,
    read_refused,
    read_releases,
    recognise,
    sharpen,
    unify_text,
)
from lintorch.record.events import RunEvent, SizeQuestion, TensorRead
from lintorch.report.harm_by_exporter import sum_up_harm
from lintorch.report.wording import write_message
from lintorch.run.answer import Answer, Verdict
from lintorch.run.answer_messages import add_class, answer_unknown, join_messages
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.explain_messages import ExplainedMessage, explain_messages
from lintorch.run.find_checks import find_asked_rows, is_only_check, is_only_layout
from lintorch.run.find_constants import is_same_tensor
from lintorch.run.guess_warning import guess_check, guess_warning
from lintorch.run.read_export_log import LoggedWarning, read_log
from lintorch.run.read_frames import is_cell
from lintorch.run.request import CheckRequest, ExplainRequest, Progress
from lintorch.run.scope import Scope

_CHECK = (
    "the line only checks, and raises where it does not hold: what is traced computes the same without it, "
    "and no longer refuses what it refused"
)
_LAYOUT = (
    "the line decides no more than how numbers lie in memory (contiguous()): what is traced computes "
    "the same with and without it"
)
_CONSTANT = (
    "the tensor is made of numbers that are written there, or set when the model is built: the constant "
    "that the trace keeps is the one that the model has at all sizes"
)
_UNTRIED = (
    "the export is right at all sizes tried, among which what is asked here was always the same: "
    "a call in the files that are named, with the sizes of yours, tells which axes to vary"
)
_UNMET = (
    "no model that ran came by the line: name the files of the model behind the log; one that a package "
    "builds is run where a class of yours holds it (self.body = timm.create_model(…))"
)
_DIFFERS = ("Output nr", "Trace had nondeterministic nodes", "Trace checking failed")


@dataclass(frozen=True)
class AnsweredLog:
    """The answers in the order of the log; `models` are lines about those that ran."""

    answers: tuple[Answer, ...]
    exporter: str
    models: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def all_harmless(self) -> bool:
        """Whether no warning matters, or may."""
        return all(each.verdict == "harmless" for each in self.answers)


def answer_log(request: ExplainRequest, data: bytes, progress: Progress) -> AnsweredLog:
    """Answer each warning and error, by running models only where that is asked for.

    Raises LogError, SettingsError, or CatalogError.
    """
    log = read_log(data)
    text = unify_text(log.text)
    found = _read_messages(text)
    exporter = next(iter(request.models.exporters), log.exporter)
    asked = [each for each in log.warnings if not _is_told(each, found)]
    files = tuple(dict.fromkeys(each.found for each in asked if each.found))
    checked = CheckedFiles()
    if files:
        wanted = _make_request(request, exporter, files)
        checked = check_files(wanted, Scope(wanted), progress)
    answers = [_answer(each, checked, exporter, request) for each in asked]
    named = [each.found for each in (*log.warnings, log.error) if each and each.found]
    explained, notes = explain_messages(found, read_releases(text), request, progress, named)
    answers = add_class(join_messages(answers, _add_caller(explained, log.error)), text)
    if not answers and (unknown := answer_unknown(text)):
        answers = [unknown]
    told = dict.fromkeys((*checked.errors, *checked.notes, *notes))
    return AnsweredLog(tuple(answers), exporter, checked.models, tuple(told))


def _read_messages(text: str) -> list[Recognised]:
    """Those that are known; else, of an error that is not, what it says a program lacks."""
    found = [sharpen(describe_class(each, text), text) for each in recognise(text)]
    if any(each.kind.rank != "note" for each in found):
        return found
    refused = read_refused(_leave_out(found, text))
    return [*found, refused] if refused else found


def _leave_out(notes: Sequence[Recognised], text: str) -> str:
    """The text without the words of notes, which refuse nothing."""
    for note in notes:
        text = note.kind.pattern.sub(" ", text) if note.kind.pattern else text
    return text


def _is_told(warning: LoggedWarning, found: Sequence[Recognised]) -> bool:
    """Whether messages tell of a warning of torch's own, or of an error what the line that a traceback ends at does not."""
    if not warning.is_error:
        patterns = [each.kind.pattern for each in found if warning.is_inside_torch]
        said = unify_text(warning.text)
        return any(pattern.search(said) for pattern in patterns if pattern)
    errors = [each for each in found if each.kind.rank != "note"]
    return bool(errors) and not any(each.runtime.own_line for each in errors)


def _add_caller(
    told: Sequence[ExplainedMessage], error: LoggedWarning | None
) -> list[ExplainedMessage]:
    """A message that a runtime raised in Python, with the line that called it."""
    if error is None or not error.path:
        return [*told]
    return [
        each
        if each.found.runtime.own_line or each.found.kind.rank == "note"
        else replace(each, caller=error)
        for each in told
    ]


def _make_request(request: ExplainRequest, exporter: str, files: Sequence[str]) -> CheckRequest:
    traced = request.models.trace
    models = replace(request.models, exporters=(exporter,) if traced else ())
    more = request.paths
    if request.place and not request.place.endswith(".onnx"):
        more = (request.place, *more)
    return CheckRequest(
        (*files, *more) if traced else tuple(files),
        settings={**request.settings, "exporters": (exporter,)},
        models=models,
        jobs=request.jobs,
        config=request.config,
        keep_trials=traced,
    )


def _answer(
    warning: LoggedWarning, checked: CheckedFiles, exporter: str, request: ExplainRequest
) -> Answer:
    if warning.text.startswith(_DIFFERS):
        why = "the tracer compared the trace with the model itself, and they differ"
        return Answer(warning, "matters", why, evidence="log")
    if warning.kind != "TracerWarning" and not warning.is_error:
        return _answer_for_exporter(warning, checked)
    if not warning.found:
        return _answer_absent(warning)
    line = _read_line(warning)
    if line is None:
        return Answer(warning, "unknown", f"line {warning.row} is another one now")
    warning = replace(warning, source=line)
    told = list(_list_findings(warning, checked.standing)) or list(_list_asked(warning, checked))
    if told:
        return min((_judge(warning, each, exporter) for each in told), key=_by_gravity)
    withdrawn = () if warning.is_error else checked.withdrawn
    for finding in _list_findings(warning, withdrawn):
        why = finding.refuted or write_message(finding)
        return Answer(warning, "harmless", why, finding.code, "trace")
    if not warning.is_error and _is_check(warning):
        return Answer(warning, "harmless", _CHECK, evidence="source")
    if not warning.is_error and _holds_of(warning, is_only_layout):
        return Answer(warning, "harmless", _LAYOUT, evidence="source")
    if not warning.is_error and _is_constant(warning):
        return Answer(warning, "harmless", _CONSTANT, evidence="source")
    if not request.models.trace:
        why = "no rule speaks of the line; --trace runs the models of the file, and exports them"
        return Answer(warning, "unknown", why)
    if warning.is_error:
        return Answer(warning, "unknown", "no rule speaks of the line, with the models run")
    return _answer_by_runs(warning, checked)


def _holds_of(warning: LoggedWarning, asked: Callable[[str, int], bool]) -> bool:
    """Whether something holds of the line in its file."""
    found = read_file(warning.found)
    return isinstance(found, FileText) and asked(found.text, warning.row)


def _is_check(warning: LoggedWarning) -> bool:
    """Whether the line, or what asks for the answer that it gives a name, only checks."""
    if _holds_of(warning, is_only_check):
        return True
    asked = [replace(warning, row=row) for row in _find_asked(warning)]
    return bool(asked) and all(_holds_of(each, is_only_check) for each in asked)


def _is_constant(warning: LoggedWarning) -> bool:
    constant = "results are registered as constants" in warning.text
    return constant and _holds_of(warning, is_same_tensor)


def _find_asked(warning: LoggedWarning) -> tuple[int, ...]:
    found = read_file(warning.found)
    return find_asked_rows(found.text, warning.row) if isinstance(found, FileText) else ()


def _list_asked(warning: LoggedWarning, checked: CheckedFiles) -> Iterator[Finding]:
    """Those of the lines that ask for the answer which this line gives a name."""
    for row in _find_asked(warning):
        yield from _list_findings(replace(warning, row=row), checked.standing)


def _by_gravity(answer: Answer) -> bool:
    return answer.verdict != "matters"


def _answer_absent(warning: LoggedWarning) -> Answer:
    """Of a line whose file is not here: by what the log shows of it."""
    told = _explain_absence(warning)
    if warning.is_error or warning.is_inside_torch:
        return Answer(warning, "unknown", told)
    if guess_check(warning.source):
        return Answer(warning, "harmless", _CHECK, evidence="log")
    guessed = guess_warning(warning.text, warning.source)
    return Answer(warning, "unknown", f"{guessed}. For more: {told}" if guessed else told)


def _explain_absence(warning: LoggedWarning) -> str:
    if not warning.path:
        return "the error names no line of yours"
    if is_cell(warning.path):
        return "the line is in a cell of a notebook: lintorch check NAME.ipynb looks at its cells"
    if warning.is_inside_torch:
        return "the line is torch's own, and the log does not tell which of yours led there"
    return "the file is not here: run this where the log was made"


def _read_line(warning: LoggedWarning) -> str | None:
    """The line as it is in the file; None where the one that the log shows stands elsewhere by now."""
    found = read_file(warning.found)
    rows = split_rows(found.text).lines if isinstance(found, FileText) else []
    if warning.row > len(rows):
        return None
    line, shown = rows[warning.row - 1].strip(), warning.source
    elsewhere = bool(shown) and any(shown == row.strip() for row in rows)
    return None if elsewhere and shown != line else line


def _list_findings(warning: LoggedWarning, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Those that stand at the line, or name it as another with the same cause."""
    for finding in findings:
        places = (finding.place, *finding.also)
        here = any(
            place.path == warning.found
            and place.row <= warning.row <= max(place.row, place.end_row)
            for place in places
        )
        if here and (finding.hazard is not None or finding.exporter is not None):
            yield finding


def _judge(warning: LoggedWarning, finding: Finding, exporter: str) -> Answer:
    harm = sum_up_harm(finding)
    kind = harm.get(exporter, Harm.WARNED if finding.severity is Severity.ERROR else None)
    harmless = kind in (None, Harm.NOISY) and not warning.is_error
    verdict: Verdict = "harmless" if harmless else "matters"
    return Answer(warning, verdict, write_message(finding), finding.code, str(finding.evidence))


def _answer_for_exporter(warning: LoggedWarning, checked: CheckedFiles) -> Answer:
    outcomes = [trial.outcome for trial in checked.trials]
    if outcomes and all(each.status == "ok" for each in outcomes):
        return Answer(
            warning,
            "harmless",
            f"the exporter's own; {_describe_ok(checked.trials)}",
            evidence="export",
        )
    why = "the exporter's own: it names no line of yours"
    return Answer(warning, "unknown", why)


def _answer_by_runs(warning: LoggedWarning, checked: CheckedFiles) -> Answer:
    """By the trials of models that came by the line."""
    here = [(trial, events) for trial in checked.trials if (events := _list_events(warning, trial))]
    warned = [trial for trial in checked.trials if _warned_of(warning, trial)]
    met = [trial for trial, _ in here] + [trial for trial in warned if trial not in dict(here)]
    if not met:
        why = _UNMET
        return Answer(warning, "unknown", why)
    if all(trial.outcome.status == "ok" for trial in met) and _read_no_data(here):
        if not all(_was_tried(event, trial) for trial, events in here for event in events):
            return Answer(warning, "unknown", _UNTRIED)
        return Answer(warning, "harmless", _describe_ok(met), evidence="export")
    if here and all(_stays(event, trial) for trial, events in here for event in events):
        sizes = _join_sizes(trial for trial, _ in here)
        return Answer(
            warning,
            "harmless",
            f"the answer is the same at all sizes tried{sizes}",
            evidence="trace",
        )
    first = next((trial.outcome for trial in met if trial.outcome.status != "ok"), None)
    if first is None:
        why = "the export is right; what the line decides depends on data, of which one example was tried"
        return Answer(warning, "unknown", why)
    why = f"the export is {first.status} ({first.detail or first.message.partition(chr(10))[0][:200]}), and nothing shows that it is this line's doing, or is not"
    return Answer(warning, "unknown", why)


def _list_events(warning: LoggedWarning, trial: Trial) -> list[SizeQuestion | TensorRead]:
    return [
        event
        for event in trial.trace.events
        if isinstance(event, (SizeQuestion, TensorRead)) and _is_at(event, warning)
    ]


def _is_at(event: RunEvent, warning: LoggedWarning) -> bool:
    return (event.site.path, event.site.row) == (warning.found, warning.row)


def _warned_of(warning: LoggedWarning, trial: Trial) -> bool:
    sites = (site for _, site in trial.outcome.warnings if site)
    return any((site.path, site.row) == (warning.found, warning.row) for site in sites)


def _read_no_data(here: Sequence[tuple[Trial, Sequence[SizeQuestion | TensorRead]]]) -> bool:
    return not any(isinstance(event, TensorRead) for _, events in here for event in events)


def _stays(event: SizeQuestion | TensorRead, trial: Trial) -> bool:
    """Whether a size was asked for, the runs at other sizes came by, and had the same answer."""
    again = trial.trace.find_again(event)
    return isinstance(event, SizeQuestion) and bool(again) and not find_changes(event, trial.trace)


def _was_tried(event: SizeQuestion | TensorRead, trial: Trial) -> bool:
    """Whether what was asked there was another at other sizes, or the model takes no other."""
    again = trial.trace.find_again(event)
    return not again or _changes(event, trial) or trial.trace.never_changes(event, get_question)


def _changes(event: SizeQuestion | TensorRead, trial: Trial) -> bool:
    return bool(find_changes(event, trial.trace, get_question))


def _describe_ok(trials: Sequence[Trial]) -> str:
    if not any(any(trial.outcome.compared) for trial in trials):
        return "the export gives what the model gives, at the one size tried"
    at = dict.fromkeys(
        each.write_sizes() for trial in trials for each in trial.outcome.compared if each
    )
    shown = "; ".join([*at][:4])
    return f"the export warns of it, and gives what the model gives at all sizes tried: {shown}"


def _join_sizes(trials: Iterator[Trial]) -> str:
    names = dict.fromkeys(
        name for trial in trials for run in trial.trace.runs[1:] for name in run.sizes
    )
    return f" of {', '.join(names)}" if names else ""
