"""LT006: a model that could not be imported, built, fed or run."""

from lintorch.core.finding import Severity
from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT006",
    summary="a model could not be built, fed or run",
    why="""
        The model was to run, and could not be: its file could not be imported, its class could
        not be built with the arguments that lintorch filled in, no inputs were found that it
        takes, or it raised on them. So no rule saw it run, and findings about it rest on the
        source alone. The message gives the stage and the cause.

        Say how to build and feed it, and it will be run:

            [tool.lintorch.models.segmenter]
            factory = "nets.seg:build"
            args = { num_classes = 19 }
            inputs = ["float32[batch, 3, height=512, width=512]"]
    """,
    severity=Severity.NOTE,
)
