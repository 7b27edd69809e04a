"""LT010: a safe fix that changes what a model computes."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT010",
    summary="a safe fix changes what a model computes",
    why="""
        `--verify` ran a model with the original text and with the fixed one, from the same seed,
        weights and inputs, and something came out otherwise, though the fix promises the same
        meaning. The fix was left out. The message names the rule, the model, and both numbers. That
        is a defect of the rule, not of the code under it: leave the rule's fixes out meanwhile
        (`unfixable` in the settings), and report it.
    """,
    severity=Severity.ERROR,
)
