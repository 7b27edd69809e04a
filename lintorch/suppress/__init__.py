"""Suppressions in comments: which findings they silence, and which of them are wrong or idle."""

from lintorch.suppress.applying import apply
from lintorch.suppress.comments import mentions

__all__ = ["apply", "mentions"]
