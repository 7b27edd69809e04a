"""LT217: a layer that is made and never used in its class."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from lintorch.core.finding import Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called
from lintorch.evaluator.objects import MODULE, has_open_base, is_module_class, list_ancestors
from lintorch.evaluator.values import Class, External, Held, Value
from lintorch.evidence import GraphCapture, IdleLayer, Trace, Tracer
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.project.parts_elsewhere import is_imported_beside
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT217",
    summary="a layer that is made and never used",
    why="""
        A layer that forward never reaches has weights all the same: they are saved, moved, counted
        and given to the optimizer, DistributedDataParallel raises as they get no gradient, and a
        checkpoint without them does not load. Measured on torch 2.13.

        Off by default: another file, or a class derived elsewhere, may use the layer, and old
        checkpoints may need it to be there.
    """,
    bad="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)
                self.second = nn.Linear(4, 4)

            def forward(self, x):
                return self.first(x)
    """,
    good="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)

            def forward(self, x):
                return self.first(x)
    """,
    remedy="call it in forward, or remove it",
    proof="""
        net = Net()
        net(torch.ones(1, 4)).sum().backward()
        assert all(p.grad is not None for p in net.parameters()), "a parameter without gradient"
    """,
    severity=Severity.NOTE,
    default=False,
)

_STATELESS = re.compile(
    r"(Loss|Pool[123]d|Pad[123]d|ReLU6?|LU|Sigmoid|[Ss]wish|Mish|Tanh|[Ss]hrink|Softm\w+|Softplus"
    r"|Softsign|Identity|Flatten|Upsample|Fold|Shuffle|Similarity|Dropout\w*|Activation)$"
)
"""Layers without weights."""
_WHOLE = re.compile(
    r"getattr\(|\.(children|named_children|modules|named_modules|_modules|__dict__)\b|locals\(|vars\("
)
"""Ways to reach layers without their names."""


@rule.event(AttributeSet)
def in_source(event: AttributeSet, source: Source) -> Iterator[Hit]:
    kinds = list_own_classes(event.held)
    if not kinds or event.way.forward or not holds_weights(event.value, source):
        return
    name = event.attribute
    texts = {kind.file.path: kind.file.text for kind in kinds}
    if sum(count_words(text)[name] for text in texts.values()) != 1:
        return
    whole = any(_WHOLE.search(ast.unparse(kind.node)) for kind in kinds)
    if not whole and not is_named_elsewhere(name, kinds, source):
        yield Hit(event, f"self.{name} is made and never used: its weights get no gradient")


@lru_cache(maxsize=16)
def count_words(text: str) -> Counter[str]:
    """How often each word stands in a file."""
    return Counter(re.findall(r"\w+", text))


def is_named_elsewhere(name: str, kinds: list[Class], source: Source) -> bool:
    """Whether another file that knows one of the classes speaks of the layer."""
    words = frozenset({name})
    return any(
        is_imported_beside(kind.name, words, kind.file.path, source.consulted) for kind in kinds
    )


def list_own_classes(held: Value) -> list[Class]:
    """The classes that make up a module with a forward, where all of them are known; else none."""
    kinds = [*list_ancestors(held.of)] if isinstance(held, Held) else []
    own = [each for each in kinds if isinstance(each, Class)]
    foreign = [each.path for each in kinds if isinstance(each, External)]
    forward = any(
        isinstance(n, ast.FunctionDef) and n.name == "forward" for k in own for n in k.node.body
    )
    known = foreign == [MODULE] and not any(map(has_open_base, own))
    return own if known and forward else []


def holds_weights(value: Value, source: Source) -> bool:
    """Whether it is a module that has weights, as far as its class says."""
    if not isinstance(value, Held) or not is_module_class(value.of):
        return False
    path = value.of.path if isinstance(value.of, External) else ""
    made = source.evaluation.ways.find_maker(value)
    empty = path == "torch.nn.Sequential" and isinstance(made, Called) and not made.positional
    return not empty and not _STATELESS.search(path)


@rule.trace(IdleLayer)
def in_trace(event: IdleLayer, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: some weights are used although their layer is never called."""
    idle = [{e.site for e in run.events if isinstance(e, IdleLayer)} for run in trace.runs]
    if all(map(is_whole_run, trace.runs)) and all(event.site in sites for sites in idle):
        message = f"no run of {trace.record.qualname} calls {event.layer}, at any size tried"
        yield Hit(event, message, confirms=True)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    ran = [call for call in trace.list_calls() if call.outputs]
    for site, layer in {event.built: event.layer for event in ran}.items():
        if site is not None:
            yield Refuted(site, f"{trace.record.qualname} calls {layer}")
