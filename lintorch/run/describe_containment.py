"""What holds models in, on this machine and with these settings."""

from __future__ import annotations

import os
from collections.abc import Mapping

from lintorch.host.worker_process import Worker
from lintorch.record.limit_words import size_in_words
from lintorch.run.find_interpreter import find_interpreter
from lintorch.run.project_models import limit_models
from lintorch.run.request import Request
from lintorch.run.scope import Scope


def describe_containment(request: Request) -> Mapping[str, str]:
    """What each thing that a model may take is limited by, in words. Raises SettingsError, WorkerError."""
    scope = Scope(request)
    settings = scope.settings_of(request.paths[0])
    limits = limit_models(settings)
    project = scope.project_of(request.paths[0]) or os.getcwd()
    with Worker(find_interpreter(settings, project).path) as worker:
        return {
            "time": f"{limits.seconds:g} s a model, {limits.trial_seconds:g} s an export (trace-seconds)",
            "memory": f"{size_in_words(limits.memory)} a model (trace-memory)",
            "disk": f"{size_in_words(limits.disk)}, for all models of a file (trace-disk)",
            **worker.contained,
        }
