"""LT132: numbers that torch draws in eval mode, which what is exported draws anew at each call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Returned
from lintorch.evaluator.values import Items, Value
from lintorch.evidence import FeltChance, Outcome, TorchDraw, Trace, Trial
from lintorch.facts.models.gradient_flow import GradientFlow
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT132",
    summary="random numbers drawn by torch in forward in eval mode",
    why="""
        What torch draws in forward (`torch.randn_like`, `torch.bernoulli`, a sample of a
        distribution, noise) is drawn by the exported model as well, at each call: torch.export and
        TorchScript keep the operator, ONNX has RandomNormalLike, Bernoulli and others, which the
        runtime draws by a generator of its own. `torch.manual_seed` has no say there, two runs
        differ, and no comparison with eager says anything. What ONNX has no operator for
        (`uniform_`, `torch.randperm`) its exporters refuse. Where Python alone reads what was drawn
        (`if torch.rand(()) < 0.1`), a trace keeps the choice made for its example. Measured on torch
        2.13: also `torch.rand` of a plain size, or of one that was read from the input, is drawn
        anew by what torch.export, both ONNX exporters and jit.trace make.

        Source tells what surely ends in the output of a model: noise that is added, a first state
        of an LSTM that is drawn (`h0 = torch.randn(...)`). Noise that the model spreads itself, as
        below, is a note; models and functions named as ones that sample or augment are left to runs
        and trials.

        Give the noise as an input of the model, draw only where `self.training` is set, or give
        back the mean. Where sampling is meant to be part of what is deployed, say so with
        `# lintorch: ignore[LT132]`. Dropout that stays on is LT202, numbers of Python LT113.
    """,
    bad="""
        import torch
        from torch import nn


        class Latent(nn.Module):
            def __init__(self):
                super().__init__()
                self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)

            def forward(self, x):
                mean, spread = self.mean(x), self.spread(x).exp()
                return mean + spread * torch.randn_like(mean)
    """,
    good="""
        import torch
        from torch import nn


        class Latent(nn.Module):
            def __init__(self):
                super().__init__()
                self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)

            def forward(self, x):
                mean, spread = self.mean(x), self.spread(x).exp()
                if not self.training:
                    return mean
                return mean + spread * torch.randn_like(mean)
    """,
    remedy="draw outside and pass it in, or only `if self.training:`",
    proof="""
        import torch

        x = torch.ones(1, 8)
        program = torch.export.export(Latent().eval(), (x,)).module()
        assert torch.equal(program(x), program(x))
    """,
)

DRAWN_ONCE = "keeps what was drawn for its example: what is exported draws no more"
DROPOUT = "ropout"
"""In the names of functions that another rule speaks of."""
ATTENTION = "torch.nn.functional.scaled_dot_product_attention"

DRAWS = tuple(
    f"torch.{name}"
    for name in (
        "rand", "randn", "rand_like", "randn_like", "normal", "bernoulli", "Tensor.bernoulli",
        "Tensor.normal_", "Tensor.uniform_", "Tensor.bernoulli_", "Tensor.exponential_",
    )
)  # fmt: skip
MEANT = re.compile(
    r"aug|bayes|diffus|dist|drop|gan(?![a-z])|gauss|generat|gumbel|jitter|mask|nois|perturb"
    r"|quant|rand|reparam|sampl|stochastic|style|vae|variation",
    re.I,
)
"""In names of models, functions and files that draw on purpose."""


@rule.event(*DRAWS)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    """`x + torch.randn_like(x)`, of which the model makes what it gives back."""
    names = (*Path(event.spot.path).with_suffix("").parts[-2:], *event.way.names)
    if not event.way.forward or not event.way.certain or any(map(MEANT.search, names)):
        return
    if MEANT.search(ast.unparse(event.node).partition("(")[2]):  # `rand(n, self.noise_channels)`
        return
    if "generator" in event.keyword:  # another rule says that this is refused
        return
    if ends_in_output(event, source) and not is_given_back(event, source):
        short = event.name.removeprefix("torch.").removeprefix("Tensor.")
        milder = Severity.NOTE if is_spread(event, source) else None
        message = f"{short}() is drawn anew at each call, in eval mode too"
        yield Hit(event, message, severity=milder)


def ends_in_output(event: Called, source: Source) -> bool:
    """Whether what is drawn goes into the numbers that the model gives back, on every branch."""
    flow = GradientFlow(source.evaluation)
    given = list_given_back(event, source)
    return any(id(event.result) in flow.list_reached(value) for value in given)


def list_given_back(event: Called, source: Source) -> Iterator[Value]:
    """What the model gives back in which something happens."""
    for reached in source.evaluation.reached:
        for each in reached.events:
            if isinstance(each, Returned) and each.way.root == event.way.root:
                yield from list_tensors(each.value)


def is_given_back(event: Called, source: Source) -> bool:
    """Whether the model gives what it drew beside what it made of it: `return quantiles, taus`."""
    return any(is_moved(value, event, source) for value in list_given_back(event, source))


def is_moved(value: Value, event: Called, source: Source) -> bool:
    """Whether a value is what was drawn, through nothing but views and moves."""
    for _ in range(MOST_MOVES):
        if value is event.result:
            return True
        made = source.evaluation.ways.find_maker(value)
        if not isinstance(made, Called) or name_operation(made) not in MOVES:
            return False
        held = find_operand(made)
        if held is None:
            return False
        value = held
    return False


MOST_MOVES = 6
MOVES = frozenset({"unsqueeze", "squeeze", "view", "reshape", "to", "cuda", "float"})


def list_tensors(value: Value) -> tuple[Value, ...]:
    return (value.items or (value,)) if isinstance(value, Items) else (value,)


def is_spread(event: Called, source: Source) -> bool:
    """Whether what is drawn is spread by what the model works out: a sample of a distribution."""
    users = source.evaluation.ways.find_users(event.result)
    return ("randn" in event.name or "normal" in event.name) and any(
        isinstance(each, Combined) and each.operator == "Mult" and is_computed(each, event, source)
        for each in users
    )


def is_computed(product: Combined, event: Called, source: Source) -> bool:
    other = product.right if product.left is event.result else product.left
    return source.evaluation.ways.stands_on_data(other)


@rule.trace(FeltChance)
def in_trace(event: FeltChance, trace: Trace) -> Iterator[Hit]:
    if not is_dropout(event):
        yield Hit(
            event, f"{shorten(event)} is drawn anew at each call, in eval mode too; {event.change}"
        )


@rule.trial("random")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """What is random was run, and its numbers compared with nothing.

    Where no other draw of one line showed in the output, each line that draws may be the one.
    """
    felt: list[FeltChance | TorchDraw] = [*trial.trace.find_events(FeltChance)]
    felt = felt or [*trial.trace.find_events(TorchDraw)]
    for event in {each.site: each for each in felt}.values():
        if not is_dropout(event):
            kept = "keeps it: what is exported draws at each call"
            draws = f"{outcome.exporter} {DRAWN_ONCE if outcome.drawn_once else kept}"
            yield Hit(event, f"{shorten(event)} is drawn in eval mode; {draws}")


def is_dropout(event: FeltChance | TorchDraw) -> bool:
    return DROPOUT in event.function or event.function == ATTENTION


def shorten(event: FeltChance | TorchDraw) -> str:
    """`torch.randn_like()`, `uniform_()`."""
    return f"{event.function.removeprefix('torch.Tensor.').removeprefix('torch.nn.functional.')}()"
