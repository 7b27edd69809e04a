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
TENSOR_METHODS = frozenset(
    {
        "absolute", "acos", "acosh", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "amax", "amin",
        "asin", "asinh", "atan", "atanh", "baddbmm", "bitwise_and", "bitwise_not", "bitwise_or", "bmm",
        "broadcast_to", "ceil", "chunk", "clamp", "clamp_max", "clamp_min", "contiguous", "cos", "cosh",
        "cummax", "cummin", "detach_", "diag_embed", "element_size", "erf", "erfc", "exp", "expand_as",
        "expm1", "floor", "gather", "histc", "index_add", "index_copy", "index_fill", "index_put",
        "index_select", "is_floating_point", "isfinite", "isinf", "kthvalue", "lerp", "lgamma", "log", "log10",
        "log1p", "log2", "log_softmax", "long", "byte", "logcumsumexp", "logical_and", "logical_not", "logical_or",
        "logsumexp", "masked_fill", "masked_scatter", "masked_select", "matmul", "mm", "movedim", "mv",
        "nan_to_num", "narrow", "new_empty", "new_full", "new_ones", "new_tensor", "new_zeros", "numel",
        "permute", "pow", "reciprocal", "register_hook", "relu", "repeat_interleave", "reshape_as",
        "retain_grad", "rsqrt", "scatter_add", "scatter_reduce", "sigmoid", "sin", "sinh",
        "softmax", "sqrt", "square", "tanh", "topk", "tril", "triu", "true_divide", "type_as", "unbind",
        "unflatten", "unsqueeze", "view_as",
    }
)  # fmt: skip
"""Methods that tensors have, and neither arrays nor modules, distributions, texts, plots or containers."""
_BARE = frozenset({"exp", "log", "sqrt", "sin", "cos", "pow", "floor", "ceil", "square", "chunk"})
"""Those of them that other packages know as well, with other arguments."""
_ALSO_OTHERS = frozenset({"requires_grad_", "share_memory_"})
_BY_AXIS = frozenset(
    {
        "all", "any", "argmax", "argmin", "cumprod", "cumsum", "flatten", "max", "mean", "median", "min",
        "norm", "prod", "softmax", "sort", "split", "squeeze", "std", "sum", "var",
    }
)  # fmt: skip
"""Methods that arrays have too, with another word for the axis than `dim`."""
_BY_COUNT = {"size": 1, "view": 2, "expand": 2, "repeat": 2}
"""Those that others have with fewer arguments."""


def is_tensor_call(method: str, count: int, named: int, by_axis: bool) -> bool:
    """Whether a method of this name, given so many arguments by position and by name, is one that only tensors have.

    `by_axis`: whether it is given a number as `dim`.
    """
    if method in TENSOR_METHODS:
        return method not in _BARE or (not named and count == (method in ("pow", "chunk")))
    if method in _BY_AXIS:
        return by_axis
    if method.endswith("_") and not method.startswith("_"):
        return method not in _ALSO_OTHERS and method in _WRITING
    return method in _BY_COUNT and count >= _BY_COUNT[method]


_WRITING = frozenset(
    {
        "abs_", "add_", "addcdiv_", "addcmul_", "bernoulli_", "ceil_", "clamp_", "clamp_max_",
        "clamp_min_", "copy_", "cos_", "div_", "exp_", "exponential_", "fill_", "fill_diagonal_",
        "floor_", "index_add_", "index_copy_", "index_fill_", "index_put_", "lerp_", "log_",
        "masked_fill_", "masked_scatter_", "mul_", "neg_", "normal_", "pow_", "random_",
        "reciprocal_", "relu_", "resize_", "round_", "rsqrt_", "scatter_", "scatter_add_",
        "sigmoid_", "sin_", "sqrt_", "squeeze_", "sub_", "tanh_", "transpose_", "tril_", "triu_",
        "trunc_", "uniform_", "unsqueeze_", "zero_",
    }
)  # fmt: skip
"""Methods that change a tensor in place."""


_COMPARING = frozenset(
    {"cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div"}
)


def takes_target(function: str) -> bool:
    """Whether a function of this name compares what it is given first with what it is given second."""
    return function.endswith("_loss") or function in _COMPARING


MODULE_METHODS = frozenset(
    {
        "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children",
        "compile", "cpu", "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward",
        "get_buffer", "get_extra_state", "get_parameter", "get_submodule", "half", "ipu",
        "load_state_dict", "modules", "mtia", "named_buffers", "named_children", "named_modules",
        "named_parameters", "parameters", "register_buffer", "register_module",
        "register_parameter", "requires_grad_", "set_extra_state", "set_submodule", "share_memory",
        "state_dict", "to", "to_empty", "train", "type", "xpu", "zero_grad",
    }
)  # fmt: skip
"""What nn.Module has under a name that does not begin with an underscore: `dir(nn.Module)` of torch 2.13."""
