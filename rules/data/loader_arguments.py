"""LT501: a data loader, dataset or split that refuses what it is given."""

from __future__ import annotations

import math
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.api.tentative import is_tentative
from lintorch.source import UNKNOWN, Source, literal
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
WORDS = ("DataLoader", "random_split")


@rule.source(cst.Call, needs=WORDS)
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name == LOADER:
        given = source.arguments(call, *PARAMETERS)
        hits = [*exclusive(call, given, source), *without_workers(call, given, source)]
        hits += [*values(given), *iterable(given, source), *whole_class(given, source)]
    elif name == SPLIT:
        hits = list(split(call, source))
    else:
        return
    if hits and not is_tentative(call, source):
        yield from hits


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


def exclusive(call: cst.Call, given: Arguments, source: Source) -> Iterator[Hit]:
    shuffled = given.value("shuffle", None) is True
    if shuffled and is_made(given.get("sampler"), source):
        arg = given.by_name["shuffle"]
        yield Hit(call, "shuffle=True with a sampler: ValueError", dropped(call, arg, source))
    if not is_made(given.get("batch_sampler"), source):
        if given.value("batch_size", 1) is None and given.value("drop_last", False) is True:
            yield Hit(call, "drop_last=True with batch_size=None: ValueError")
        return
    size = given.value("batch_size", 1)
    clashes = {
        f"batch_size={size}": size is not UNKNOWN and size != 1,
        "shuffle=True": shuffled,
        "sampler": is_made(given.get("sampler"), source),
        "drop_last=True": given.value("drop_last", False) is True,
    }
    for shown in (shown for shown, clash in clashes.items() if clash):
        yield Hit(call, f"batch_sampler with {shown}: ValueError")
        return


def without_workers(call: cst.Call, given: Arguments, source: Source) -> Iterator[Hit]:
    if given.value("num_workers", 0) != 0 or given.value("num_workers", 0) is UNKNOWN:
        return
    factor = given.value("prefetch_factor", None)
    always = source.profile.torch >= (2, 0) or factor != 2
    context = literal(given.get("multiprocessing_context"))
    for name, wrong in {
        "prefetch_factor": isinstance(factor, int) and always,
        "persistent_workers": given.value("persistent_workers", False) is True,
        "multiprocessing_context": isinstance(context, str),
        "timeout": (wait := given.value("timeout", 0)) is not UNKNOWN and wait > 0,
    }.items():
        if wrong:
            fix = dropped(call, given.by_name[name], source)
            kind = "AssertionError when it is read" if name == "timeout" else "ValueError"
            yield Hit(call, f"{name} needs num_workers above 0: {kind}", fix)
            return


def values(given: Arguments) -> Iterator[Hit]:
    size, workers = given.value("batch_size", 1), given.value("num_workers", 0)
    if type(size) is int and size < 1:
        yield Hit(given.by_name["batch_size"], f"batch_size={size}: ValueError")
    if type(workers) is int and workers < 0:
        yield Hit(given.by_name["num_workers"], f"num_workers={workers}: ValueError")


def iterable(given: Arguments, source: Source) -> Iterator[Hit]:
    dataset = given.get("dataset")
    built = source.built(dataset) if dataset is not None else ()
    if len(built) != 1 or not is_a(source.name(built[0].func), (ITERABLE,), source):
        return
    for name in ("shuffle", "sampler", "batch_sampler"):
        value = given.get(name)
        if literal(value) is True or is_made(value, source):
            yield Hit(given.by_name[name], f"{name} with an iterable dataset: ValueError")


def whole_class(given: Arguments, source: Source) -> Iterator[Hit]:
    dataset = given.get("dataset")
    if isinstance(dataset, cst.Name) and (name := dataset_class(dataset, source)):
        yield Hit(dataset, f"the class {name} is given, not an instance of it: TypeError")


def is_made(value: cst.BaseExpression | None, source: Source) -> bool:
    """Whether an argument surely is an object: a sampler of torch, or one of a class of the file."""
    if value is None:
        return False
    built = source.built(value)
    return bool(built) and all(source.name(call.func).endswith("Sampler") for call in built)


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


def split(call: cst.Call, source: Source) -> Iterator[Hit]:
    lengths = source.arguments(call, "dataset", "lengths").get("lengths")
    if not isinstance(lengths, (cst.List, cst.Tuple)):
        return
    numbers = literal(lengths)
    if numbers is not UNKNOWN:
        kinds = {type(n) for n in numbers}
        if float not in kinds or kinds - {int, float} or source.profile.torch < (1, 13):
            return
        total = sum(numbers)
        if not math.isclose(total, 1):
            yield Hit(lengths, f"fractions that add up to {total!r} and not to 1: ValueError")
    else:
        for element in lengths.elements:
            if is_fraction_of_size(element.value, source):
                yield Hit(element.value, "a count that is a float: wrap it in int()")
                return


def is_fraction_of_size(node: cst.BaseExpression, source: Source, depth: int = 0) -> bool:
    """`0.8 * len(data)` or `len(data) / 5`, directly or by name."""
    if isinstance(node, cst.Name) and depth < 2:
        given = source.classes.assigned(node)
        return len(given) == 1 and is_fraction_of_size(given[0], source, depth + 1)
    if not isinstance(node, cst.BinaryOperation):
        return False
    sides = (node.left, node.right)
    sized = any(is_size(side, source) for side in sides)
    if isinstance(node.operator, cst.Multiply):
        return sized and any(isinstance(literal(side), float) for side in sides)
    return isinstance(node.operator, cst.Divide) and is_size(node.left, source)


def is_size(node: cst.BaseExpression, source: Source) -> bool:
    built = source.built(node)
    return bool(built) and all(source.name(call.func) == "len" for call in built)


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


def dropped(call: cst.Call, arg: cst.Arg, source: Source) -> Fix | None:
    """The call without one of its keyword arguments."""
    if arg.keyword is None or len(call.args) < 2:
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
