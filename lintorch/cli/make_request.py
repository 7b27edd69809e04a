"""From the options of a command to its request: one value, which nothing spells again."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeVar

import click

from lintorch.cli.shared_options import SettingOption
from lintorch.record.model_options import ModelOptions
from lintorch.run.asked_models import ask_of_models
from lintorch.run.request import Request

AnyRequest = TypeVar("AnyRequest", bound=Request)


def make_request(kind: type[AnyRequest], context: click.Context) -> AnyRequest:
    """Each option becomes the field of its name: of the request, or of its `models`.

    Those that outweigh settings are among its `settings`; a path may name a model, `net.py:Net`. Raises TypeError for an option without
    a field, which is a defect of lintorch.
    """
    given = dict(context.params)
    outweighing = [p.name for p in context.command.params if isinstance(p, SettingOption)]
    settings = {name: given.pop(name) for name in outweighing if name}
    own = {field.name for field in fields(kind)}
    of_models = [f.name for f in fields(ModelOptions) if f.name in given and f.name not in own]
    models = ModelOptions(**{name: given.pop(name) for name in of_models})
    return ask_of_models(kind(**given, settings=settings, models=models))
