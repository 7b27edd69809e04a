"""LT423: a command that starts torch.distributed.launch."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT423",
    summary="torch.distributed.launch is deprecated",
    why="""
        `python -m torch.distributed.launch` warns since torch 1.10 that it is deprecated.
        `torchrun` starts the processes as well, starts them again where they fail, and passes the
        rank in the variable LOCAL_RANK. Measured on torch 2.13.
    """,
    bad="""
        import subprocess
        import sys


        def start(script):
            subprocess.run([sys.executable, "-m", "torch.distributed.launch", script], check=True)
    """,
    good="""
        import subprocess


        def start(script):
            subprocess.run(["torchrun", script], check=True)
    """,
    unproven="""
        It warns when a script is started, in another process.
    """,
    severity=Severity.NOTE,
    formerly=("LT413", "distributed-habits"),
)

RUNS = re.compile(r"os\.(system|popen|exec\w+)|subprocess\.\w+")
LAUNCH = "torch.distributed.launch"


@rule.source(cst.SimpleString, cst.FormattedStringText, needs=(LAUNCH,))
def old_launcher(text: cst.SimpleString | cst.FormattedStringText, source: Source) -> Iterator[Hit]:
    if LAUNCH in text.value and source.profile.torch >= (1, 10) and is_run(text, source):
        message = "torch.distributed.launch is deprecated and warns"
        whole = text if isinstance(text, cst.SimpleString) else source.parent(text)
        yield Hit(whole, message, remedy="start the processes with torchrun")


def is_run(text: cst.CSTNode, source: Source) -> bool:
    """Whether a string is part of a command: behind "-m" in a list, or text that is run."""
    element = source.parent(text)
    items = source.parent(element) if isinstance(element, cst.Element) else None
    if isinstance(items, (cst.List, cst.Tuple)):
        return literal(text) == LAUNCH and any(literal(e.value) == "-m" for e in items.elements)
    calls = (outer for outer in source.ancestors(text) if isinstance(outer, cst.Call))
    return any(RUNS.fullmatch(source.name(call.func)) for call in calls)
