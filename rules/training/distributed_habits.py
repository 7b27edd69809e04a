"""LT413: habits of distributed training that break it, slow it down or have been retired."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.training.loaders import (
    LOADER,
    LoaderLoop,
    assigned_variable,
    is_same_variable,
    loader_arguments,
    loops_over_loader,
)
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT413",
    summary="a habit that breaks or slows distributed training",
    why="""
        A DistributedSampler orders the data by its seed and epoch number. Where nobody calls
        `set_epoch`, each epoch shows the same order.

        `torch.distributed.launch` of torch 2.0 and later passes `--local-rank`: a parser that
        knows `--local_rank` alone ends with "unrecognized arguments". The launcher itself is
        deprecated and warns; `torchrun` passes the rank in the variable LOCAL_RANK only.

        `CUDA_VISIBLE_DEVICES` is read once, when CUDA is first asked: set later, it changes
        nothing. `torch.cuda.is_available()` asks, `torch.cuda.device_count()` need not.

        Notes: a context manager that reaches a barrier behind its yield does not reach it when
        its body raises, and the other processes wait for it until they time out. DataParallel
        copies the model at every step, from one process; torch recommends
        DistributedDataParallel. `find_unused_parameters=True` walks the graph at every step: it
        is reported where the model surely uses all its parameters, or where `static_graph=True`
        finds them out anyway. Measured on torch 2.13, but for CUDA_VISIBLE_DEVICES, which is
        from the documentation of `torch.cuda`.
    """,
    bad="""
        from torch.utils.data import DataLoader, DistributedSampler


        def train(model, optimizer, data, world, rank):
            sampler = DistributedSampler(data, world, rank)
            loader = DataLoader(data, batch_size=4, sampler=sampler)
            for epoch in range(2):
                for batch in loader:
                    optimizer.zero_grad()
                    model(batch).sum().backward()
                    optimizer.step()
    """,
    good="""
        from torch.utils.data import DataLoader, DistributedSampler


        def train(model, optimizer, data, world, rank):
            sampler = DistributedSampler(data, world, rank)
            loader = DataLoader(data, batch_size=4, sampler=sampler)
            for epoch in range(2):
                sampler.set_epoch(epoch)
                for batch in loader:
                    optimizer.zero_grad()
                    model(batch).sum().backward()
                    optimizer.step()
    """,
    proof="""
        seen = []
        model = torch.nn.Linear(1, 1)
        model.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].flatten().tolist()))
        train(model, torch.optim.SGD(model.parameters()), torch.arange(8.0).view(8, 1), 2, 0)
        assert len(seen) == 2
        assert seen[0] != seen[1]
    """,
    fix=Applicability.UNSAFE,
)

SAMPLERS = (
    "torch.utils.data.DistributedSampler",
    "torch.utils.data.distributed.DistributedSampler",
)
SETS_EPOCH = ("set_epoch", "Accelerator", "abric", "ightning")
"""Words of files where the epoch is told, or a framework tells it."""
PARALLEL = ("torch.nn.DataParallel", "torch.nn.parallel.DataParallel")
DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
ALL_USED = re.compile(
    r"torchvision\.models\.(alexnet|convnext|densenet|efficientnet|mnasnet|mobilenet|regnet|"
    r"(wide_)?resne[tx]|shufflenet|squeezenet|vgg)\w*"
)
"""Models whose forward always uses every parameter."""
BARRIERS = ("torch.distributed.barrier", "torch.distributed.monitored_barrier")
MANAGERS = ("contextlib.contextmanager", "contextlib.asynccontextmanager")
RUNS = re.compile(r"os\.(system|popen|exec\w+)|subprocess\.\w+")
LAUNCH = "torch.distributed.launch"
RANKED = ("LOCAL_RANK", ".local_rank", "torch.distributed", "init_dist")
"""Words of files that a launcher starts."""
ASKS_CUDA = frozenset(
    f"torch.cuda.{name}"
    for name in (
        "is_available", "init", "current_device", "set_device", "get_device_name", "synchronize",
        "get_device_properties", "get_device_capability", "mem_get_info", "is_bf16_supported",
    )
)  # fmt: skip
CHILDREN = ("subprocess", "multiprocessing", "Popen", "Process(", "spawn", "os.exec", "os.system")
"""Words of files where a variable may be meant for another process."""


@rule.source(cst.Call, needs=("DistributedSampler(",))
def epochs_alike(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) not in SAMPLERS or source.mentions(SETS_EPOCH):
        return
    given = source.arguments(call, "dataset", "num_replicas", "rank", "shuffle", "seed")
    if given.value("shuffle", True) is not True:
        return
    for loader, read in loops_fed_by(call, source):
        inside = read.epochs in list(source.ancestors(call))
        if read.epochs is None or not source.loops.of(read.loop).trains:
            continue
        if not (inside and given.get("seed") is not None):
            fix = None if inside else told(call, loader, read.epochs, source)
            yield Hit(call, "no set_epoch: each epoch shows the data in the same order", fix)
            return


@rule.source(cst.Call, needs=("--local_rank",))
def rank_option(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "add_argument":
        return
    old = [arg for arg in call.args if literal(arg.value) == "--local_rank"]
    told = ("--local-rank", "deepspeed", "parse_known_args")
    known = source.profile.torch < (2, 0) or source.mentions(told)
    if old and not known and source.mentions(RANKED) and not any(a.star for a in call.args):
        quote = source.code(old[0].value)
        both = f"{quote}, {quote.replace('--local_rank', '--local-rank')}"
        edit = source.replace(old[0].value, both)
        fix = Fix("take --local-rank too", (edit,), Applicability.SAFE)
        needed = source.mentions((".local_rank",)) and not source.mentions(("LOCAL_RANK",))
        severity = Severity.ERROR if needed else Severity.WARNING
        message = "torch.distributed.launch passes --local-rank, which this parser refuses"
        yield Hit(call, message, fix, severity=severity)


@rule.source(cst.Assign, needs=("CUDA_VISIBLE_DEVICES",))
def devices_too_late(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    if any(sets_devices(target.target, source) for target in assign.targets):
        around = list(source.ancestors(assign))
        for call in source.nodes(cst.Call):
            name = source.name(call.func)
            if name in ASKS_CUDA and runs_before(call, assign, around, source):
                if not source.mentions(CHILDREN):
                    message = f"set after {name}() has asked CUDA: changes nothing any more"
                    yield Hit(assign, f"CUDA_VISIBLE_DEVICES {message}")
                return


@rule.source(cst.SimpleString, cst.FormattedStringText, needs=(LAUNCH,))
def old_launcher(text: cst.SimpleString | cst.FormattedStringText, source: Source) -> Iterator[Hit]:
    if LAUNCH in text.value and source.profile.torch >= (1, 10) and is_run(text, source):
        message = "torch.distributed.launch is deprecated and warns: torchrun starts the processes"
        whole = text if isinstance(text, cst.SimpleString) else source.parent(text)
        yield Hit(whole, message, severity=Severity.NOTE)


@rule.source(cst.FunctionDef, needs=("barrier(",))
def barrier_unreached(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    if not any(source.name(d.decorator) in MANAGERS for d in function.decorators):
        return
    own = [y for y in source.nodes(cst.Yield) if source.enclosing(y, cst.FunctionDef) is function]
    if len(own) != 1 or source.enclosing(own[0], cst.Try, cst.FunctionDef) is not function:
        return
    for call in source.nodes(cst.Call):
        within = source.enclosing(call, cst.FunctionDef) is function
        if within and source.precedes(own[0], call) and source.name(call.func) in BARRIERS:
            message = "not reached where the body raises: other processes wait for it in vain"
            yield Hit(call, f"{message}; put the yield in try and this in finally",
                      severity=Severity.NOTE)  # fmt: skip
            return


@rule.source(cst.Call, needs=("DataParallel(", "find_unused_parameters"))
def wrappers(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in PARALLEL and not source.mentions(("DistributedDataParallel", "DDP")):
        if source.mentions((".backward()",)):
            message = "copies the model at every step: DistributedDataParallel is faster"
            yield Hit(call, f"DataParallel {message}", severity=Severity.NOTE)
    elif name == DISTRIBUTED:
        given = source.arguments(call, "module")
        model = given.get("module")
        if given.value("find_unused_parameters", False) is not True or model is None:
            return
        arg = given.by_name["find_unused_parameters"]
        if given.value("static_graph", False) is True:
            message = "find_unused_parameters with static_graph=True, which finds them by itself"
            yield Hit(arg, message, severity=Severity.NOTE)
        elif uses_all(model, source):
            message = (
                "find_unused_parameters=True walks the graph at each step; this model has none"
            )
            yield Hit(arg, message, severity=Severity.NOTE)


# the epoch


def loops_fed_by(sampler: cst.Call, source: Source) -> Iterator[tuple[cst.Call, LoaderLoop]]:
    """The loaders that are given a sampler, and the loops over them."""
    held = assigned_variable(sampler, source)
    for call in source.nodes(cst.Call):
        if source.name(call.func) == LOADER:
            given = loader_arguments(call).get("sampler")
            named = given is not None and held is not None and is_same_variable(given, held, source)
            if given is sampler or named:
                yield from ((call, read) for read in loops_over_loader(call, source))


def told(
    sampler: cst.Call, loader: cst.Call, epochs: cst.For | cst.While, source: Source
) -> Fix | None:
    """`sampler.set_epoch(epoch)` first in the loop, where both names surely stand for these."""
    inline = isinstance(source.parent(sampler), cst.Arg)
    held = assigned_variable(loader if inline else sampler, source)
    if held is None or not isinstance(epochs, cst.For) or not is_in_reach(held, epochs, source):
        return None
    number = epochs.target.value if isinstance(epochs.target, cst.Name) else "_"
    counted = number != "_" and "range(" in source.code(epochs.iter)
    if not counted or not isinstance(epochs.body, cst.IndentedBlock):
        return None
    name = f"{source.code(held)}.sampler" if inline else source.code(held)
    added = source.above(epochs.body.body[0], f"{name}.set_epoch({number})")
    return Fix("tell the sampler the epoch", (added,), Applicability.UNSAFE)


def is_in_reach(held: cst.Name | cst.Attribute, epochs: cst.CSTNode, source: Source) -> bool:
    """Whether the loop sees a name that is assigned once, in no branch, and never to None."""
    made = source.enclosing(held, cst.FunctionDef)
    branches = (cst.If, cst.Try, cst.For, cst.While, cst.FunctionDef)
    given = source.classes.assigned(held)
    alone = len(given) == 1 and isinstance(given[0], cst.Call)
    if not alone or source.enclosing(held, *branches) is not made:
        return False
    if isinstance(held, cst.Attribute):
        return source.classes.around(held) is source.classes.around(epochs)
    return made is source.enclosing(epochs, cst.FunctionDef)


# the rest


def sets_devices(target: cst.CSTNode, source: Source) -> bool:
    """`os.environ["CUDA_VISIBLE_DEVICES"]`."""
    if not isinstance(target, cst.Subscript) or source.name(target.value) != "os.environ":
        return False
    index = target.slice[0].slice
    return isinstance(index, cst.Index) and literal(index.value) == "CUDA_VISIBLE_DEVICES"


def runs_before(
    call: cst.Call, assign: cst.Assign, around: list[cst.CSTNode], source: Source
) -> bool:
    """Whether a call stands before an assignment, in no branch but those both are in."""
    if not source.precedes(call, assign):
        return False
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.IndentedBlock, cst.Lambda)) and outer not in around:
            return False
        if isinstance(outer, cst.IfExp) and inner is not outer.test:
            return False
        inner = outer
    functions = (cst.FunctionDef, cst.ClassDef)
    return source.enclosing(call, *functions) is source.enclosing(assign, *functions)


def is_run(text: cst.CSTNode, source: Source) -> bool:
    """Whether a string is part of a command: behind "-m" in a list, or text that is run."""
    element = source.parent(text)
    items = source.parent(element) if isinstance(element, cst.Element) else None
    if isinstance(items, (cst.List, cst.Tuple)):
        return literal(text) == LAUNCH and any(literal(e.value) == "-m" for e in items.elements)
    calls = (outer for outer in source.ancestors(text) if isinstance(outer, cst.Call))
    return any(RUNS.fullmatch(source.name(call.func)) for call in calls)


def uses_all(model: cst.BaseExpression, source: Source) -> bool:
    """Whether a model surely uses every parameter: a plain model of torchvision, or plain layers."""
    made = source.origins(model)
    return bool(made) and all(is_plain(call, source) for call in made)


def is_plain(call: cst.Call, source: Source) -> bool:
    name = source.name(call.func)
    if name == "torch.nn.Sequential":
        return all(isinstance(a.value, cst.Call) and is_plain(a.value, source) for a in call.args)
    listed = name.endswith(("List", "Dict", "Parameter", "Parallel"))
    return (name.startswith("torch.nn.") and not listed) or bool(ALL_USED.fullmatch(name))
