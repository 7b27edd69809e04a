"""A file and what can be known of it."""

from lintorch.source.dataflow.sizes import (
    goes_by_fixed_name,
    has_fixed_name,
    is_ratio,
    is_read,
    is_scaled,
    may_vary,
)
from lintorch.source.dataflow.values import Kind, Value
from lintorch.source.literals import UNKNOWN, Arguments, literal
from lintorch.source.source import Source
from lintorch.source.training.loops import Loop, is_backward
from lintorch.source.training.paths import Act, Event, Path, Region
from lintorch.source.training.roles import Role

__all__ = [
    "UNKNOWN",
    "Act",
    "Arguments",
    "Event",
    "Kind",
    "Loop",
    "Path",
    "Region",
    "Role",
    "Source",
    "Value",
    "goes_by_fixed_name",
    "has_fixed_name",
    "is_backward",
    "is_ratio",
    "is_read",
    "is_scaled",
    "literal",
    "may_vary",
]
