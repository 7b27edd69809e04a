"""What holds models in, on this machine and with these settings."""

from __future__ import annotations

import os
from collections.abc import Mapping

from lintorch.host.client import Worker
from lintorch.record.bounds import size_in_words
from lintorch.run.find_interpreter import find_interpreter
from lintorch.run.request import Order
from lintorch.run.run_models import limits_of
from lintorch.run.scope import Scope


def held_in(asked: Order) -> Mapping[str, str]:
    """What each thing that a model may take is limited by, in words. Raises SettingsError, WorkerError."""
    scope = Scope(asked)
    settings = scope.settings(asked.paths[0])
    limits = limits_of(settings)
    project = scope.project(asked.paths[0]) or os.getcwd()
    with Worker(find_interpreter(asked.python, settings, project).path) as worker:
        return {
            "time": f"{limits.seconds:g} s a model, {limits.trial_seconds:g} s an export (trace-seconds)",
            "memory": f"{size_in_words(limits.memory)} a model (trace-memory)",
            "disk": f"{size_in_words(limits.disk)}, for all models of a file (trace-disk)",
            **worker.contained,
        }
