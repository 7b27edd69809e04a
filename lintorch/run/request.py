"""What was asked for on the command line, each option once, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from lintorch.core.finding import Applicability, Finding, Severity
from lintorch.record.model_options import ModelOptions
from lintorch.record.shard import WHOLE, Shard
from lintorch.report.result import Repaired, Result

TELL_FINDINGS = ("json", "markdown", "html")
"""The formats of `export` that tell more than what came of the trials."""
Progress = Callable[[str], None]
"""Takes a line that stands until the next; "" takes the last one away."""
Choose = Callable[[str, str, Iterable[Finding]], list[Finding]]
"""From a path, its text and its findings to these, without the fixes that are not to go in."""


def ignore_progress(step: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Request:
    """What all commands that look at files are asked; options carry the names of these fields."""

    paths: tuple[str, ...]
    settings: Mapping[str, object] = field(default_factory=dict)
    """By field of `Settings`, what outweighs those of files."""
    models: ModelOptions = field(default_factory=ModelOptions)
    """What the command line says of models; the rest comes from settings and project."""
    jobs: int = 0
    """Processes that lint or run models; 0 for one per core."""
    no_cache: bool = False
    force_exclude: bool = False
    """Whether settings leave out even files that are given by name."""
    config: tuple[str, ...] = ()
    """A settings file that holds for every file, instead of the closest, and `key=value` settings."""
    isolated: bool = False
    """Whether no settings file is heeded."""
    rules: tuple[str, ...] = ()
    """Folders of rules to load besides what the environment and the user's own settings name."""
    text: str | None = None
    """The text to check instead of what the one path holds."""
    output_format: str = "full"
    verbose: bool = False
    """Whether all that is done is told, and the tracebacks of models that did not run."""
    executor: str = ""
    """The address of a cluster that runs models, `tcp://scheduler:8786`; "" for this machine."""
    resources: Mapping[str, float] = field(default_factory=dict)
    """What a file takes of a worker of the cluster, by names that the workers were started with."""
    store: str = ""
    """Where what models came to is kept from run to run; "" for nowhere."""
    keep_trials: bool = False
    """Whether the trial exports themselves are kept, for who asks more than findings of them."""
    only_exports: bool = False
    """Whether only fixes go in that can change what an export comes to."""

    @property
    def runs_models(self) -> bool:
        """Whether code of the user runs."""
        return self.models.trace or bool(self.models.exporters)


@dataclass(frozen=True)
class CheckRequest(Request):
    """What `lintorch check` is asked."""

    fix: bool = False
    interactive: bool = False
    """Whether each fix is asked about."""
    unsafe_fixes: bool = False
    """Whether unsafe fixes go in where fixes do, and count among those that could."""
    diff: bool = False
    """Show what fixing would change, and write nothing."""
    verify: bool = False
    """Whether models are run with and without each fix; by itself that writes nothing."""
    show_refuted: bool = False
    stdin_filename: str | None = None
    output_file: str | None = None
    reports: tuple[tuple[str, str], ...] = ()
    """Further reports: the format and the file of each."""
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    fix_only: bool = False
    """Fix, and neither tell of what is left nor fail for it."""
    statistics: bool = False
    """Whether findings are counted by rule instead of told."""
    show_files: bool = False
    """Whether only the files that would be checked are listed."""
    show_settings: bool = False
    """Whether only the settings that hold for them are told."""
    add_ignore: bool = False
    """Whether a suppression is written on the line of every finding."""
    watch: bool = False
    """Whether files are checked again whenever one changes."""
    quiet: bool = False
    silent: bool = False
    color: str = "auto"
    diff_base: str | None = None
    """A revision: only what changed since then is told of."""

    @property
    def fixes(self) -> frozenset[Applicability]:
        """Which fixes go in: none without `fix`, `fix_only` or `diff`, however wide the set is chosen."""
        if not (self.fix or self.fix_only or self.diff):
            return frozenset()
        unsafe = {Applicability.UNSAFE} if self.unsafe_fixes else set()
        return frozenset({Applicability.SAFE, *unsafe})

    @property
    def tried_fixes(self) -> frozenset[Applicability]:
        """Which fixes are looked at: those that go in, and, where they are only verified, all that could."""
        if self.verify and not self.fixes:
            return frozenset({Applicability.SAFE, Applicability.UNSAFE})
        return self.fixes


@dataclass(frozen=True)
class BaselineRequest(CheckRequest):
    """What `lintorch baseline` is asked."""

    prune: bool = False
    """Whether entries only go, and none comes."""


@dataclass(frozen=True)
class ExplainRequest(Request):
    """What `lintorch explain` is asked; `paths` are those whose models may lead there."""

    place: str = ""
    """`FILE:LINE`, or an .onnx file."""
    node: tuple[str, ...] = ()
    """Nodes, or values, of the .onnx file that are asked about."""
    log: str = ""
    """The log of an export whose warnings are to be answered; "-" for standard input."""


@dataclass(frozen=True)
class ExportRequest(Request):
    """What `lintorch export` is asked besides: folders to write to, None for none."""

    output: str | None = None
    """Of exported files."""
    repro: str | None = None
    """Of programs that show what goes wrong."""
    shard: Shard = WHOLE
    """Which share of the files is looked at."""
    matrix: tuple[tuple[str, str], ...] = ()
    """Interpreters that are compared, by a name for each."""
    compare: str | None = None
    """The record of an earlier run, as JSON, that this one is compared with."""
    html: str | None = None
    """The file of the page that shows all of it."""

    @property
    def tells_findings(self) -> bool:
        """Whether what source says of the files of the models is told, too."""
        return bool(self.html) or self.output_format in TELL_FINDINGS


@dataclass(frozen=True)
class OpsetRequest(Request):
    """What `lintorch opset` is asked: the runtimes, each by its family or as a release; () for the usual ones."""

    runtimes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckpointRequest(Request):
    """What `lintorch checkpoint` is asked; `paths` hold the model's file, where one is named."""

    file: str = ""
    model: str = ""
    """`file.py:Class`; "" to look at the checkpoint alone."""
    key: str = ""
    """The part of the file that holds the weights, such as `model_ema.state`."""
    keys: bool = False
    """Whether all keys are shown."""
    values: bool = False
    """Whether the numbers are looked through for NaN and infinity."""


@dataclass(frozen=True)
class CompareRequest(Request):
    """What `lintorch compare` is asked; `paths` hold the model's file."""

    model: str = ""
    """`file.py:Class`, or `file.py` where it has one model."""
    file: str = ""
    """The exported file."""
    checkpoint: str = ""
    """A file with the weights; "" to take those of the exported file, or the model's own."""
    own_weights: bool = False
    """Whether the model keeps those that it is built with."""


@dataclass(frozen=True)
class ModelsRequest(Request):
    """What `lintorch models` is asked."""

    write: bool = False
    """Whether what was inferred is added to the settings."""
    containment: bool = False
    """Whether it is only to be said what holds models in."""


@dataclass(frozen=True)
class Rewritten:
    """A file and what fixing makes of it."""

    path: str
    before: str
    after: str
    repaired: Repaired
    cells: tuple[tuple[int, str, str], ...] = ()
    """Of a notebook, the number of each cell that changes, and its source before and after."""


@dataclass(frozen=True)
class Checked:
    """What a check came to. `errors` say what lintorch could not do, one line each."""

    result: Result
    errors: tuple[str, ...] = ()
    rewritten: tuple[Rewritten, ...] = ()
    notes: tuple[str, ...] = ()
    """What was left undone as it was not asked for, one line each."""
    fail_on: Severity = Severity.NOTE
    """The least severity that findings make the exit code 1 with."""
