"""Exports on trial in other types than the model's own: what each costs, and at which layer."""

from lintorch.guest.precision.try_precision import Subject, try_precision

__all__ = ["Subject", "try_precision"]
