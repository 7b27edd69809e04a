"""LT007: a model that was stopped: it met a limit of time or memory, exited, or crashed."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT007",
    summary="a model met a limit of time or memory, exited, or crashed",
    why="""
        The model was to run in a process of its own, and that process was ended before it was
        done, or ended itself. The message says which, with the end of what it printed. The run
        went on without it, and findings about it rest on the source alone.

        A limit that was met says nothing against the model: it is larger than most. The message
        names the limit as it was set, and the setting and option that raises it: `trace-seconds`
        to build, feed and run it, `trial-seconds` for one export of it, `trace-memory` in
        megabytes. Time in which other processes have the cores does not count. Smaller inputs or
        arguments in `[tool.lintorch.models]` help as well.

        Otherwise its process exited, crashed inside native code, closed the descriptor on which
        lintorch reads its results, or wrote there what no run writes.
    """,
    severity=Severity.WARNING,
)
