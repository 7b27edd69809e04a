"""How much memory is free, and what fits into it side by side."""

from __future__ import annotations

from pathlib import Path


def free_bytes() -> int:
    """Bytes of memory that are free; plenty where the platform does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable"))
        return int(found.split()[1]) * 1024
    except (OSError, StopIteration, ValueError):
        return 2**40


def count_fitting(jobs: int, memory: int, pieces: int) -> int:
    """How many pieces of work to do at a time that may take so many bytes each; few take half of it."""
    return max(1, min(jobs, pieces, 2 * free_bytes() // max(1, memory)))
