"""LT221: weights of a wrapped model that are loaded into one that is not, or the other way."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE, TRUE, Constant, External, Held, Items, Unknown, Value
from lintorch.facts.exporting.declared_sizes import list_pairs
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT221",
    summary="weights of a wrapped model loaded into one that is not",
    why="""
        DataParallel and DistributedDataParallel put `module.` in front of every key of their state
        dict, torch.compile `_orig_mod.`. A model that is not wrapped knows none of these keys:
        load_state_dict raises, and with `strict=False` loads nothing and says nothing. So does a
        wrapped model with the weights of one that is not. Measured on torch 2.13.

        Save and load by what is inside: `model.module.state_dict()`. What is followed are the
        wrappers of torch.nn, where both ends are in one script or function.
    """,
    bad="""
        import torch
        from torch import nn


        def copy(path):
            wrapped = nn.DataParallel(nn.Linear(4, 2))
            torch.save(wrapped.state_dict(), path)
            model = nn.Linear(4, 2)
            model.load_state_dict(torch.load(path), strict=False)
            return model
    """,
    good="""
        import torch
        from torch import nn


        def copy(path):
            wrapped = nn.DataParallel(nn.Linear(4, 2))
            torch.save(wrapped.module.state_dict(), path)
            model = nn.Linear(4, 2)
            model.load_state_dict(torch.load(path), strict=False)
            return model
    """,
    proof="""
        torch.manual_seed(0)
        model = copy("weights.pt")
        assert torch.equal(model.weight, torch.load("weights.pt")["weight"])
    """,
    severity=Severity.ERROR,
)

STATE = "torch.nn.Module.state_dict"
LOAD = "torch.nn.Module.load_state_dict"
WRAPPERS = frozenset(
    {
        "torch.nn.DataParallel", "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
    }
)  # fmt: skip


@rule.event(LOAD)
def in_loads(event: Called, source: Source) -> Iterator[Hit]:
    model = event.positional[0] if event.positional else None
    state = event.keyword.get("state_dict", event.positional[1] if event.positional[1:] else None)
    saved = find_saved(state, event, source)
    if event.open or saved is None or not isinstance(model, Held) or model.kind != "object":
        return
    if is_wrapped(saved) is is_wrapped(model):
        return
    strict = event.keyword.get("strict", event.positional[2] if event.positional[2:] else TRUE)
    effect = "strict=False hides that nothing is loaded" if strict == FALSE else "it raises"
    if is_wrapped(saved):
        message = f"these weights are of a wrapped model, whose keys begin with module.: {effect}"
        yield Hit(event, f"{message}; save .module.state_dict()")
    else:
        message = f"the keys of a wrapped model begin with module., these do not: {effect}"
        yield Hit(event, f"{message}; load them into its .module")


def find_saved(state: Value | None, event: Called, source: Source) -> Held | None:
    """The model that a state dict is of, by way of a file too; None where that is not known."""
    made = source.evaluation.ways.find_maker(state)
    if isinstance(made, Called) and made.name == STATE:
        held = made.positional[0] if made.positional else None
        return held if isinstance(held, Held) else None
    key: Value | None = None
    if isinstance(made, Indexed):
        key, made = made.index, source.evaluation.ways.find_maker(made.held)
    if not isinstance(made, Called) or made.name != "torch.load":
        return None
    written = find_written(name_given(made).get("f"), made, source)
    if key is not None:
        pairs = list_pairs(written) if isinstance(written, Items) else ()
        written = next((value for name, value in pairs if Constant(name) == key), None)
    again = source.evaluation.ways.find_maker(written)
    if not isinstance(again, Called) or again.name != STATE:
        return None
    held = again.positional[0] if again.positional else None
    return held if isinstance(held, Held) else None


def find_written(path: Value | None, load: Called, source: Source) -> Value | None:
    """What the same code wrote to a file, if it wrote there once."""
    if not isinstance(path, Constant) and not (isinstance(path, Unknown) and path.path):
        return None
    saves = [
        each
        for _, each in source.evaluation.list_events({"torch.save"})
        if isinstance(each, Called)
        and each.way.root == load.way.root
        and name_given(each).get("f") == path
    ]
    spots = {each.spot for each in saves}
    return name_given(saves[0]).get("obj") if len(spots) == 1 else None


def is_wrapped(model: Held) -> bool:
    return isinstance(model.of, External) and model.of.path in WRAPPERS
