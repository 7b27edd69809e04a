"""Trial exports: one model through one exporter, run at several sizes against eager."""

from lintorch.guest.export.blame_part import find_blamed_parts
from lintorch.guest.export.find_exporter import find_exporter
from lintorch.guest.export.try_exporter import OUT_OF_MEMORY, try_export
from lintorch.guest.export.write_reproduction import write_reproduction

__all__ = [
    "OUT_OF_MEMORY",
    "find_blamed_parts",
    "find_exporter",
    "try_export",
    "write_reproduction",
]
