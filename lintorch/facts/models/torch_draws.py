"""What draws with torch, which stays in a graph, where Python or NumPy drew one number."""

from __future__ import annotations

from collections.abc import Sequence

_UNIFORM = (
    "random.random",
    "numpy.random.random",
    "numpy.random.random_sample",
    "numpy.random.rand",
)
_NORMAL = ("random.gauss", "random.normalvariate", "numpy.random.normal")
_LAST_COUNTS = {"random.randint": " + 1", "random.randrange": "", "numpy.random.randint": ""}


def write_draw(name: str, args: Sequence[str], torch: str) -> str:
    """`torch.rand(()) * (b - a) + a` for `random.uniform(a, b)`; "" for what is not one number.

    A tensor without axes: it takes the type of the tensor that it meets, and the device.
    """
    if name in _UNIFORM and not args:
        return f"{torch}.rand(())"
    if name.endswith("random.uniform") and len(args) in (0, 2):
        low, high = args or ("0", "1")
        return _write_spread(low, high, torch)
    if name in _NORMAL and len(args) == 2:
        middle = "" if args[0] in ("0", "0.0") else f" + {_bracket(args[0])}"
        factor = "" if args[1] in ("1", "1.0") else f" * {_bracket(args[1])}"
        return f"{torch}.randn(()){factor}{middle}"
    if name in ("numpy.random.randn", "random.gauss", "numpy.random.normal") and not args:
        return f"{torch}.randn(())"
    if (
        name in _LAST_COUNTS
        and len(args) in (1, 2)
        and (len(args) == 2 or name != "random.randint")
    ):
        low, high = args if len(args) == 2 else ("0", args[0])
        return f"{torch}.randint({low}, {_add(high, _LAST_COUNTS[name])}, ())"
    return ""


def _write_spread(low: str, high: str, torch: str) -> str:
    try:
        begin, end = float(low), float(high)
    except ValueError:
        return f"{torch}.rand(()) * ({_bracket(high)} - {_bracket(low)}) + {_bracket(low)}"
    shift = f" - {abs(begin):.12g}" if begin < 0 else f" + {begin:.12g}" if begin else ""
    factor = f" * {end - begin:.12g}" if end - begin != 1 else ""
    return f"{torch}.rand(()){factor}{shift}"


def _add(high: str, more: str) -> str:
    return str(int(high) + 1) if more and high.isdigit() else f"{_bracket(high)}{more}"


def _bracket(text: str) -> str:
    """An operand as it may stand beside others."""
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"
