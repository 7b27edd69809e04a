"""LT502: a loader that training waits for: no workers, workers started anew, copies that block."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.training.loaders import LOADER, LoaderLoop, loader_arguments, loops_over_loader
from lintorch.source import Source, literal
from lintorch.syntax.literals import Arguments

rule = Rule(
    __name__,
    code="LT502",
    summary="a loader that training waits for",
    why="""
        Without `num_workers` the batches are made in the training process, between the steps.
        With workers, each epoch ends them and starts new ones, which read the dataset anew, unless
        `persistent_workers=True`; workers that are kept do not see what is changed in the dataset
        between epochs. Batches in pinned memory are copied to the GPU while the model
        computes only by `.to(device, non_blocking=True)`; without it, pinning gains little.

        Only loaders that a training loop of the same file reads are reported: without workers
        where each sample surely opens a file, persistent workers where they are read epoch after
        epoch. Off by default: what is faster depends on the data and the machine. That workers
        are started anew was measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import DataLoader


        def train(model, optimizer, data):
            loader = DataLoader(data, num_workers=1)
            for epoch in range(2):
                for batch in loader:
                    optimizer.zero_grad()
                    model(batch).sum().backward()
                    optimizer.step()
    """,
    good="""
        from torch.utils.data import DataLoader


        def train(model, optimizer, data):
            loader = DataLoader(data, num_workers=1, persistent_workers=True)
            for epoch in range(2):
                for batch in loader:
                    optimizer.zero_grad()
                    model(batch).sum().backward()
                    optimizer.step()
    """,
    proof="""
        import os


        class Workers(torch.utils.data.Dataset):
            def __len__(self):
                return 1

            def __getitem__(self, index):
                return torch.tensor([float(os.getpid())])


        seen = set()
        model = torch.nn.Linear(1, 1)
        model.register_forward_pre_hook(lambda _, inputs: seen.add(inputs[0].item()))
        train(model, torch.optim.SGD(model.parameters(), lr=0.0), Workers())
        assert len(seen) == 1
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
    default=False,
)

READS_FILES = re.compile(
    r"torchvision\.datasets\.(folder\.)?(ImageFolder|DatasetFolder|ImageNet|Coco\w+|VOC\w+|Places365)"
)
OPENS = re.compile(
    r"\b(open|\w*imread|read_image|decode_image|np\.load|torch\.load|torchaudio\.load)\("
)


@rule.source(cst.Call, needs=("DataLoader(",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != LOADER:
        return
    given = loader_arguments(call)
    training = [
        read for read in loops_over_loader(call, source) if source.loops.of(read.loop).trains
    ]
    if training and given.complete:
        yield from unhelped(call, given, training, source)
        if literal(given.get("pin_memory")) is True:
            yield from blocking(training, source)


def unhelped(
    call: cst.Call, given: Arguments, training: list[LoaderLoop], source: Source
) -> Iterator[Hit]:
    """No workers, or workers that do not outlive an epoch."""
    workers = given.value("num_workers", 0)
    if workers == 0 and type(workers) is int and reads_files(given, source):
        yield Hit(
            call, "no num_workers: the training process opens each file itself, between steps"
        )
        return
    again = any(read.epochs for read in training) and source.profile.torch >= (1, 7)
    ended = given.value("persistent_workers", False) is False
    if type(workers) is int and workers > 0 and again and ended:
        message = f"{workers} workers are ended and started anew at each epoch"
        yield Hit(call, message, kept(call, given, source))


def kept(call: cst.Call, given: Arguments, source: Source) -> Fix:
    written = given.get("persistent_workers")
    added = "persistent_workers=True"
    edit = (
        source.insert_argument(call, added) if written is None else source.replace(written, "True")
    )
    return Fix("keep the workers", (edit,), Applicability.UNSAFE)


def blocking(training: list[LoaderLoop], source: Source) -> Iterator[Hit]:
    """`x.to(device)` of what the loop reads."""
    for read in training:
        batch = {name.value for name in names_in(read.loop.target)}
        for call in source.loops.of(read.loop).calls:
            func = call.func
            if not isinstance(func, cst.Attribute) or func.attr.value not in ("to", "cuda"):
                continue
            moved = isinstance(func.value, cst.Name) and func.value.value in batch
            told = any(arg.keyword and arg.keyword.value == "non_blocking" for arg in call.args)
            positional = sum(arg.keyword is None for arg in call.args)
            if moved and not told and positional < 2 and is_move(call, source):
                yield Hit(call, "waits for the copy: the batch is pinned, give non_blocking=True")


def is_move(call: cst.Call, source: Source) -> bool:
    """Whether a call of `to` names a device and not a dtype."""
    if any(arg.star for arg in call.args):
        return False
    given = [arg.value for arg in call.args]
    assert isinstance(call.func, cst.Attribute)
    if call.func.attr.value == "cuda" or not given:
        return call.func.attr.value == "cuda"
    name = source.name(given[0])
    return not name.startswith("torch.") and "dtype" not in source.code(given[0])


def names_in(target: cst.BaseExpression) -> Iterator[cst.Name]:
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from names_in(element.value)


def reads_files(given: Arguments, source: Source) -> bool:
    """Whether a dataset surely opens a file for each sample."""
    dataset = given.get("dataset")
    built = source.built(dataset) if dataset is not None else ()
    return bool(built) and all(opens(source.name(call.func), source) for call in built)


def opens(name: str, source: Source) -> bool:
    info = source.classes.named(name)
    if info is None:
        return bool(READS_FILES.fullmatch(name))
    method = info.methods.get("__getitem__")
    return method is not None and bool(OPENS.search(source.code(method.body)))
