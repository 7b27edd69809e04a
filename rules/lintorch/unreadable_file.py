"""LT008: a file that could not be read."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT008",
    summary="a file could not be read",
    why="""
        The file could not be opened, or its text could not be decoded: missing permission, a
        dangling link, bytes that are no UTF-8 and no other encoding declared in its first two
        lines, or a notebook that is no valid JSON. No rule looked at it.
    """,
    severity=Severity.ERROR,
)
