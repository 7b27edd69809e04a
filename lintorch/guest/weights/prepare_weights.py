"""Prepares this process for code that asks for weights."""

from __future__ import annotations

from lintorch.guest.imports.compiled_extensions import EXTENSIONS
from lintorch.guest.imports.import_hook import call_after_imports
from lintorch.guest.imports.lost_defaults import LOST_DEFAULTS
from lintorch.guest.imports.replace_functions import replace_loaded
from lintorch.guest.weights.fetched_files import REPLACEMENTS
from lintorch.guest.weights.nothing_to_load import leave_weights_missed
from lintorch.guest.weights.pretrained_models import build_pretrained_from_config


def prepare_weights() -> None:
    """Let models be built with random weights where the user's code asks for others."""
    leave_weights_missed()
    call_after_imports(_replace_loaded)
    _replace_loaded()


def _replace_loaded() -> None:
    replace_loaded({**REPLACEMENTS, **EXTENSIONS, **LOST_DEFAULTS})
    build_pretrained_from_config()
