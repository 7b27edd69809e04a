"""From the runs of a model to its graph: one run call by call, the sizes of a second one beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from lintorch.record.events import OperatorCall
from lintorch.record.outcomes import Outcome
from lintorch.record.runs import ModelRun
from lintorch.report.matrix import OK, Tried
from lintorch.report.model_graph import GraphNode, Line, ModelGraph, find_blamed_nodes

_MOST_NODES = 60
"""That a graph shows: of a larger one those around what goes wrong."""
_MOST_BLAMED = 24
_MOST_OTHERS = 3
"""Runs beside the first."""
_LONGEST = 4000
"""Calls of a run above which those of two runs are paired by their place alone."""


def draw_graph(runs: Sequence[ModelRun], tried: Sequence[Tried]) -> ModelGraph | None:
    """The graph of a model that ran; None where nothing is known of its calls."""
    whole = [run for run in runs if not run.error and not run.axis]
    if not whole or not (calls := _list_calls(whole[0])):
        return None
    runs = [whole[0], *_choose_others(whole, [each.outcome for each in tried])]
    paired = [_pair_calls(calls, _list_calls(run)) for run in runs]
    nodes = tuple(
        GraphNode(
            number,
            call.name,
            call.site,
            call.layer,
            call.takes,
            tuple(pairs[number].outputs if number in pairs else None for pairs in paired),
        )
        for number, call in enumerate(calls)
    )
    return ModelGraph(
        tuple(run.sizes for run in runs), tuple(_choose_nodes(nodes, tried)), len(calls)
    )


def mark_nodes(graph: ModelGraph | None, tried: Sequence[Tried]) -> tuple[Tried, ...]:
    """The trials, those that went wrong with the nodes of the graph at which they did."""
    if graph is None:
        return tuple(tried)
    nodes = graph.nodes
    return tuple(
        each
        if each.status == OK
        else replace(
            each,
            nodes=tuple(n.number for n in find_blamed_nodes(nodes, each.outcome, each.findings)),
        )
        for each in tried
    )


def list_lines(runs: Iterable[ModelRun]) -> Iterator[Line]:
    """The lines of the user's that a model runs, and those that build what runs."""
    for run in runs:
        for event in run.events:
            yield event.site.path, event.site.row
            if event.built is not None:
                yield event.built.path, event.built.row


def _list_calls(run: ModelRun) -> list[OperatorCall]:
    return [event for event in run.events if isinstance(event, OperatorCall)]


def _choose_others(runs: Sequence[ModelRun], outcomes: Iterable[Outcome]) -> list[ModelRun]:
    """Runs at sizes where an export is wrong, else the one in which most sizes are others."""
    first = runs[0].sizes
    others = {tuple(run.sizes.items()): run for run in runs if run.sizes != first}.values()
    wrong = [{**first, **at.sizes_by_name} for each in outcomes for at in each.wrong_at if at]
    found = [run for run in others if run.sizes in wrong][:_MOST_OTHERS]
    return found or sorted(others, key=lambda run: -_count_changed(first, run.sizes))[:1]


def _count_changed(first: Mapping[str, int], sizes: Mapping[str, int]) -> int:
    return sum(first.get(name) != size for name, size in sizes.items())


def _pair_calls(
    first: Sequence[OperatorCall], second: Sequence[OperatorCall]
) -> dict[int, OperatorCall]:
    """By the number of each call of the first run: the same call of the second one."""
    keys, others = ([(c.name, c.site, c.layer) for c in run] for run in (first, second))
    if keys == others or len(keys) > _LONGEST:
        return dict(enumerate(second))
    blocks = SequenceMatcher(None, keys, others, autojunk=False).get_matching_blocks()
    return {b.a + n: second[b.b + n] for b in blocks for n in range(b.size)}


def _choose_nodes(nodes: tuple[GraphNode, ...], tried: Iterable[Tried]) -> list[GraphNode]:
    """All where they are few, else those where exports go wrong and what is next to them."""
    if len(nodes) <= _MOST_NODES:
        return [*nodes]
    blamed = {
        node.number: None
        for each in tried
        if each.status != OK
        for node in [*find_blamed_nodes(nodes, each.outcome, each.findings)][:_MOST_BLAMED]
    }
    chosen = {*[*blamed][:_MOST_NODES]}
    while chosen and len(chosen) < _MOST_NODES:
        near = {n for n in _list_neighbours(nodes, chosen) if n not in chosen}
        if not near:
            break
        chosen |= {*sorted(near)[: _MOST_NODES - len(chosen)]}
    return [node for node in nodes if node.number in chosen]


def _list_neighbours(nodes: Sequence[GraphNode], chosen: set[int]) -> Iterator[int]:
    for node in nodes:
        if node.number in chosen:
            yield from (number for number in node.takes if number >= 0)
        elif chosen & {*node.takes}:
            yield node.number
