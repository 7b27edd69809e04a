"""Trial exports: one model through one exporter, run at several sizes against eager."""

from lintorch.guest.export.blame_part import narrowed
from lintorch.guest.export.exporter_table import TABLE
from lintorch.guest.export.scripting import script
from lintorch.guest.export.try_exporter import ATE, attempt

__all__ = ["ATE", "TABLE", "attempt", "narrowed", "script"]
