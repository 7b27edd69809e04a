"""The bounds of each piece of work on models, made from their options: of a step, an export, a model, a file."""

from __future__ import annotations

from lintorch.record.bounds import SLACK, Bounds
from lintorch.record.framing import Message
from lintorch.record.messages import ExportMessage, FileMessage, ModelMessage, tags_of
from lintorch.record.model_options import ModelLimits, ModelOptions

REPLAY_SECONDS = 10.0
"""Seconds in which a model is run with one thing changed, at most."""
LIVEN_SECONDS = 15.0
"""Seconds in which weights are looked for that let a signal through, at most."""
MOST_MODELS = 24
"""Models run per file, at most: a file of layers has hundreds, which are parts of others."""
_GRAPH_KINDS = 2
"""Ways in which a model is traced as a graph, each in time of its own."""
_LOADING_BYTES = 2 * 2**30
"""Bytes that the process which loads a file may hold beyond what the model in its child may."""
_MOST_OF_A_FILE = 512 << 20
"""Bytes that all models of a file send: four that each send the most that one may."""


def bound_step(limits: ModelLimits, seconds: float, kind: type[Message]) -> Bounds:
    """Bounds of a part of the work on a model, which sends messages of this kind."""
    kinds = tags_of(kind)
    return Bounds(seconds, limits.memory, kinds=kinds, time=limits.time, space=limits.space)


def bound_trial(limits: ModelLimits) -> Bounds:
    """Bounds of one export."""
    return Bounds(
        limits.trial_seconds,
        limits.memory,
        kinds=tags_of(ExportMessage),
        time=limits.trial_time,
        space=limits.space,
    )


def bound_model(options: ModelOptions) -> Bounds:
    """Bounds of all work on a model, which asks for more time with each graph and each export."""
    limits = options.limits
    return Bounds(
        limits.seconds + SLACK,
        limits.memory,
        limits.memory * options.processes,
        longest=_longest_seconds(limits),
        extended=_extended_seconds(options),
        kinds=tags_of(ModelMessage),
        time=limits.time,
        space=limits.space,
        apart=True,
    )


def bound_file(options: ModelOptions, models: int) -> Bounds:
    """Bounds of loading a file, and of so many models in it."""
    limits = options.limits
    each = limits.seconds + 2 * SLACK + _extended_seconds(options) + SLACK * _count_steps(options)
    return Bounds(
        limits.seconds,
        limits.memory + _LOADING_BYTES,
        limits.memory * options.processes + _LOADING_BYTES,
        longest=max(_longest_seconds(limits) + SLACK, limits.seconds + 2 * SLACK),
        extended=models * each,
        kinds=tags_of(FileMessage),
        most=_MOST_OF_A_FILE,
        disk=limits.disk,
        time=limits.time,
        space=limits.space,
        apart=True,
    )


def _longest_seconds(limits: ModelLimits) -> float:
    """Seconds that a model asks for at once, at most."""
    return max(limits.seconds, limits.trial_seconds, REPLAY_SECONDS) + SLACK


def _count_trials(options: ModelOptions) -> int:
    """Exports of a model, at most: each exporter in each type, and once more where the project exports in training mode, and for the halves of a decoder; a run that times them counts as one."""
    exports = (2 + max(1, len(options.precisions))) * len(options.exporters)
    return exports + options.timed


def _count_steps(options: ModelOptions) -> int:
    """How often a model asks for more time: for its runs, the replay, each graph and each export."""
    return 2 + _GRAPH_KINDS + _count_trials(options)


def _extended_seconds(options: ModelOptions) -> float:
    """Seconds that a model asks for in all."""
    runs_and_graphs = (1 + _GRAPH_KINDS) * options.limits.seconds
    trials = _count_trials(options) * options.limits.trial_seconds
    return REPLAY_SECONDS + runs_and_graphs + trials + SLACK * _count_steps(options)
