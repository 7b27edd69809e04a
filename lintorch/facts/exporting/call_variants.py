"""Which of several ways an exporter writes a call, by its arguments: `torch.nn.functional.interpolate[bicubic]`."""

from __future__ import annotations

from collections.abc import Callable

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import NONE, Constant, Items, Number, Tensor, Value


def find_variant(name: str, event: Called) -> str:
    """A name as exports of it were measured, with what its arguments decide."""
    last = name.rpartition(".")[2].rstrip("_")
    choose = _CHOICES.get(last) or next(
        (each for prefix, each in _PREFIXES if last.startswith(prefix)), None
    )
    variant = "" if choose is None else choose(event)
    return f"{name}[{variant}]" if variant else name


def _plain(event: Called, parameter: str) -> object:
    return read_plain(event.arguments.get(parameter, NONE))


def _choose_resize(event: Called) -> str:
    mode = _plain(event, "mode")
    if not isinstance(mode, str):
        return "unknown"
    if read_plain(event.arguments.get("antialias", Constant(False))) is True:
        return f"{mode},antialias"
    said = f"{mode},corners" if _plain(event, "align_corners") is True else mode
    return said if event.arguments.get("size", NONE) == NONE else f"{said},size"


def _choose_cells(event: Called) -> str:
    """Whether an adaptive pool gives one cell."""
    asked = event.arguments.get("output_size", NONE)
    sizes = (asked.items or ()) if isinstance(asked, Items) else (asked,)
    return "one" if sizes and all(read_plain(each) == 1 for each in sizes) else "more"


def _choose_pool(event: Called) -> str:
    if _plain(event, "ceil_mode") is True:
        return "ceil"
    averages = "avg" in event.name.lower()
    padding = event.arguments.get("padding", Constant(0))
    sizes = (padding.items or ()) if isinstance(padding, Items) else (padding,)
    padded = averages and any(read_plain(each) != 0 for each in sizes)
    return "padded" if padded else ""


def _choose_pad(event: Called) -> str:
    mode = _plain(event, "mode")
    if not isinstance(mode, str):
        return "unknown"
    widths = event.arguments.get("pad", NONE)
    asked = (widths.items or ()) if isinstance(widths, Items) else (widths,)
    moves = any(isinstance(each, Number) and each.varies is not False for each in asked)
    return f"{mode},size" if moves else mode


def _choose_statistics(event: Called) -> str:
    return "tracked" if _plain(event, "track_running_stats") is True else ""


def _choose_squeeze(event: Called) -> str:
    given = (*event.positional[1:], *event.keyword.values())
    return "dim" if given else "all"


def _choose_attention(event: Called) -> str:
    asked = event.arguments.get("query", NONE)
    other = isinstance(asked, Tensor) and asked.shape is not None and len(asked.shape) != 4
    plain = "" if _plain(event, "is_causal") is False else "causal"
    kind = "mask" if event.arguments.get("attn_mask", NONE) != NONE else plain
    return ",".join(each for each in (kind, "rank" if other else "") if each)


def _choose_spectrum(event: Called) -> str:
    """Two real numbers for a complex one, which the older exporter writes."""
    return "real" if _plain(event, "return_complex") is False else ""


def _choose_extreme(event: Called) -> str:
    """`torch.max(x, y)` is no reduction."""
    return "pair" if len(event.positional) > 1 and _is_tensor(event.positional[1]) else ""


def _choose_sampled(event: Called) -> str:
    """A grid over a volume."""
    given = event.arguments.get("input", NONE)
    shape = given.shape if isinstance(given, Tensor) else None
    return "volume" if shape is not None and len(shape) == 5 else ""


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Tensor)


def _choose_gelu(event: Called) -> str:
    return "tanh" if _plain(event, "approximate") == "tanh" else ""


_CHOICES: dict[str, Callable[[Called], str]] = {
    "interpolate": _choose_resize,
    "upsample": _choose_resize,
    "Upsample": _choose_resize,
    "pad": _choose_pad,
    "squeeze": _choose_squeeze,
    "scaled_dot_product_attention": _choose_attention,
    "stft": _choose_spectrum,
    "max": _choose_extreme,
    "min": _choose_extreme,
    "grid_sample": _choose_sampled,
    "gelu": _choose_gelu,
    "GELU": _choose_gelu,
}
_PREFIXES: tuple[tuple[str, Callable[[Called], str]], ...] = (
    ("InstanceNorm", _choose_statistics),
    ("Adaptive", _choose_cells),
    ("adaptive_", _choose_cells),
    ("MaxPool", _choose_pool),
    ("max_pool", _choose_pool),
    ("AvgPool", _choose_pool),
    ("avg_pool", _choose_pool),
)
