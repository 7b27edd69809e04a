"""The options that bound what a model may take, as settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
_SECONDS = click.FloatRange(0, min_open=True)


def limit_options(command: Command) -> Command:
    """Give a command the options `--trace-seconds`, `--trial-seconds`, `--trace-memory` and `--trace-disk`."""
    for option in (
        click.option("--trace-disk", type=click.IntRange(1), metavar="MB",
                     help="Megabytes that the models of a file may write."),
        click.option("--trace-memory", type=click.IntRange(1), metavar="MB",
                     help="Megabytes that a model may take."),
        click.option("--trial-seconds", type=_SECONDS, metavar="S",
                     help="Seconds that a trial export may take; default: twice those of a model."),
        click.option("--trace-seconds", type=_SECONDS, metavar="S",
                     help="Seconds in which a model is built, fed and run."),
    ):  # fmt: skip
        command = option(command)
    return command


def limited(given: Mapping[str, Any]) -> dict[str, object]:
    """What these options set."""
    names = ("trace_seconds", "trial_seconds", "trace_memory", "trace_disk")
    return {name: given[name] for name in names if given[name] is not None}
