"""LT536: workers of a loader that begin each epoch with the same seed."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import FALSE, NONE, Bound, Choice, Constant, Function, Value
from lintorch.facts.classes.written_once import find_written
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.facts.training.loaders import LOADER
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT536",
    summary="workers that begin each epoch with the same seed",
    why="""
        A loader starts its workers anew at each epoch, and gives each a seed of its own, for torch,
        `random` and NumPy. A `worker_init_fn` that seeds by the worker's number alone puts the same
        seed in its place at each epoch: what a dataset draws for the first sample of a worker, it
        draws again for the first of the next epoch, and so on. So does
        `np.random.get_state()[1][0] + worker_id`, since torch seeds NumPy by an array: that number
        is 2147483648 at all times. Measured on torch 2.13: with `np.random.seed(worker_id)` two
        epochs drew the same, without it, or seeded by `torch.initial_seed()`, they did not.

        Reported of loaders that shuffle, with workers that are not persistent, where classes of the
        project draw from what is seeded.
    """,
    bad="""
        import numpy as np
        from torch.utils.data import DataLoader, Dataset


        class Noise(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return np.random.rand()


        def seed_worker(worker_id):
            np.random.seed(worker_id)


        def make_loader():
            return DataLoader(Noise(), shuffle=True, num_workers=2, worker_init_fn=seed_worker)
    """,
    good="""
        import numpy as np
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Noise(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return np.random.rand()


        def seed_worker(worker_id):
            np.random.seed(torch.initial_seed() % 2**32)


        def make_loader():
            return DataLoader(Noise(), shuffle=True, num_workers=2, worker_init_fn=seed_worker)
    """,
    proof="""
        loader = make_loader()
        first, second = ([each.item() for each in loader] for _ in range(2))
        assert first != second
    """,
    remedy="seed it by torch.initial_seed() % 2**32, which differs from epoch to epoch",
    severity=Severity.WARNING,
)

SEEDS = {
    "np.random.seed": "numpy",
    "numpy.random.seed": "numpy",
    "random.seed": "random",
    **dict.fromkeys(("torch.manual_seed", "t.manual_seed", "th.manual_seed"), "torch"),
}
_USED_BY_CLASSES = rb"(?s)\A(?=.*\bdef __(getitem|call|iter)__\()(?=.*"
DRAWS = {
    "numpy": re.compile(
        _USED_BY_CLASSES
        + rb"\b(np|numpy)\.random\.(rand|uniform|normal|choice|beta|shuffle|perm|binomial))"
    ),
    "random": re.compile(
        _USED_BY_CLASSES
        + rb"(?<![.\w])random\.(random|rand\w+|uniform|choices?|sample|shuffle|gauss|\w+variate)\()"
    ),
    "torch": re.compile(rb"\btransforms\.(v2\.)?(Random|ColorJitter|AutoAugment|TrivialAugment)"),
}
"""What draws from what was seeded, where samples are made."""
_CHANGES = re.compile(r"epoch|time|iteration|\bstep|initial|base_seed|\binfo\b", re.I)
PLAIN = frozenset({"int", "abs", "np.random.get_state", "numpy.random.get_state"})
DEEPEST = 4


OTHERS = re.compile(r"(\w*Loader\w*|\w*Loader\w*\.__init__)$")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Seeding(NamedTuple):
    """One call that seeds: what, and by which expression."""

    node: ast.Call
    kind: str
    seed: ast.expr


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    given = name_arguments(event)
    function, kept = find_function(given["worker_init_fn"])
    if function is None or event.open or source.is_test or not works_by_chance(given):
        return
    if said := judge_function(function.node, kept, source):
        yield Hit(event, said, cause="seeds workers")


@rule.source(cst.Call, needs=("worker_init_fn",))
def in_other_loaders(call: cst.Call, source: Source) -> Iterator[Hit]:
    """A class of the project over DataLoader, or the constructor of one: `DataLoader.__init__(self, …)`."""
    name = source.name(call.func) or source.code(call.func)
    if name == LOADER or not OTHERS.search(name) or source.is_test:
        return
    given = source.arguments(call)
    fixed = any(given.value(word, None) in (0, False) for word in ("num_workers", "shuffle"))
    chance = {"shuffle", "sampler", "batch_sampler"} & given.by_name.keys()
    kept = given.value("persistent_workers", False) is not False
    asked = given.get("worker_init_fn")
    if fixed or kept or not chance or asked is None:
        return
    function, named = find_written_function(asked, source)
    if function is not None and (said := judge_function(function, named, source)):
        yield Hit(call, said, cause="seeds workers")


def find_written_function(
    asked: cst.BaseExpression, source: Source
) -> tuple[Definition | None, frozenset[str]]:
    """The function of the file that workers run first, seen through a name and partial()."""
    written = find_written(asked, source)
    if isinstance(written, cst.IfExp):
        written = written.body
    named = frozenset[str]()
    if isinstance(written, cst.Call) and source.name(written.func) == "functools.partial":
        named = frozenset(arg.keyword.value for arg in written.args if arg.keyword)
        written = written.args[0].value
    found = source.function(written)
    if found is None:
        return None, named
    node = ast.parse(textwrap.dedent(source.code(found))).body[0]
    return (node if isinstance(node, ast.FunctionDef) else None), named


def judge_function(function: Definition, kept: frozenset[str], source: Source) -> str:
    """What is wrong with the function that workers run first; or ""."""
    for each in list_seedings(function):
        if is_repeated(each.seed, function, kept) and is_drawn(each.kind, source):
            first = {arg.arg for arg in function.args.args[:1]}
            told = bool(first & set(list_names(each.seed, function)))
            by = "by the worker's number" if told else "by one number for all workers"
            return f"{ast.unparse(each.node.func)}() {by}: each epoch draws the same again"
    return ""


def is_drawn(kind: str, source: Source) -> bool:
    """Whether samples are made by what was seeded, in this file or in another of the project."""
    here = bool(DRAWS[kind].search(source.text.encode()))
    return here or is_written_around(DRAWS[kind], source.path, source.consulted, if_large=False)


def works_by_chance(given: Mapping[str, Value]) -> bool:
    """Whether workers are started anew at each epoch, for samples in an order of chance."""
    if given["num_workers"] == Constant(0) or given["persistent_workers"] != FALSE:
        return False
    return given["shuffle"] not in (NONE, FALSE) or given["sampler"] != NONE


def find_function(value: Value) -> tuple[Function | None, frozenset[str]]:
    """The function that workers run first, and the names of what it was given by then."""
    if isinstance(value, Bound):
        function, known = find_function(value.function)
        return function, known | {name for name, _ in value.keyword}
    if isinstance(value, Choice):  # `seed_worker if args.deterministic else None`
        found = [each for each in value.alternatives if each != NONE]
        return find_function(found[0]) if len(found) == 1 else (None, frozenset())
    return (value.inmost if isinstance(value, Function) else None), frozenset()


def list_seedings(function: ast.AST) -> Iterator[Seeding]:
    for each in ast.walk(function):
        if isinstance(each, ast.Call) and len(each.args) == 1 and not each.keywords:
            kind = SEEDS.get(ast.unparse(each.func), "")
            if kind:
                yield Seeding(each, kind, each.args[0])


def is_repeated(seed: ast.expr, function: ast.AST, kept: frozenset[str], depth: int = 0) -> bool:
    """Whether an expression is worked out of names and numbers that stay as they are."""
    if depth > DEEPEST or _CHANGES.search(ast.unparse(seed)):
        return False
    for each in ast.walk(seed):
        if isinstance(each, ast.Call) and ast.unparse(each.func) not in PLAIN:
            return False
        if isinstance(each, ast.Name) and each.id not in kept:
            bound = list_bound(each.id, function)
            if not all(is_repeated(value, function, kept, depth + 1) for value in bound):
                return False
    return True


def list_bound(name: str, function: ast.AST) -> Iterator[ast.expr]:
    """What a function gives a name."""
    for each in ast.walk(function):
        if isinstance(each, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and each.value is not None:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            if name in {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}:
                yield each.value


def list_names(seed: ast.expr, function: ast.AST, depth: int = 0) -> Iterator[str]:
    """The names that a seed is worked out of."""
    for each in ast.walk(seed):
        if isinstance(each, ast.Name):
            yield each.id
            for value in list_bound(each.id, function) if depth < DEEPEST else ():
                yield from list_names(value, function, depth + 1)
