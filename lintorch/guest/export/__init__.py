"""Trial exports: one model through one exporter, run at several sizes against eager."""

from lintorch.guest.export.blame_part import find_blamed_parts
from lintorch.guest.export.exporter_table import EXPORTER_TABLE
from lintorch.guest.export.try_exporter import OUT_OF_MEMORY, try_export
from lintorch.guest.export.write_reproduction import write_reproduction

__all__ = [
    "EXPORTER_TABLE",
    "OUT_OF_MEMORY",
    "find_blamed_parts",
    "try_export",
    "write_reproduction",
]
