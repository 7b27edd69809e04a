"""One model with the original text, whose numbers are kept, or with a fixed one, compared with those."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

from lintorch.guest.construct.make_model import Built
from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.examine_model import describe_found, find_model, give_lively_weights
from lintorch.guest.export_model import RunnableModel, try_exporters
from lintorch.guest.feed.given_weights import GivenWeights
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Send
from lintorch.guest.proof.compare_observations import compare_observations, list_gained
from lintorch.guest.proof.executed_rows import ExecutedRows
from lintorch.guest.proof.kept_model import KeptModel, describe_way, keep_model, recall_model
from lintorch.guest.proof.match_keys import describe_keys, match_keys, put_weights
from lintorch.guest.proof.observe_model import (
    Observation,
    digest_state,
    list_state,
    observe_alike,
    observe_first,
    run_once,
)
from lintorch.guest.watch.make_tensors import is_weightless
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.bounds import SLACK
from lintorch.record.messages import ModelCompared, ModelFound, ModelObserved, TimeNeeded
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Model
from lintorch.record.proofs import Change, Comparison, Observed

_SHARE = 0.15
"""Of the seconds that a model may take, for running it as it is: with a fixed text it takes as long again."""
_ROW = re.compile(r":\d+")
"""Rows are others in a fixed text."""
_WEIGHTLESS = "its weights do not fit into the memory it may take"


def keep_original(
    folder: str,
    watched: ExecutedRows,
    wanted: Set[int] | None,
    send: Send,
    identity: ModelIdentity,
    makes: Callable[[], Iterator[Built]],
    files: UserLines,
    options: ModelOptions,
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> None:
    """Run one model as it is; what it computes is kept where it runs one of the rows `wanted`, if any are."""
    work = ModelWork(send, identity, files, options, clock() + options.limits.seconds)
    found = find_model(work, watched.forget_failed(makes), setting, passed)
    if found is None:
        return
    work, built, fed, model = found
    if is_weightless(built.module):
        send(ModelObserved(Observed(left_out=(_WEIGHTLESS,), rows=watched.list_rows())))
        return
    digests = digest_state(built.module)
    run_once(built.module, fed)
    watched.stop_watching()
    if wanted is not None and wanted.isdisjoint(watched.list_rows()):
        send(ModelObserved(Observed(rows=watched.list_rows())))
        return
    work, made = give_lively_weights(work, built, fed)
    watched.start_watching()
    send(TimeNeeded(options.limits.seconds + SLACK))
    seen = observe_first(built.module, fed, clock() + options.limits.seconds * _SHARE)
    watched.stop_watching()
    weights = {name: value.detach() for name, value in list_state(built.module)}
    way, assumptions = describe_way(built), model.assumptions
    kept = KeptModel(way, fed, digests, weights, seen, assumptions, model.purpose)
    keep_model(folder, identity, kept)
    send(ModelObserved(replace(_sum_up(seen, fed), rows=watched.list_rows())))
    _try_exports(work, RunnableModel(built, model, fed, made))


def compare_model(
    folder: str,
    if_equal: bool,
    send: Send,
    identity: ModelIdentity,
    makes: Callable[[], Iterator[Built]],
    files: UserLines,
    options: ModelOptions,
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> None:
    """Run one model with the fixed text, beside what was kept of it; nothing where nothing was kept."""
    kept = recall_model(folder, identity)
    if kept is None:
        return
    work = ModelWork(send, identity, files, options, clock() + options.limits.seconds)
    try:
        built = next((each for each in makes() if describe_way(each) == kept.way), None)
    except Exception as error:  # whatever user code raises
        work.send_failure("build", f"{type(error).__name__}: {error}")
        return
    if built is None:
        work.send_failure("build", f"it is not built by {kept.way} any more")
        return
    built.module.eval()
    model = replace(describe_found(work, built, kept.fed), purpose=kept.purpose)
    send(ModelFound(model))
    weights = dict(list_state(built.module))
    names = match_keys(kept.weights, weights)
    changes = (*_compare_built(kept, built, names), *_compare_assumptions(kept, model))
    put_weights(kept.weights, built.module, names)
    send(TimeNeeded(options.limits.seconds + SLACK))
    seen = observe_alike(built.module, kept.fed, kept.seen)
    changes = (*changes, *compare_observations(kept.seen, seen, names))
    keys = describe_keys(kept.weights, weights, names)
    gained = tuple(list_gained(kept.seen, seen))
    send(ModelCompared(Comparison(_sum_up(seen, kept.fed), changes, keys, gained)))
    if not if_equal or (not keys and all(each.is_rounding for each in changes)):
        _try_exports(work, RunnableModel(built, model, kept.fed, GivenWeights(livened=True)))


def _try_exports(work: ModelWork, subject: RunnableModel) -> None:
    if work.options.exporters and not subject.model.purpose:
        try_exporters(work, subject)


def _compare_built(kept: KeptModel, built: Built, names: Mapping[str, str]) -> Iterator[Change]:
    """Weights that have other first values, from the same seed."""
    now = digest_state(built.module)
    other = [old for old, new in names.items() if kept.built.get(old) != now.get(new)]
    if other:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        yield Change(f"{other[0]}{more}", why="begins with other values from the same seed")


def _compare_assumptions(kept: KeptModel, model: Model) -> Iterator[Change]:
    """What has to be stood in for, or left out, only with the fixed text."""
    known = {_ROW.sub("", told) for told in kept.assumptions}
    for told in model.assumptions:
        if _ROW.sub("", told) not in known:
            yield Change("the import", why=f"needs more to be assumed: {told}", breaks=True)


def _sum_up(seen: Observation, fed: Fed) -> Observed:
    left = [f"{key.split(':')[0]} mode raises {told}" for key, told in seen.words.items()
            if key.endswith(":error")]  # fmt: skip
    if len(seen.runs) < 1 + len(fed.varied):
        left.append(f"{1 + len(fed.varied) - len(seen.runs)} sizes, for want of time")
    return Observed(tuple(seen.runs), seen.is_trained, tuple(left))
