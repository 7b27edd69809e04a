"""The options by which who runs lintorch decides whose settings, rules and torch are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def choice_options(command: Command) -> Command:
    """Give a command the options `--python`, `--config` and `--rules`."""
    for option in (
        click.option("--rules", multiple=True, type=click.Path(file_okay=False), metavar="FOLDER",
                     help="Load the rules of this folder too; may be repeated."),
        click.option("--config", type=click.Path(dir_okay=False),
                     help="Settings of this file only; rules that it names are not loaded."),
        click.option("--python", metavar="PATH",
                     help="The interpreter whose torch runs the models."),
    ):  # fmt: skip
        command = option(command)
    return command
