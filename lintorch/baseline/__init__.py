"""Findings that are known already: how they are told from new ones, and the file that keeps them."""

from lintorch.baseline.baseline_file import BaselineError, read_baseline, write_baseline
from lintorch.baseline.known_entries import Entry, make_entries, match_entries

__all__ = [
    "BaselineError",
    "Entry",
    "make_entries",
    "match_entries",
    "read_baseline",
    "write_baseline",
]  # fmt: skip
