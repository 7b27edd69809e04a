"""Paths that name a model, as `net.py:Net`: the file, and that model alone."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TypeVar

from lintorch.run.request import Request

AnyRequest = TypeVar("AnyRequest", bound=Request)


def ask_of_models(request: AnyRequest) -> AnyRequest:
    """With the files of models that are named as `net.py:Net`, of which these alone are run."""
    only = tuple(each for each in request.paths if _names_model(each))
    if not only:
        return request
    paths = (each.rpartition(":")[0] if each in only else each for each in request.paths)
    models = replace(request.models, only=(*request.models.only, *only))
    return replace(request, paths=tuple(dict.fromkeys(paths)), models=models)


def _names_model(path: str) -> bool:
    file, colon, name = path.rpartition(":")
    return bool(colon) and name.isidentifier() and not os.path.exists(path) and os.path.isfile(file)
