"""What holds models in, on this machine and with these settings."""

from __future__ import annotations

from collections.abc import Mapping

from lintorch.run.order import Order
from lintorch.run.running import limits_of, own_python
from lintorch.run.scope import Scope
from lintorch.worker.client import Worker
from lintorch.worker.limits import shown


def held_in(asked: Order) -> Mapping[str, str]:
    """What each thing that a model may take is limited by, in words. Raises SettingsError, WorkerError."""
    settings = Scope(asked).settings(asked.paths[0])
    limits = limits_of(settings)
    with Worker(asked.python or settings.python or own_python()) as worker:
        return {
            "time": f"{limits.seconds:g} s a model, {limits.trial_seconds:g} s an export (trace-seconds)",
            "memory": f"{shown(limits.memory)} a model (trace-memory)",
            "disk": f"{shown(limits.disk)}, for all models of a file (trace-disk)",
            **worker.contained,
        }
