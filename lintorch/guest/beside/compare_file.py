"""The child's side: the models of one file, or one that settings describe, beside an .onnx file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from lintorch.guest.beside.compare_model import Beside, compare_model_with_file
from lintorch.guest.examine_file import examine_configured, examine_file
from lintorch.guest.process.isolate import Send


def compare_file(
    send: Send,
    path: str,
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    passed: list[str],
    modules: dict[str, str],
    beside: Mapping[str, Any],
) -> None:
    """Compare the models of the checked file with the real path `path`.

    `beside` holds the fields of a `Beside`.
    """
    work = partial(compare_model_with_file, Beside(**beside))
    examine_file(send, path, checked, options, passed, modules, work)


def compare_configured(
    send: Send,
    name: str,
    setting: Mapping[str, Any],
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    modules: dict[str, str],
    beside: Mapping[str, Any],
) -> None:
    """Compare the model `name` that the configuration describes."""
    work = partial(compare_model_with_file, Beside(**beside))
    examine_configured(send, name, setting, checked, options, modules, work)
