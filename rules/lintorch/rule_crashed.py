"""LT002: a rule that raised and was skipped."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT002",
    summary="a rule raised and was skipped at this place",
    why="""
        A rule raised while it looked at this place; it was skipped here and everything else ran
        on. That is a defect of the rule, not of the code under it: the message names the rule, the
        function and its line. Leave the rule out with `--ignore` meanwhile, and report it.
    """,
    severity=Severity.ERROR,
)
