"""What rules see of runs and trial exports: plain values, and readings of them. Imports no torch."""

from lintorch.evidence.trace import Trace
from lintorch.evidence.trial import Trial
from lintorch.record.trace import Event, OperatorUse, Outcome, Rung, Site

__all__ = ["Event", "OperatorUse", "Outcome", "Rung", "Site", "Trace", "Trial"]
