"""What `check` and `export` came to, written in the format asked for."""

from lintorch.report.formats import (
    CHECK_FORMATS,
    EXPORT_FORMATS,
    FORMATS,
    write_matrix,
    write_record,
    write_result,
    write_suggestions,
)
from lintorch.report.result import Result

__all__ = [
    "CHECK_FORMATS",
    "EXPORT_FORMATS",
    "FORMATS",
    "Result",
    "write_matrix",
    "write_record",
    "write_result",
    "write_suggestions",
]
