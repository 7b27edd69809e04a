"""Methods of Python's numbers that tensors lack."""

from __future__ import annotations

OF_INT = frozenset({"bit_count", "bit_length", "to_bytes"})
NUMBER_METHODS = OF_INT | {"as_integer_ratio", "hex", "is_integer"}
"""What a size has, and what a tracer makes of it has not: measured on torch 2.13."""
