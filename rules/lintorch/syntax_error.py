"""LT001: a file that does not parse."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT001",
    summary="a file is not valid Python",
    why="""
        The file is not Python that this lintorch can parse, so no rule looked at it. The finding
        stands where the parser stopped; the cause is often a line before it. Python 2 code, a
        template, or a file of a Python newer than the installed libcst knows end here too: fix
        the file, or leave it out with `exclude`.
    """,
    severity=Severity.ERROR,
)
