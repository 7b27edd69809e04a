"""LT003: a comment that suppresses a rule where the rule finds nothing."""

from lintorch.core.finding import Applicability, Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT003",
    severity=Severity.NOTE,
    summary="a suppression that suppresses nothing",
    why="""
        A suppression that has outlived its finding hides the next one on its line. It is only
        called unused where its rule is on and this run could have found what it is about: what
        only a trace or an export shows is not missed when neither was asked for.
    """,
    bad="""
        x = x.flatten(1)  # lintorch: ignore[dynamic-size] -- the batch is always 1
    """,
    good="""
        x = x.flatten(1)
    """,
    fix=Applicability.SAFE,
)
