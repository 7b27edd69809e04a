"""Suppressions in comments: which findings they silence, and which of them are wrong or idle."""

from lintorch.suppress.apply_suppressions import apply_suppressions
from lintorch.suppress.read_comments import mentions_suppression

__all__ = ["apply_suppressions", "mentions_suppression"]
