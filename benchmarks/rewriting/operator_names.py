"""Which operators torch has as functions, as methods of tensors, and as modules."""

from __future__ import annotations

from collections.abc import Mapping

BOTH = frozenset({
    "abs", "all", "amax", "amin", "any", "argmax", "argmin", "argsort", "bernoulli", "bmm",
    "cholesky", "chunk", "clamp", "conj", "cos", "cumsum", "diag", "dot", "einsum", "eq", "exp",
    "flatten", "flip", "gather", "gt", "index_select", "inverse", "isfinite", "isinf", "isnan",
    "le", "log", "log_softmax", "logsumexp", "lt", "masked_fill", "masked_select", "matmul",
    "max", "mean", "median", "min", "mm", "movedim", "mul", "multinomial", "narrow", "ne",
    "nonzero", "norm", "pow", "prod", "relu", "reshape", "roll", "round", "scatter", "sigmoid",
    "sign", "sin", "softmax", "solve", "sort", "split", "sqrt", "square", "squeeze", "std",
    "sub", "sum", "swapaxes", "t", "take", "tanh", "tile", "topk", "transpose", "tril", "triu",
    "unbind", "unique", "unsqueeze", "var",
})  # fmt: skip
"""What torch and tensors both have under one name, with the tensor first."""
OF_FUNCTIONAL = frozenset({"relu", "softmax", "log_softmax", "sigmoid", "tanh"})
"""What `torch.nn.functional` has besides."""
GATHERED: Mapping[str, str] = {
    "permute": "dims",
    "reshape": "shape",
    "view": "size",
    "expand": "size",
}
"""Methods that take sizes one by one, where functions take a tuple, and how that is called."""
UNBOUND = BOTH | GATHERED.keys() | frozenset({
    "add_", "backward", "clamp_", "clone", "contiguous", "cpu", "cuda", "data_ptr", "detach",
    "dim", "div_", "double", "expand_as", "fill_", "float", "get_device", "half", "int", "item",
    "long", "masked_fill_", "mul_", "numel", "numpy", "repeat", "size", "to", "tolist",
    "type_as", "view_as", "zero_",
})  # fmt: skip
"""Methods that are called as `torch.Tensor.view(x, 2, -1)`."""
MODULES: Mapping[str, str] = {
    "relu": "ReLU", "softmax": "Softmax", "log_softmax": "LogSoftmax", "interpolate":
    "Upsample", "adaptive_avg_pool2d": "AdaptiveAvgPool2d", "adaptive_max_pool2d":
    "AdaptiveMaxPool2d", "avg_pool2d": "AvgPool2d", "max_pool2d": "MaxPool2d", "cross_entropy":
    "CrossEntropyLoss", "mse_loss": "MSELoss", "nll_loss": "NLLLoss", "pixel_shuffle":
    "PixelShuffle", "gelu": "GELU", "dropout": "Dropout", "sigmoid": "Sigmoid", "tanh": "Tanh",
    "flatten": "Flatten", "binary_cross_entropy": "BCELoss", "l1_loss": "L1Loss", "silu":
    "SiLU", "unfold": "Unfold",
}  # fmt: skip
"""By function: the layer without weights that does the same."""
INPUTS: Mapping[str, int] = {
    "CrossEntropyLoss": 2,
    "MSELoss": 2,
    "NLLLoss": 2,
    "BCELoss": 2,
    "L1Loss": 2,
}
"""Layers that are called with more than one tensor."""
