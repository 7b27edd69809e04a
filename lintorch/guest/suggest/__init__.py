"""The export call that a model takes, written out and tried."""

from lintorch.guest.suggest.suggest_call import SUGGESTED, Asked, suggest_call

__all__ = ["SUGGESTED", "Asked", "suggest_call"]
