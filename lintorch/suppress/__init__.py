"""Suppressions in comments: which findings they silence, and which of them are wrong or idle."""

from lintorch.suppress.add_comments import add_comments
from lintorch.suppress.apply_suppressions import apply_suppressions
from lintorch.suppress.read_comments import mentions_suppression

__all__ = ["add_comments", "apply_suppressions", "mentions_suppression"]
