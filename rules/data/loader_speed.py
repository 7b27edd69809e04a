"""LT502: a loader that training waits for: no workers, workers started anew, copies that block."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import FALSE, TRUE, Class, External, Held, Unknown, Value
from lintorch.facts.training.loader_loops import LOADER, LoaderRead
from lintorch.source import Source, literal

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


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    given = name_arguments(event)
    training = [read for read in source.evaluation.list_reads(event) if read.trains]
    if training and not event.open:
        yield from _unhelped(event, given, training, source)
        if given["pin_memory"] == TRUE:
            yield from _blocking(training, source)


def _unhelped(
    event: Called, given: Mapping[str, Value], training: list[LoaderRead], source: Source
) -> Iterator[Hit]:
    """No workers, or workers that do not outlive an epoch."""
    workers = getattr(given["num_workers"], "value", None)
    if workers == 0 and type(workers) is int and _reads_files(given["dataset"]):
        message = "no num_workers: the training process opens each file itself, between steps"
        yield Hit(event, message, remedy="give num_workers, such as 2")
        return
    again = any(read.again for read in training) and source.profile.torch >= (1, 7)
    call = source.call_at(event)
    written = source.arguments(call).get("persistent_workers") if call is not None else None
    ended = given["persistent_workers"] == FALSE and written is None  # what is written was chosen
    if type(workers) is int and workers > 0 and again and ended:
        message = f"{workers} workers are ended and started anew at each epoch"
        wanted = _ask_workers(call, source)
        remedy = f"give persistent_workers={wanted}"
        yield Hit(event, message, _keep(event, wanted, source), remedy=remedy)


def _ask_workers(call: cst.Call | None, source: Source) -> str:
    """`True`, or `args.workers > 0` where others may give a number for which it is refused."""
    given = source.arguments(call).get("num_workers") if call is not None else None
    if given is None or isinstance(literal(given), int):
        return "True"
    plain = isinstance(given, (cst.Name, cst.Attribute, cst.Subscript, cst.Call))
    return f"{source.code(given)} > 0" if plain else f"({source.code(given)}) > 0"


def _keep(event: Called, wanted: str, source: Source) -> Fix | None:
    call = source.call_at(event)
    if call is None or source.name(call.func) != LOADER or any(a.star for a in call.args):
        return None  # what stars hold may be another number of workers, 0 among them
    edit = source.insert_argument(call, f"persistent_workers={wanted}")
    return Fix("keep the workers", (edit,), Applicability.UNSAFE)


def _blocking(training: list[LoaderRead], source: Source) -> Iterator[Hit]:
    """`x.to(device)` of what the loop reads."""
    for read in training:
        loop = read.event.loop
        batch = {
            each.id
            for each in ast.walk(getattr(loop, "target", ast.Pass()))
            if isinstance(each, ast.Name)
        }
        for event in source.evaluation.list_within(read.event):
            if isinstance(event, UnknownCalled) and event.method in ("to", "cuda"):
                func = event.node.func if isinstance(event.node, ast.Call) else None
                held = func.value if isinstance(func, ast.Attribute) else None
                moved = isinstance(held, ast.Name) and held.id in batch
                if moved and _is_waiting_move(event):
                    message = "waits for the copy, though the batch is pinned"
                    yield Hit(event, message, remedy="give non_blocking=True")


def _is_waiting_move(event: UnknownCalled) -> bool:
    """Whether a call names a device and no dtype, and is not told to go on."""
    given = event.given
    if given.open or "non_blocking" in given.keyword or len(given.positional) > 1:
        return False
    if event.method == "cuda":
        return True
    first = given.pick(0, "device")
    path = first.path if isinstance(first, (External, Unknown)) else ""
    return first is not None and not isinstance(first, External) and "dtype" not in path


def _reads_files(dataset: Value) -> bool:
    """Whether a dataset surely opens a file for each sample."""
    kind = dataset.of if isinstance(dataset, Held) else None
    if isinstance(kind, External):
        return bool(READS_FILES.fullmatch(kind.path))
    methods = kind.node.body if isinstance(kind, Class) else []
    reads = (each for each in methods if getattr(each, "name", "") == "__getitem__")
    return any(OPENS.search(ast.unparse(each)) for each in reads)
