"""Deployment targets: which operators, opsets, types and shapes a release of a runtime takes."""

from lintorch.targets.target import Target
from lintorch.targets.target_names import TargetError, find_target, list_targets
from lintorch.targets.verdict import Answer, Verdict

__all__ = ["Answer", "Target", "TargetError", "Verdict", "find_target", "list_targets"]
