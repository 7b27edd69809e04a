"""Suppressions in comments: which findings they silence, and which of them are wrong or idle."""

from lintorch.suppress.apply_suppressions import apply
from lintorch.suppress.read_comments import mentions

__all__ = ["apply", "mentions"]
