"""LT427: a collective that only one process calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT427",
    summary="a collective that only one process calls",
    why="""
        all_reduce, all_gather, broadcast and the like end when every process of the group has called
        them. Behind `if rank == 0` the first process waits for the others, which never come: the job hangs
        until the timeout of the group, half an hour by default. Call it in all processes, and keep behind
        the test what one of them does with the result. Measured on torch 2.13, with two processes on gloo.

        Reported where no other branch of the function calls the same collective, and no group is named.
    """,
    bad="""
        import torch
        import torch.distributed as dist


        def mean(total, rank):
            if rank == 0:
                dist.all_reduce(total)
                print(total / dist.get_world_size())
    """,
    good="""
        import torch
        import torch.distributed as dist


        def mean(total, rank):
            dist.all_reduce(total)
            if rank == 0:
                print(total / dist.get_world_size())
    """,
    remedy="call it in every process, and test the rank after it",
    unproven="""
        It takes several processes.
    """,
    severity=Severity.ERROR,
)

COLLECTIVES = frozenset(
    f"torch.distributed.{name}"
    for name in (
        "all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object", "broadcast", "reduce",
        "broadcast_object_list", "reduce_scatter", "reduce_scatter_tensor", "all_to_all", "barrier",
        "all_to_all_single", "gather", "gather_object", "scatter", "scatter_object_list",
    )
)  # fmt: skip
FIRST = re.compile(
    r"(\w+\.)*(\w*rank\w*|get_rank|(\w+\.)?get_rank\(.*\))\s*==\s*\d+|(not\s+)?(\w+\.)*(local_)?rank"
    r"|(\w+\.)*(is_)?(main|master|rank_?zero|rank_?0|primary)(_process|_proc|_rank|_worker)?(\(.*\))?"
)
"""A test that holds in one process alone."""
SEVERAL = re.compile(
    r"(\w+\.)*\w*rank\w*\s*(>=\s*0|>\s*-1|!=\s*-1)|(\w+\.)*(is_)?(distributed|multi_?gpu|ddp)"
)
"""A test that holds in all processes, where there are several."""
GROUP_AT = {
    "barrier": 0, "reduce": 3, "reduce_scatter": 3, "reduce_scatter_tensor": 3, "gather": 3,
    "scatter": 3, "gather_object": 3, "scatter_object_list": 3, "all_to_all_single": 4,
}  # fmt: skip
"""Which argument the group is, where it is not the third."""
QUIET = frozenset({"print", "len", "range", "int", "float", "str", "enumerate", "zip", "list"})


@rule.source(cst.Call, needs=("distributed", "rank"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in COLLECTIVES or names_group(call, name):
        return
    test = find_test(call, source)
    function = source.enclosing(call, cst.FunctionDef)
    if test is None or is_matched(call, name, function, source):
        return
    if any(may_join(each, source) for each in list_others(call, function, source)):
        return
    short = name.rpartition(".")[2]
    yield Hit(call, f"{short} behind `{test}` waits for the other processes, which never call it")


def find_test(call: cst.Call, source: Source) -> str | None:
    """The test around it that holds in one process alone."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            return None
        entered = outer if isinstance(outer, cst.If) and inner is outer.body else None
        if entered is not None and holds_in_first(entered.test, entered, source):
            return source.code(entered.test)
        inner = outer
    return None


def holds_in_first(test: cst.BaseExpression, branch: cst.If, source: Source) -> bool:
    """Whether a test, or one that it joins with `and`, holds in one process alone."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return any(holds_in_first(each, branch, source) for each in (test.left, test.right))
    return bool(FIRST.fullmatch(source.code(test))) or is_made_by_first(test, branch, source)


def is_made_by_first(test: cst.BaseExpression, branch: cst.If, source: Source) -> bool:
    """`average is not None` of a name that the function gives None, and something else where the rank is 0."""
    match test:
        case cst.Comparison(cst.Name(name), [cst.ComparisonTarget(cst.IsNot(), cst.Name("None"))]):
            pass
        case _:
            return False
    function = source.enclosing(branch, cst.FunctionDef)
    made = [
        each
        for each in source.nodes(cst.Assign)
        if any(source.code(e.target) == name for e in each.targets)
        and source.enclosing(each, cst.FunctionDef) is function
    ]
    filled = [each for each in made if source.code(each.value) != "None"]
    return (
        function is not None
        and len(filled) < len(made)
        and bool(filled)
        and all(is_in_first(each, source) for each in filled)
    )


def is_in_first(made: cst.Assign, source: Source) -> bool:
    """Whether an assignment stands where the rank is 0."""
    inner: cst.CSTNode = made
    for outer in source.ancestors(made):
        if isinstance(outer, cst.FunctionDef):
            return False
        if isinstance(outer, cst.If) and inner is outer.body:
            tests = re.split(r"\band\b", source.code(outer.test))
            if any(FIRST.fullmatch(each.strip(" ()")) for each in tests):
                return True
        inner = outer
    return False


def is_matched(call: cst.Call, name: str, function: cst.FunctionDef | None, source: Source) -> bool:
    """Whether the same collective is called elsewhere in the function, for the other processes."""
    return any(
        other is not call
        and source.name(other.func) == name
        and source.enclosing(other, cst.FunctionDef) is function
        and not asks_for_several(other, source)
        for other in source.nodes(cst.Call)
    )


def asks_for_several(call: cst.Call, source: Source) -> bool:
    """Whether it stands behind the question whether there are several processes, and no other: all call it."""
    tests = [source.code(e.test) for e in source.ancestors(call) if isinstance(e, cst.If)]
    return bool(tests) and all(map(SEVERAL.fullmatch, tests))


def names_group(call: cst.Call, name: str) -> bool:
    """`group=`, and a group by its place."""
    at = GROUP_AT.get(name.rpartition(".")[2], 2)
    return len(call.args) > at or any(a.keyword and a.keyword.value == "group" for a in call.args)


def list_others(
    call: cst.Call, function: cst.FunctionDef | None, source: Source
) -> Iterator[cst.Call]:
    """What only the other processes call: in the else, and after a return of the first."""
    branches = [each for each in source.ancestors(call) if isinstance(each, cst.If)]
    for other in source.nodes(cst.Call):
        if source.enclosing(other, cst.FunctionDef) is not function:
            continue
        around = [*source.ancestors(other)]
        for branch in branches:
            text = source.code(branch.body).rstrip()
            leaves = re.search(r"\n\s*(return\b|raise\b|sys\.exit|exit\()[^\n]*$", text)
            inside = any(each is branch for each in around)
            beside = branch.orelse is not None and any(each is branch.orelse for each in around)
            if beside or (leaves and not inside and source.precedes(branch, other)):
                yield other
        tests = [source.code(each.test) for each in around if isinstance(each, cst.If)]
        asked = (each for each in tests if "rank" in each and not SEVERAL.fullmatch(each))
        if any(not FIRST.fullmatch(each) for each in asked):
            yield other


def may_join(call: cst.Call, source: Source) -> bool:
    """Whether a call may be one that ends in the same collective."""
    name = source.name(call.func)
    return not name.startswith(("torch.", "time.", "logging.", "numpy.")) and name not in QUIET
