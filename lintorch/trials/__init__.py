"""Trial exports: one model through one exporter, run at several sizes against eager."""

from lintorch.trials.narrowing import narrowed
from lintorch.trials.one import ATE, attempt
from lintorch.trials.scripting import script
from lintorch.trials.table import TABLE

__all__ = ["ATE", "TABLE", "attempt", "narrowed", "script"]
