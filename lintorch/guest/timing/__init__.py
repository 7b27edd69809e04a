"""How long a model takes, as it is, compiled and as it was exported, in one process."""

from lintorch.guest.timing.time_model import TimedExport, time_model

__all__ = ["TimedExport", "time_model"]
