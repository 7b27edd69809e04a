"""LT009: a file that lintorch failed on."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT009",
    summary="lintorch itself failed on a file",
    why="""
        lintorch itself raised while it read this file, ran out of memory over it, or the process
        that checked it ended: what the message says was not done, and every other file was checked.
        That is a defect of lintorch, not of the file: the message names what was raised and where.
        Leave the file out with `exclude` meanwhile, and report it.
    """,
    severity=Severity.ERROR,
)
