"""What torch's own classes and functions do, by name: kept once for all rules and facts."""

from __future__ import annotations

MODULE_RETURNING = frozenset(
    {
        "apply", "bfloat16", "cpu", "cuda", "double", "eval", "float", "half", "ipu", "mtia",
        "requires_grad_", "share_memory", "to", "to_empty", "train", "type", "xpu",
    }
)  # fmt: skip
"""Methods of nn.Module that return the module they are called on."""
MODE_SETTING = frozenset({"eval", "train"})
"""Those of them that set whether it trains."""
PARALLEL_WRAPPERS = frozenset(
    {
        "torch.nn.DataParallel", "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
    }
)  # fmt: skip
"""Classes that hold a module as `.module` and run it on several devices."""
INPLACE_FUNCTIONS = frozenset(
    f"torch.nn.functional.{name}"
    for name in (
        "alpha_dropout", "celu", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu",
        "feature_alpha_dropout", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "mish",
        "relu", "relu6", "rrelu", "selu", "silu", "threshold",
    )
)  # fmt: skip
"""Functions that write to their first argument where they are called with `inplace=True`."""
