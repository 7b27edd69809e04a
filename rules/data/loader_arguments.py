"""LT501: a data loader, dataset or split that refuses what it is given."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.objects import derives_from
from lintorch.evaluator.values import (
    NONE,
    TRUE,
    Class,
    Constant,
    External,
    Held,
    Items,
    Number,
    Value,
)
from lintorch.facts.api.tentative import is_tentative
from lintorch.source import Source, literal
from lintorch.syntax.literals import Arguments

rule = Rule(
    __name__,
    code="LT501",
    summary="a data loader, dataset or split that refuses what it is given",
    why="""
        A DataLoader raises ValueError where arguments exclude each other: shuffle=True with a
        sampler, batch_sampler with batch_size, shuffle, sampler or drop_last, prefetch_factor,
        persistent_workers or multiprocessing_context without workers, shuffle or a sampler with
        an iterable dataset. Only what is surely given is reported: a sampler that may be None
        is not.

        random_split takes counts or fractions. Fractions must add up to 1, and a count that is a
        float, such as 0.8 * len(data), raises TypeError. A dataset class that is indexed,
        measured or loaded from where an instance was meant raises TypeError.

        A loader with workers whose loop stands at the top of a script starts the script anew
        in each worker, where processes are spawned and not forked: on Windows and macOS, and on
        Linux since Python 3.14. It raises RuntimeError there, unless the loop is under
        if __name__ == "__main__". As it runs well elsewhere, this is only a note, unless the
        file itself asks for spawned processes. Measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import DataLoader, RandomSampler


        def loader(data):
            return DataLoader(data, shuffle=True, sampler=RandomSampler(data))
    """,
    good="""
        from torch.utils.data import DataLoader, RandomSampler


        def loader(data):
            return DataLoader(data, sampler=RandomSampler(data))
    """,
    proof="""
        assert len(list(loader([1, 2, 3]))) == 3
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)
LOADER, SPLIT = "torch.utils.data.DataLoader", "torch.utils.data.random_split"
DATASET, ITERABLE = "torch.utils.data.Dataset", "torch.utils.data.IterableDataset"
PARAMETERS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context",
    "generator",
)  # fmt: skip
SPAWNING = ("spawn", "forkserver")
Given = Mapping[str, Value]


@rule.event(LOADER, SPLIT)
def in_calls(event: Called, source: Source) -> Iterator[Hit]:
    call = source.call_at(event)
    if call is not None and is_tentative(call, source):
        return
    given = name_arguments(event)
    if event.name == LOADER:
        yield from exclusive(event, given, source)
        yield from without_workers(event, given, source)
        yield from values(event, given, source)
        yield from iterable(event, given, source)
        yield from whole_class(event, given, source)
    else:
        yield from split(event, given, source)


@rule.source(cst.Subscript, cst.Call, needs=("Dataset",))
def class_for_instance(node: cst.Subscript | cst.Call, source: Source) -> Iterator[Hit]:
    """`Images[0]`, `len(Images)`, `Images.__getitem__(0)`."""
    if isinstance(node, cst.Subscript):
        index = node.slice[0].slice
        counted = isinstance(index, cst.Index) and isinstance(literal(index.value), int)
        asked, said = (node.value if counted else None), "indexed"
    elif isinstance(node.func, cst.Attribute):
        direct = node.func.attr.value == "__getitem__" and len(node.args) == 1
        asked, said = (node.func.value if direct and not node.args[0].star else None), "indexed"
    else:
        measured = source.name(node.func) == "len" and len(node.args) == 1
        asked, said = (node.args[0].value if measured else None), "measured"
    name = dataset_class(asked, source) if isinstance(asked, cst.Name) else ""
    if name and not is_tentative(node, source):
        yield Hit(node, f"the class {name} is {said}, not an instance of it: TypeError")


@rule.source(cst.For, cst.Call, needs=("num_workers",))
def unguarded(node: cst.For | cst.Call, source: Source) -> Iterator[Hit]:
    """A loop over a loader with workers that runs when the file is imported."""
    if isinstance(node, cst.For):
        over = node.iter
    elif source.name(node.func) == "next" and node.args:
        over = node.args[0].value
    else:
        return
    if source.enclosing(node, cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.If, cst.Try):
        return
    built = source.built(loaded(over, source))
    if len(built) == 1 and source.name(built[0].func) == LOADER:
        given = source.arguments(built[0], *PARAMETERS)
        workers = given.value("num_workers", 0)
        if type(workers) is int and workers > 0:
            severity = Severity.WARNING if spawns(given, source) else Severity.NOTE
            said = "a loader with workers is read outside of if __name__ == '__main__'"
            yield Hit(node, f"{said}: RuntimeError where processes are spawned", severity=severity)


# what excludes each other


def exclusive(event: Called, given: Given, source: Source) -> Iterator[Hit]:
    shuffled = given["shuffle"] == TRUE
    if shuffled and is_made(given["sampler"]):
        fix = dropped(event, "shuffle", source)
        yield Hit(event, "shuffle=True with a sampler: ValueError", fix)
    if not is_made(given["batch_sampler"]):
        if given["batch_size"] == NONE and given["drop_last"] == TRUE:
            yield Hit(event, "drop_last=True with batch_size=None: ValueError")
        return
    size = given["batch_size"]
    clashes = {
        f"batch_size={shown(size)}": isinstance(size, Constant) and size.value != 1,
        "shuffle=True": shuffled,
        "sampler": is_made(given["sampler"]),
        "drop_last=True": given["drop_last"] == TRUE,
    }
    for word in (word for word, clash in clashes.items() if clash):
        yield Hit(event, f"batch_sampler with {word}: ValueError")
        return


def without_workers(event: Called, given: Given, source: Source) -> Iterator[Hit]:
    if given["num_workers"] != Constant(0):
        return
    factor, wait = given["prefetch_factor"], given["timeout"]
    always = source.profile.torch >= (2, 0) or factor != Constant(2)
    context = given["multiprocessing_context"]
    for name, wrong in {
        "prefetch_factor": isinstance(factor, Constant) and factor != NONE and always,
        "persistent_workers": given["persistent_workers"] == TRUE,
        "multiprocessing_context": isinstance(context, Constant) and context != NONE,
        "timeout": isinstance(wait, Constant) and bool(wait.value),
    }.items():
        if wrong:
            kind = "AssertionError when it is read" if name == "timeout" else "ValueError"
            message = f"{name} needs num_workers above 0: {kind}"
            yield Hit(event, message, dropped(event, name, source))
            return


def values(event: Called, given: Given, source: Source) -> Iterator[Hit]:
    size, workers = given["batch_size"], given["num_workers"]
    if is_below(size, 1):
        message = f"batch_size={shown(size)}: ValueError"
        yield Hit(written(event, "batch_size", source), message)
    if is_below(workers, 0):
        message = f"num_workers={shown(workers)}: ValueError"
        yield Hit(written(event, "num_workers", source), message)


def is_below(value: Value, least: int) -> bool:
    return isinstance(value, Constant) and type(value.value) is int and value.value < least


def shown(value: Value) -> str:
    return repr(value.value) if isinstance(value, Constant) else "?"


def iterable(event: Called, given: Given, source: Source) -> Iterator[Hit]:
    dataset = given["dataset"]
    if not isinstance(dataset, Held) or not derives_from(dataset.of, ITERABLE):
        return
    for name in ("shuffle", "sampler", "batch_sampler"):
        if given[name] == TRUE or is_made(given[name]):
            message = f"{name} with an iterable dataset: ValueError"
            yield Hit(written(event, name, source), message)


def whole_class(event: Called, given: Given, source: Source) -> Iterator[Hit]:
    kind = given["dataset"]
    if not isinstance(kind, Class) or kind.node.keywords or holds_items(kind):
        return
    if any(derives_from(kind, each) for each in (DATASET, ITERABLE)):
        message = f"the class {kind.name} is given, not an instance of it: TypeError"
        yield Hit(written(event, "dataset", source), message)


def holds_items(kind: Class) -> bool:
    """Whether the class itself can be indexed."""
    return any(getattr(each, "name", "") == "__class_getitem__" for each in kind.node.body)


def is_made(value: Value) -> bool:
    """Whether an argument surely is an object: a sampler of torch, or one of a class of the project."""
    if not isinstance(value, Held) or value.of is None:
        return False
    name = value.of.path if isinstance(value.of, External) else value.of.name
    return name.endswith("Sampler")


def written(event: Called, name: str, source: Source) -> Called | cst.CSTNode:
    """Where an argument stands, if the call itself names it."""
    call = source.call_at(event)
    found = source.arguments(call, *PARAMETERS).by_name.get(name) if call is not None else None
    return event if found is None else found


def dataset_class(name: cst.Name, source: Source) -> str:
    """The name of a dataset class of this file; "" of anything else."""
    info = source.classes.named(source.name(name))
    if info is None or not is_a(source.name(name), (DATASET, ITERABLE), source):
        return ""
    metaclass = any(arg.keyword is not None for arg in info.node.keywords)
    return "" if metaclass or "__class_getitem__" in info.methods else info.name


def is_a(dotted: str, bases: tuple[str, ...], source: Source) -> bool:
    return source.classes.is_subclass(dotted, bases)


# splits


def split(event: Called, given: Given, source: Source) -> Iterator[Hit]:
    lengths = given.get("lengths")
    parts = lengths.items if isinstance(lengths, Items) else None
    if not parts:
        return
    numbers = [each.value for each in parts if isinstance(each, Constant)]
    if len(numbers) == len(parts):
        kinds = {type(each) for each in numbers}
        if float not in kinds or kinds - {int, float} or source.profile.torch < (1, 13):
            return
        total = sum(numbers)
        if not math.isclose(total, 1):
            message = f"fractions that add up to {total!r} and not to 1: ValueError"
            yield Hit(lengths_at(event, source), message)
        return
    for index, each in enumerate(parts):
        if isinstance(each, Number) and each.whole is False:
            message = "a count that is a float: wrap it in int()"
            yield Hit(lengths_at(event, source, index), message)
            return


def lengths_at(event: Called, source: Source, index: int | None = None) -> Called | cst.CSTNode:
    """Where the lengths stand, or one of them."""
    call = source.call_at(event)
    if call is None:
        return event
    found = source.arguments(call, "dataset", "lengths").get("lengths")
    if found is None:
        return event
    if index is None or not isinstance(found, (cst.List, cst.Tuple)):
        return found
    return found.elements[index].value if index < len(found.elements) else found


# loops at the top of a script


def loaded(over: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """The loader inside `enumerate(loader)`, `iter(loader)` or `tqdm(loader)`."""
    while isinstance(over, cst.Call) and over.args and source.name(over.func) != LOADER:
        over = over.args[0].value
    return over


def spawns(given: Arguments, source: Source) -> bool:
    context = literal(given.get("multiprocessing_context"))
    asked = any(f'set_start_method("{way}"' in source.text.replace("'", '"') for way in SPAWNING)
    return context in SPAWNING or asked


# the fix


def dropped(event: Called, name: str, source: Source) -> Fix | None:
    """The call without one of its keyword arguments."""
    call = source.call_at(event)
    arg = source.arguments(call, *PARAMETERS).by_name.get(name) if call is not None else None
    if call is None or arg is None or arg.keyword is None or len(call.args) < 2:
        return None
    index = list(call.args).index(arg)
    start, end = span(arg, source)
    if index + 1 < len(call.args):
        end = span(call.args[index + 1], source)[0]
    else:
        start = span(call.args[index - 1], source)[1]
    if "#" in source.text[start:end]:
        return None
    return Fix(f"drop {arg.keyword.value}", (Edit(start, end, ""),), Applicability.SAFE)


def span(arg: cst.Arg, source: Source) -> tuple[int, int]:
    first = source.replace(arg.keyword or arg.value, "").start
    return first - len(arg.star), source.replace(arg.value, "").end
