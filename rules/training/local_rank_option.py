"""LT413: a parser that knows `--local_rank`, and is given `--local-rank`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import OF_PROJECT, Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT413",
    summary="a parser that the launcher's option ends",
    why="""
        `torch.distributed.launch` of torch 2.0 and later passes `--local-rank`: a parser that
        knows `--local_rank` alone ends with "unrecognized arguments". `torchrun` passes no option:
        the rank is in the variable LOCAL_RANK. Measured on torch 2.13.

        With both spellings the parser takes either. A file that reads LOCAL_RANK is one for
        `torchrun`, and is not reported. It is an error where the file takes the rank from this
        option, else a warning.
    """,
    bad="""
        import argparse


        def start(arguments):
            parser = argparse.ArgumentParser()
            parser.add_argument("--local_rank", type=int, default=0)
            options = parser.parse_args(arguments)
            return options.local_rank
    """,
    good="""
        import argparse


        def start(arguments):
            parser = argparse.ArgumentParser()
            parser.add_argument("--local_rank", "--local-rank", type=int, default=0)
            options = parser.parse_args(arguments)
            return options.local_rank
    """,
    proof="""
        assert start(["--local-rank=3"]) == 3
    """,
    fix=Applicability.SAFE,
    formerly=("distributed-habits",),
)

ADDS = "argparse.ArgumentParser.add_argument"
OLD = "--local_rank"
CAUSE = f"{OF_PROJECT}--local-rank"
TOLD = ("--local-rank", "deepspeed", "parse_known_args")
"""Words of files that take the new option, or any."""
RANKED = ("LOCAL_RANK", ".local_rank", "torch.distributed", "init_dist")
"""Words of files that a launcher starts."""
READS_RANK = re.compile(
    r"(environ\.get|getenv)\(\s*[\"']LOCAL_RANK|environ\[[\"']LOCAL_RANK[\"']\](?!\s*=[^=])"
)

SPAWNS = re.compile(
    r"\b(multiprocessing|mp)\.spawn\(|(?<![.\w])launch\(\s*\w+,|\.local_rank = rank\b[^\0]*\bProcess\(target="
)
"""Also a Process for each rank that the script itself counts, and `launch(main, gpus, ...)`, as detectron2 and those who follow it have it."""
READS_RANK_OF_BYTES = re.compile(READS_RANK.pattern.encode())
READS_OPTION = re.compile(
    rb"\b(\w*arg(ument)?s|\w*opts?|options|\w*flags|\w*config\w*|\w*cfg|hps?|hparams|params)\.local_rank\b(?!\s*=[^=])",
    re.I,
)


@rule.event(ADDS)
def in_parsers(event: Called, source: Source) -> Iterator[Hit]:
    known = source.profile.torch < (2, 0) or source.mentions(TOLD)
    if not is_rank(event) or known or event.open or not source.mentions(RANKED):
        return
    if READS_RANK.search(source.text) or is_started_otherwise(source) or is_only_asked(source):
        return
    needed = source.mentions((".local_rank",)) and not source.mentions(("LOCAL_RANK",))
    severity = Severity.ERROR if needed else Severity.WARNING
    message = "torch.distributed.launch passes --local-rank, which this parser refuses"
    remedy = "name both spellings, or read LOCAL_RANK"
    fix = take_both(event, source)
    yield Hit(event, message, fix, severity=severity, remedy=remedy, cause=CAUSE)


def is_started_otherwise(source: Source) -> bool:
    """Whether it starts its processes itself, or another file reads LOCAL_RANK, and none reads the option."""
    if SPAWNS.search(source.text) and not source.mentions(("distributed.launch", "torchrun")):
        return True
    if source.mentions((".local_rank", "LOCAL_RANK")):
        return False
    reads = is_written_around(READS_RANK_OF_BYTES, source.path, source.consulted)
    return reads and not is_written_around(READS_OPTION, source.path, source.consulted)


SPREADS = ("istribut", "Parallel", "LOCAL_RANK", "Trainer", "ccelerat", "apex", "torchrun", "world_size")  # fmt: skip
"""Words of files that work in several processes, or leave it to others."""
SHOWS = frozenset({"vars", "print", "str", "repr"})


def is_only_asked(source: Source) -> bool:
    """`if args.local_rank in (0, -1): print(…)` in a script that starts no processes, nor hands its options on."""
    reads = [each for each in source.nodes(cst.Attribute) if each.attr.value == "local_rank"]
    if not reads or source.mentions(SPREADS):
        return False
    if not all(isinstance(source.parent(each), cst.Comparison) for each in reads):
        return False
    names = {source.code(each.value) for each in reads}
    handed = (
        call
        for call in source.nodes(cst.Call)
        if any(source.code(arg.value) in names for arg in call.args)
    )
    return all(
        source.name(call.func) in SHOWS or source.function(call.func) is not None for call in handed
    )


def is_rank(event: Called) -> bool:
    """Whether it is kept as local_rank; under a longer list of names that begins otherwise, a launcher of its own gives it."""
    long = [each for each in event.positional if str(getattr(each, "value", "")).startswith("--")]
    return long[:1] == [Constant(OLD)]


def take_both(event: Called, source: Source) -> Fix | None:
    """`"--local_rank", "--local-rank"`."""
    call = source.call_at(event)
    written = [each for each in call.args if literal(each.value) == OLD] if call else []
    if len(written) != 1 or not isinstance(written[0].value, cst.SimpleString):
        return None
    quoted = source.code(written[0].value)
    both = f"{quoted}, {quoted.replace(OLD, '--local-rank')}"
    return Fix("take --local-rank too", (source.replace(written[0], both),), Applicability.SAFE)
