"""LT503: an order or choice of samples that nobody asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.objects import derives_from, list_ancestors
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    TRUE,
    Choice,
    Class,
    Constant,
    External,
    Held,
    Value,
)
from lintorch.facts.classes.classes import ClassInfo, is_self
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.facts.training.loaders import (
    LOADER,
    assigned_variable,
    loader_arguments,
)
from lintorch.source import Source, literal
from lintorch.syntax.tree import offspring

rule = Rule(
    __name__,
    code="LT503",
    summary="samples in an order that nobody asked for",
    why="""
        `os.listdir`, `glob` and `Path.iterdir` list in an order of the file system. A dataset that
        indexes such a list numbers its samples otherwise on another machine: where images and
        masks are listed separately, they are paired wrongly; of one list alone, seeds and splits
        no longer hold, which is advice.

        A loader neither given `shuffle=True` nor a sampler shows a map-style dataset in the same
        order in every epoch of training. `drop_last=True` in an evaluation leaves the last
        samples out of the figures.

        Workers of a loader are copies of the dataset: a generator that it made in `__init__` is
        in the same state in each of them, with and without a seed, and again at each epoch. All
        draw the same numbers. `random`, `torch` and `numpy.random` themselves are seeded for each
        worker. Measured on torch 2.13.
    """,
    bad="""
        import os

        from torch.utils.data import Dataset


        class Pairs(Dataset):
            def __init__(self, images, masks):
                self.images = os.listdir(images)
                self.masks = sorted(os.listdir(masks))

            def __len__(self):
                return len(self.images)

            def __getitem__(self, index):
                return self.images[index], self.masks[index]
    """,
    good="""
        import os

        from torch.utils.data import Dataset


        class Pairs(Dataset):
            def __init__(self, images, masks):
                self.images = sorted(os.listdir(images))
                self.masks = sorted(os.listdir(masks))

            def __len__(self):
                return len(self.images)

            def __getitem__(self, index):
                return self.images[index], self.masks[index]
    """,
    proof="""
        here = {"images": ["b.png", "a.png"], "masks": ["a.png", "b.png"]}
        os.listdir = here.get
        image, mask = Pairs("images", "masks")[0]
        assert image == mask
    """,
    fix=Applicability.UNSAFE,
)

DATASETS = (
    "torch.utils.data.Dataset", "torch.utils.data.IterableDataset",
    "torchvision.datasets.VisionDataset", "torchvision.datasets.vision.VisionDataset",
)  # fmt: skip
MAP_STYLE = re.compile(
    r"torch\.utils\.data\.(dataset\.)?(TensorDataset|Subset|ConcatDataset)|"
    r"torchvision\.datasets\.(\w+\.)?(Image|MNIST|FashionMNIST|CIFAR|KMNIST|SVHN|STL|Fake)\w*"
)
EVEN = re.compile(r"torchvision\.datasets\.(\w+\.)?((Fashion|K)?MNIST|CIFAR100?)")
LISTS = frozenset({"os.listdir", "glob.glob", "glob.iglob"})
PATH_METHODS = frozenset({"iterdir", "rglob", "glob"})
GENERATORS = frozenset(
    {
        "numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator",
        "random.Random", "torch.Generator",
    }
)  # fmt: skip
PER_WORKER = ("get_worker_info", "worker_init_fn", "worker_id", "set_epoch", "worker_seed")
"""Words of files that see to their workers."""
EVALUATES = re.compile(
    r"(valid|validation|val|test|eval|evaluation|dev)_?(data_?)?(loader|dl|dataloader|iter)s?", re.I
)


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    """Of a dataset that surely is indexed, in a loop that trains epoch after epoch."""
    given, call = name_arguments(event), source.call_at(event)
    yield from incomplete(event, given, call, source)
    ordered = may_be_none(given["sampler"]) and given["batch_sampler"] == NONE
    if event.open or not ordered or given["shuffle"] not in (NONE, FALSE) or source.is_test:
        return
    if not any(read.trains and read.again for read in source.evaluation.list_reads(event)):
        return
    if is_map_style(given["dataset"]):
        shuffle = loader_arguments(call).get("shuffle") if call is not None else None
        asked = "shuffle" in event.keyword or len(event.positional) > 2
        severity = Severity.NOTE if asked else Severity.WARNING
        message = "trains on the samples in the same order at every epoch"
        if given["sampler"] == NONE:
            fix = shuffled(call, shuffle, asked, source)
            yield Hit(event, message, fix, severity=severity, remedy="give shuffle=True")
        else:
            remedy = "give shuffle=True where there is none"
            yield Hit(event, f"{message} without a sampler", severity=severity, remedy=remedy)


def may_be_none(sampler: Value) -> bool:
    """`DistributedSampler(data) if gpus > 1 else None`: on one GPU there is none."""
    each = sampler.alternatives if isinstance(sampler, Choice) else (sampler,)
    return NONE in each


def incomplete(
    event: Called, given: Mapping[str, Value], call: cst.Call | None, source: Source
) -> Iterator[Hit]:
    """A loader that is kept as one of an evaluation, and leaves samples out."""
    held = assigned_variable(call, source) if call is not None else None
    name = held.attr.value if isinstance(held, cst.Attribute) else held.value if held else ""
    if call is None or not EVALUATES.fullmatch(name) or given["drop_last"] != TRUE:
        return
    if given["batch_size"] == Constant(1) or comes_out_even(given) or is_only_sampled(name, source):
        return
    written = loader_arguments(call).by_name.get("drop_last")
    fix = None
    if written is not None and literal(written.value) is True:
        edit = source.replace(written.value, "False")
        fix = Fix("evaluate all samples", (edit,), Applicability.UNSAFE)
    yield Hit(
        call,
        "drop_last=True leaves the last samples out of the evaluation",
        fix,
        remedy="leave drop_last out",
    )


def is_only_sampled(name: str, source: Source) -> bool:
    """`batches = iter(self.val_loader)`: a batch now and then is looked at, of all that are drawn by chance."""
    taken = re.search(rf"\biter\([\w.]*\b{name}\)", source.text)
    return bool(taken) and not re.search(rf"\bin\b[^:\n]*\b{name}\b", source.text)


def comes_out_even(given: Mapping[str, Value]) -> bool:
    """Whether no sample is left over: MNIST and CIFAR have them by the 10,000."""
    size, kind = given["batch_size"], getattr(given["dataset"], "of", None)
    known = isinstance(kind, External) and EVEN.fullmatch(kind.path)
    number = size.value if isinstance(size, Constant) else None
    return bool(known) and type(number) is int and number > 0 and 10_000 % number == 0


@rule.source(cst.Call, needs=("os.listdir(", "glob(", "iterdir(", "listdir("))
def in_listings(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not is_listing(call, source):
        return
    info = source.classes.around(call)
    if info is None or not is_dataset(info, source):
        return
    for kept in kept_in(call, info, source):
        if is_indexed(kept, info, source):
            message = f"self.{kept} is indexed in the order of the file system"
            fix, remedy = (
                in_order(call, source),
                f"sort what is listed: {write_sorted(call, source)}",
            )
            severity = None if is_paired(kept, call, info, source) else Severity.NOTE
            yield Hit(call, message, fix, severity=severity, remedy=remedy, cause="order")
            return


@rule.source(cst.Call, needs=("default_rng(", "RandomState(", "random.Random(", "Generator("))
def in_generators(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) not in GENERATORS:
        return
    info = source.classes.around(call)
    made = source.enclosing(call, cst.FunctionDef)
    if info is None or made is not info.methods.get("__init__") or not is_dataset(info, source):
        return
    kept = held_through(call, source)
    drawn = kept and is_drawn_from(kept, info, source) and not source.mentions(PER_WORKER)
    if drawn and not has_no_worker(source):
        said = f"every worker of a loader copies self.{kept}: all draw the same numbers"
        yield Hit(call, said, remedy="seed it in worker_init_fn, or draw with torch")


def has_no_worker(source: Source) -> bool:
    """Whether the project has loaders, and none of them is given workers."""
    where = source.path, source.consulted
    return is_written_around(_LOADERS, *where) and not is_written_around(_WORKERS, *where)


_LOADERS = re.compile(rb"DataLoader\(")
_WORKERS = re.compile(rb"num_workers\W{1,3}(?!\W*0\b)\w|DataLoader\([^)]*\*\*")


# loaders


def shuffled(
    call: cst.Call | None, shuffle: cst.BaseExpression | None, asked: bool, source: Source
) -> Fix | None:
    if call is None or (asked and shuffle is None) or source.name(call.func) != LOADER:
        return None
    edit = (
        source.insert_argument(call, "shuffle=True")
        if shuffle is None
        else source.replace(shuffle, "True")
    )
    return Fix("shuffle", (edit,), Applicability.UNSAFE)


def is_map_style(dataset: Value) -> bool:
    """Whether it is of a class of torch, or of the project, that is read by numbers."""
    kind = dataset.of if isinstance(dataset, Held) else None
    if isinstance(kind, External):
        return bool(MAP_STYLE.fullmatch(kind.path))
    indexed = any(
        getattr(each, "name", "") == "__getitem__"
        for base in list_ancestors(kind)
        if isinstance(base, Class)
        for each in base.node.body
    )
    return indexed and any(derives_from(kind, each) for each in DATASETS) and reads_index(kind)


def reads_index(kind: Value | None) -> bool:
    """Whether it gives the sample that is asked for, not the next one of a stream."""
    first = next((b for b in list_ancestors(kind) if isinstance(b, Class) and _find_item(b)), None)
    method = _find_item(first) if first is not None else None
    given = method.args.args[1:2] if method is not None else []
    read = (
        {e.id for part in method.body for e in ast.walk(part) if isinstance(e, ast.Name)}
        if method
        else set()
    )
    return not given or given[0].arg in read


def _find_item(kind: Class) -> ast.FunctionDef | None:
    named = (e for e in kind.node.body if isinstance(e, ast.FunctionDef))
    return next((each for each in named if each.name == "__getitem__"), None)


def is_dataset(info: ClassInfo, source: Source) -> bool:
    """Whether a class is derived from a Dataset, also as `Dataset[Sample]`."""
    bases = (base.value for base in info.node.bases)
    names = (source.name(b.value if isinstance(b, cst.Subscript) else b) for b in bases)
    return any(source.classes.is_subclass(n, DATASETS) for n in names)


# listings


def is_listing(call: cst.Call, source: Source) -> bool:
    """`os.listdir(root)`, or a method of a path."""
    name = source.name(call.func)
    method = isinstance(call.func, cst.Attribute) and call.func.attr.value in PATH_METHODS
    return name in LISTS or (method and not name)


def is_paired(kept: str, call: cst.Call, info: ClassInfo, source: Source) -> bool:
    """Whether another list is read at the same index, as images and masks that must keep in step."""
    listings = (each for each in source.nodes(cst.Call) if is_listing(each, source))
    inside = (each for each in listings if source.classes.around(each) is info)
    apart = (e for e in inside if e is not call and not fill_together(e, call, source))
    others = {name for each in apart for name in list_kept(each, info, source)}
    indices = list_indices(kept, info, source)
    return any(list_indices(name, info, source) & indices for name in others - {kept})


def fill_together(one: cst.Call, other: cst.Call, source: Source) -> bool:
    """Whether two listings cannot get out of step: one is a loop within the other's, or the other's alternative."""
    within = [[e for e in source.ancestors(call) if type(e) is cst.For] for call in (one, other)]
    loops = ((a, b) for a in within[0] for b in within[1])
    if any(a is b for a, b in loops):
        return True
    sides = ({id(e) for e in source.ancestors(call)} for call in (one, other))
    choices = [e for e in source.ancestors(one) if isinstance(e, cst.If) and e.orelse is not None]
    mine, its = sides
    return any(
        (id(e.body) in mine and id(e.orelse) in its) or (id(e.body) in its and id(e.orelse) in mine)
        for e in choices
    )


def list_kept(call: cst.Call, info: ClassInfo, source: Source) -> Iterator[str]:
    """The attributes that keep a listing, sorted or not."""
    for target in targets_of(call, source):
        if isinstance(target, cst.Attribute):
            yield target.attr.value
        else:
            yield from made_from(target.value, info)


def list_indices(attribute: str, info: ClassInfo, source: Source) -> set[str]:
    """What `__getitem__` reads it at: `index` of `self.x[index]`."""
    methods = (one.methods.get("__getitem__") for one in source.classes.lineage(info))
    read = re.compile(rf"\bself\.{re.escape(attribute)}\[([^\]]+)\]")
    return {each for m in methods if m is not None for each in read.findall(source.code(m.body))}


def write_sorted(call: cst.Call, source: Source) -> str:
    """`sorted(os.listdir(root))`, of a listing as it is written where that is short."""
    code = source.code(call)
    return f"sorted({code})" if len(code) <= 40 and "\n" not in code else "sorted(...)"


def kept_in(call: cst.Call, info: ClassInfo, source: Source) -> Iterator[str]:
    """The attributes that keep a listing in its order, themselves or through a local list."""
    text = source.code(info.node)
    for target in targets_of(call, source):
        name = target.attr.value if isinstance(target, cst.Attribute) else target.value
        kept = [name] if isinstance(target, cst.Attribute) else list(made_from(name, info))
        if not any(is_sorted(word, text) for word in (name, *kept)):
            yield from kept


def targets_of(call: cst.Call, source: Source) -> Iterator[cst.Name | cst.Attribute]:
    """What a listing is assigned to: whole, filtered, or item by item in a loop."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, cst.Assign):
            yield from filter(is_place, (target.target for target in outer.targets))
        elif isinstance(outer, cst.For) and inner is outer.iter:
            yield from filled(outer.body)
        wraps = isinstance(outer, cst.Call) and source.name(outer.func) in ("list", "filter")
        comprehends = isinstance(outer, (cst.Arg, cst.ListComp))
        iterates = isinstance(outer, cst.CompFor) and inner is outer.iter
        if not (wraps or comprehends or iterates):
            return
        inner = outer


def is_place(target: cst.CSTNode) -> TypeGuard[cst.Name | cst.Attribute]:
    own = isinstance(target, cst.Attribute) and is_self(target.value)
    return own or isinstance(target, cst.Name)


def filled(node: cst.CSTNode) -> Iterator[cst.Name | cst.Attribute]:
    """The lists that code adds to: `x.append(…)`, `self.x += …`."""
    for child in offspring(node):
        yield from filled(child)
    place: cst.CSTNode | None = None
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        place = node.func.value if node.func.attr.value in ("append", "extend") else None
    elif isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign):
        place = node.target
    if place is not None and is_place(place):
        yield place


def made_from(name: str, info: ClassInfo) -> Iterator[str]:
    """The attributes assigned from a local list: `self.x = files`, `self.x = [… for f in files]`."""
    for attribute, values in info.attributes.items():
        sources = (v.for_in.iter if isinstance(v, cst.ListComp) else v for v in values)
        if any(isinstance(s, cst.Name) and s.value == name for s in sources):
            yield attribute


def is_sorted(name: str, text: str) -> bool:
    return bool(re.search(rf"sort\w*\((self\.)?{name}\b|\b{name}\.sort\(", text))


def is_indexed(attribute: str, info: ClassInfo, source: Source) -> bool:
    """Whether `__getitem__`, of the class or of a base in the file, reads `self.x[index]`."""
    methods = (one.methods.get("__getitem__") for one in source.classes.lineage(info))
    read = f"self.{attribute}["
    return any(method is not None and read in source.code(method.body) for method in methods)


def in_order(call: cst.Call, source: Source) -> Fix:
    """`sorted(…)` around the listing, or in place of a `list(…)` around it."""
    around = source.parent(source.parent(call) or call)
    if isinstance(around, cst.Call) and source.name(around.func) == "list":
        edit = source.replace(around.func, "sorted")
    else:
        edit = source.replace(call, f"sorted({source.code(call)})")
    return Fix("sort it", (edit,), Applicability.UNSAFE)


# generators


def held_through(call: cst.Call, source: Source) -> str:
    """The `self.x` that a generator, or `torch.Generator().manual_seed(0)`, is assigned to."""
    outer = source.parent(call)
    if isinstance(outer, cst.Attribute) and outer.attr.value == "manual_seed":
        seeded = source.parent(outer)
        call = seeded if isinstance(seeded, cst.Call) else call
    held = assigned_variable(call, source)
    return held.attr.value if isinstance(held, cst.Attribute) else ""


def is_drawn_from(attribute: str, info: ClassInfo, source: Source) -> bool:
    """Whether reading a sample mentions the generator."""
    methods = [info.methods.get(name) for name in ("__getitem__", "__getitems__")]
    mentioned = re.compile(rf"self\.{re.escape(attribute)}\b")
    return any(m is not None and mentioned.search(source.code(m.body)) for m in methods)
