"""Settings that a script works out of its data, and that are not there where it was followed without data."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from lintorch.guest.construct.array_arguments import make_graph_setting
from lintorch.guest.construct.fill_arguments import describe_arguments
from lintorch.guest.construct.found_settings import guess_setting_by_name
from lintorch.guest.construct.make_model import Built, ModelMaker
from lintorch.guest.process.assumptions import note_assumption

_MOST = 12
"""Settings that are made up for one model."""


def build_completed(making: ModelMaker) -> Built:
    """The model; a setting that its namespace lacks (`args.embed_num`) is made up by its name.

    Raises what building raises for any other reason.
    """
    added: dict[str, list[str]] = {}
    for _ in range(_MOST):
        try:
            built = making.build_model()
        except AttributeError as error:
            holder = _find_holder(making.arguments, error)
            if not holder or error.name is None:
                raise
            completed = copy.copy(making.arguments[holder])
            setattr(completed, error.name, _make_up(making, error.name))
            added.setdefault(holder, []).append(error.name)
            making = replace(making, arguments={**making.arguments, holder: completed})
        else:
            _note_made_up(making, added)
            return replace(built, made_up=(*built.made_up, *added))
    return making.build_model()


def _make_up(making: ModelMaker, name: str) -> Any:
    graph = make_graph_setting(making.call, name, making.arguments)
    return guess_setting_by_name(name) if graph is None else graph


def _find_holder(arguments: Mapping[str, Any], error: AttributeError) -> str:
    """The argument that lacks what was asked for; "" where none does."""
    if not isinstance(error.obj, (argparse.Namespace, SimpleNamespace)):
        return ""
    return next((name for name, value in arguments.items() if value is error.obj), "")


def _note_made_up(making: ModelMaker, added: Mapping[str, list[str]]) -> None:
    for holder, names in added.items():
        made = {name: getattr(making.arguments[holder], name) for name in names}
        values = (f"{name}={value}" for name, value in describe_arguments(made).items())
        note_assumption(
            f"made up in {holder}, which its script fills in later: {', '.join(values)}"
        )
