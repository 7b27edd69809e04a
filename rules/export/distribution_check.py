"""LT162: a distribution that checks the numbers it is given, which exporters do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, GivenBack
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.values import FALSE, Constant, External, Held, Items, Number, Tensor, Value
from lintorch.evidence import Outcome, Trial, host_reads
from lintorch.evidence.treatment import report_refusal
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT162",
    summary="a distribution in forward that checks its arguments",
    why="""
        `torch.distributions.Normal(mean, scale)` and the others check the numbers that they are given,
        and those that log_prob and cdf are asked of, and raise ValueError for what does not fit.
        `torch.export`, and with it the new ONNX exporter, has no numbers to check: "Could not
        guard on data-dependent expression Eq(u0, 1)", at every size. The tracers leave the check
        out. Numbers of Python alone are checked while it exports: `Normal(0.0, 1.0).sample()` is
        taken. Measured on torch 2.13.

        `validate_args=False` computes the same without the check, also of numbers that do not fit:
        the scale of a Normal should then be positive by how it is computed, as of exp or softplus.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.distributions import Normal


        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(8, 4)

            def forward(self, seen):
                mean, scale = self.body(seen).chunk(2, -1)
                return Normal(mean, scale.exp()).rsample()
    """,
    good="""
        import torch
        from torch import nn
        from torch.distributions import Normal


        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(8, 4)

            def forward(self, seen):
                mean, scale = self.body(seen).chunk(2, -1)
                return Normal(mean, scale.exp(), validate_args=False).rsample()
    """,
    remedy="pass validate_args=False where it is made",
    proof="""
        torch.export.export(Policy().eval(), (torch.ones(2, 8),))
    """,
    fix=Applicability.UNSAFE,
)

HARM = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
NAMES = (
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli",
    "Dirichlet", "Exponential", "Gamma", "Geometric", "Gumbel", "HalfNormal", "Laplace", "LogNormal",
    "LowRankMultivariateNormal", "MultivariateNormal", "NegativeBinomial", "Normal",
    "OneHotCategorical", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT",
    "Uniform", "VonMises", "Weibull",
)  # fmt: skip
OF_OTHERS = ("TransformedDistribution", "MixtureSameFamily")
"""Made of distributions: these check what they are asked alone."""
HOME = "torch.distributions."
ASKED = ("log_prob", "cdf")
CHECKED = "data-dependent expression"
LINE = re.compile(rf"\b({'|'.join(NAMES)}|{'|'.join(OF_OTHERS)})\(|\.(log_prob|cdf)\(")


@rule.event(*(f"{HOME}{name}" for name in NAMES))
def in_making(event: Called, source: Source) -> Iterator[Hit]:
    """`Normal(mean, scale)`, of tensors, and used for more than to be returned."""
    if not event.way.forward or not takes_tensors(event):
        return
    if checks(event, source) and not gives_object(event, source):
        name = event.name.removeprefix(HOME)
        said = f"{name} checks the numbers of the tensors that it is given"
        yield Hit(event, said, skip_check(event, source), HARM, severity=weigh(source))


@rule.event(*(f"{HOME}{name}.{method}" for name in (*NAMES, *OF_OTHERS) for method in ASKED))
def in_question(event: Called, source: Source) -> Iterator[Hit]:
    """`self.prior.log_prob(z)` of what the constructor has made."""
    held, *given = event.positional or (None,)
    made = source.evaluation.ways.find_maker(held)
    if not event.way.forward or all(isinstance(each, (Constant, Number)) for each in given):
        return
    if not isinstance(made, Called) or not made.name.startswith(HOME) or not checks(made, source):
        return
    if is_asked_before(held, event, source):
        return
    if not is_told_there(made) and not gives_object(event, source):
        said = f"{event.name.rpartition('.')[2]} checks the numbers of the tensor that it is given"
        yield Hit(event, said, skip_check(made, source), HARM, severity=weigh(source))


def weigh(source: Source) -> Severity | None:
    """A note where nobody says what exports: most models that draw are those that train."""
    return None if source.profile.is_chosen else Severity.NOTE


def is_asked_before(held: Value | None, event: Called, source: Source) -> bool:
    """Whether the same distribution was asked in another line already, where the export ends."""
    users = source.evaluation.ways.find_users(held) if held is not None else ()
    asked = (u for u in users if isinstance(u, Called) and u.name.rpartition(".")[2] in ASKED)
    first = next(asked, event)
    return first.spot != event.spot


def takes_tensors(made: Called) -> bool:
    return any(isinstance(each, Tensor) for each in (*made.positional, *made.keyword.values()))


def is_told_there(made: Called) -> bool:
    """Whether its making is refused already: there the export ends."""
    return made.way.forward and takes_tensors(made) and made.name.removeprefix(HOME) in NAMES


def checks(made: Called, source: Source) -> bool:
    told = made.keyword.get("validate_args") == FALSE or made.open
    return not told and "set_default_validate_args" not in source.evaluation.words


def gives_object(event: Called, source: Source) -> bool:
    """Whether a forward gives a distribution, or what holds one, which no exporter takes anyway."""
    return any(
        isinstance(given, GivenBack)
        and given.way.forward
        and given.way.root == event.way.root
        and has_object(given.value)
        for _, given in source.evaluation.list_events({GivenBack})
    )


def has_object(given: Value) -> bool:
    """Whether it is, or is a list of, a distribution, or an object of a plain class."""
    if isinstance(given, Items):
        return any(map(has_object, given.items or ()))
    if not isinstance(given, Held) or given.kind != "object":
        return False
    foreign = [e.path for e in list_ancestors(given.of) if isinstance(e, External)]
    return not foreign or any(path.startswith(HOME) for path in foreign)


def skip_check(made: Called, source: Source) -> Fix | None:
    call = source.call_at(made)
    if call is None or any(each.star for each in call.args):
        return None
    text = "validate_args=False"
    return Fix(f"pass {text}", (source.insert_argument(call, text),), Applicability.UNSAFE)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.exporter not in HARM or CHECKED not in outcome.message or outcome.site is None:
        return
    line = host_reads.source_line(outcome.site)
    if LINE.search(line) and "validate_args" not in line:
        why = "a distribution checks numbers, of which there are none yet"
        yield report_refusal(outcome.site, outcome, why)
