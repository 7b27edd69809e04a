"""LT007: a model that was stopped: it ran out of time or memory, exited, or crashed."""

from lintorch.finding import Severity
from lintorch.rule import Rule

rule = Rule(
    __name__,
    code="LT007",
    summary="a model ran out of time or memory, exited, or crashed",
    why="""
        The model was to run in a process of its own, and that process ended before it was done:
        it took longer or more memory than a model may, called sys.exit, or crashed inside native
        code. The message says which, with the end of what it printed. The run went on without it,
        and findings about it rest on the source alone. Give the model smaller inputs or arguments
        in `[tool.lintorch.models]`, or raise the limit.
    """,
    severity=Severity.WARNING,
)
