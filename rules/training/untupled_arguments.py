"""LT462: the argument of a process that was meant to be a tuple of one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT462",
    summary="one argument of a process, in parentheses and no tuple",
    why="""
        `args=(options)` is `args=options`: parentheses alone make no tuple. `mp.spawn(run, args=(options))`
        calls `run(rank, *options)` in each process, which raises TypeError for a namespace, a model or a
        number; text is spread letter by letter, and a list item by item. `Process` raises as it is made,
        a `Thread` where it runs. Measured on torch 2.13.
    """,
    bad="""
        import torch.multiprocessing as mp


        def run(options):
            print(options)


        def start(options):
            process = mp.Process(target=run, args=(options))
            process.daemon = True
            return process
    """,
    good="""
        import torch.multiprocessing as mp


        def run(options):
            print(options)


        def start(options):
            process = mp.Process(target=run, args=(options,))
            process.daemon = True
            return process
    """,
    remedy="write a comma: args=(options,)",
    severity=Severity.ERROR,
    proof="""
        start(3)
    """,
    fix=Applicability.SAFE,
)

STARTS = frozenset(
    {
        "torch.multiprocessing.spawn", "torch.multiprocessing.start_processes",
        "torch.multiprocessing.spawn.spawn", "torch.multiprocessing.Process",
        "multiprocessing.Process", "multiprocessing.context.Process", "threading.Thread",
    }
)  # fmt: skip
LITERALS = (cst.Integer, cst.Float, cst.SimpleString, cst.FormattedString)
LISTS = frozenset({"tuple", "list", "zip", "sorted", "dict", "next", "getattr"})


@rule.source(cst.Call, needs=("args=(", "args = ("))
def in_calls(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) not in STARTS:
        return
    for each in call.args:
        given = each.value
        named = each.keyword is not None and each.keyword.value == "args"
        plain = isinstance(given, (cst.Name, *LITERALS)) and given.lpar
        if named and plain and (isinstance(given, LITERALS) or is_one(given, call, source)):
            yield Hit(given, tell(given, source), write_comma(given, source))


def tell(given: cst.BaseExpression, source: Source) -> str:
    text = source.code(given).strip("()")
    return f"args=({text}) is no tuple: the function is not given it, but its items"


def write_comma(given: cst.BaseExpression, source: Source) -> Fix:
    end = source.replace(given, "").end
    return Fix("make it a tuple", (Edit(end, end, ","),), Applicability.SAFE)


def is_one(given: cst.BaseExpression, call: cst.Call, source: Source) -> bool:
    """Whether a name holds the one thing that the function takes, and not a tuple of all that it takes."""
    bound = source.bound(given) if isinstance(given, cst.Name) else []
    taken = takes_one(call, source)
    return bool(bound) and all(
        (each.kind == "assign" and is_made(each.node, taken, source))
        or (each.kind == "param" and taken is True and is_needed(each.node))
        for each in bound
    )


def takes_one(call: cst.Call, source: Source) -> bool | None:
    """Whether what is started takes one argument, beside its rank; None where it is not seen."""
    given = (e for e in call.args if e.keyword is None or e.keyword.value in ("target", "fn"))
    started = next(given, None)
    function = source.function(started.value) if started is not None else None
    if function is None:
        return None
    ranked = source.name(call.func).rpartition(".")[2] in ("spawn", "start_processes")
    return (
        len(function.params.params) == 1 + ranked
        and function.params.star_arg is cst.MaybeSentinel.DEFAULT
    )


def is_made(value: cst.CSTNode, taken: bool | None, source: Source) -> bool:
    """Whether a call makes it that gives no list; of a function that is not seen, options or an object."""
    name = source.code(value.func).rpartition(".")[2] if isinstance(value, cst.Call) else ""
    if taken is None:
        return name == "parse_args" or name[:1].isupper()
    return taken and bool(name) and name not in LISTS


def is_needed(parameter: cst.CSTNode) -> bool:
    return isinstance(parameter, cst.Param) and not parameter.star and parameter.default is None
