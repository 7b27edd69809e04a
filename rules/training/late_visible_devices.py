"""LT422: CUDA_VISIBLE_DEVICES set after CUDA has been asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, ItemSet, Occurrence
from lintorch.evaluator.values import Constant, External
from lintorch.facts.models.one_way import may_follow
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT422",
    remedy="set it before anything asks CUDA, or in the shell",
    summary="CUDA_VISIBLE_DEVICES set too late",
    why="""
        `CUDA_VISIBLE_DEVICES` is read once, when CUDA is first asked: set later, it changes
        nothing, and the script runs on other GPUs than meant. `torch.cuda.is_available()` asks,
        `torch.cuda.device_count()` need not; so says the documentation of `torch.cuda`.

        Set it in the shell, or before anything asks. Files that start other processes may mean
        the variable for those, and are left alone.
    """,
    bad="""
        import os

        import torch


        def choose(gpu):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            os.environ["CUDA_VISIBLE_DEVICES"] = gpu
            return device
    """,
    good="""
        import os

        import torch


        def choose(gpu):
            os.environ["CUDA_VISIBLE_DEVICES"] = gpu
            return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    """,
    unproven="""
        It takes a machine with several GPUs.
    """,
    formerly=("LT413", "distributed-habits"),
)

ASKS_CUDA = frozenset(
    f"torch.cuda.{name}"
    for name in (
        "is_available", "init", "current_device", "set_device", "get_device_name", "synchronize",
        "get_device_properties", "get_device_capability", "mem_get_info", "is_bf16_supported",
    )
)  # fmt: skip
CHILDREN = ("subprocess", "multiprocessing", "Popen", "Process", "spawn", "execv", "system")
"""Words of files where a variable may be meant for another process."""
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.BoolOp, ast.Lambda)


@rule.event(ItemSet)
def in_settings(event: ItemSet, source: Source) -> Iterator[Hit]:
    if event.held != External("os.environ") or event.index != Constant("CUDA_VISIBLE_DEVICES"):
        return
    if source.is_test or not source.evaluation.words.isdisjoint(CHILDREN):
        return
    if not event.way.certain and len(event.way.names) > 2 and _is_function(event.way.root):
        return  # unknown arguments decide whether it is set at all
    if names_all(event, source) or names_current(event, source):
        return
    for each in source.evaluation.list_before(event):
        if isinstance(each, Called) and each.name in ASKS_CUDA and is_sure(each, event, source):
            other = each.spot.path != event.spot.path
            where = f" in {each.spot.path}:{each.spot.row}" if other else ""
            message = f"set after {each.name}(){where} has asked CUDA: changes nothing any more"
            yield Hit(event, f"CUDA_VISIBLE_DEVICES {message}")
            return


def names_current(event: ItemSet, source: Source) -> bool:
    """`str(torch.cuda.current_device())`: what is used anyway."""
    ways = source.evaluation.ways
    made = (ways.find_maker(each) for each in ways.list_sources(event.value))
    return any(isinstance(e, Called) and e.name == "torch.cuda.current_device" for e in made)


def names_all(event: ItemSet, source: Source) -> bool:
    """`",".join(map(str, range(torch.cuda.device_count())))`, also by a name: what is visible anyway."""
    around = source.evaluation.list_around(event)
    written = next((each for each in around if isinstance(each, ast.Assign)), None)
    if written is None:
        return False
    given = ast.unparse(written.value)
    named = [
        source.code(each.value)
        for each in source.nodes(cst.Assign)
        if any(source.code(target.target) == given for target in each.targets)
    ]
    return all("device_count()" in text for text in named or [given])


def _is_function(root: str) -> bool:
    """Whether a root is a function that was followed with unknown arguments, and no script or class."""
    name = root.rpartition(":")[2]
    return bool(name) and name != "main" and not name[0].isupper()


def is_sure(first: Occurrence, event: Occurrence, source: Source) -> bool:
    """Whether something happens on all ways that lead to an event."""
    if first.spot.path == event.spot.path and first.spot.row > event.spot.row:
        return False  # the same code was run before: for another device
    around = [*source.evaluation.list_all_around(event)]
    inner = first.node
    for outer in source.evaluation.list_all_around(first):
        first_asked = isinstance(outer, ast.BoolOp) and outer.values[0] is inner
        asked = first_asked or getattr(outer, "test", None) is inner
        if isinstance(outer, BRANCHES) and not asked and not any(outer is e for e in around):
            return False
        inner = outer
    return may_follow(first, event, source.evaluation)
