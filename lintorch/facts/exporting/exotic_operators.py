"""Operators that an exporter has no translation for, by name: measured on torch 2.13 with opsets 17 and 20."""

from __future__ import annotations

from lintorch.core.finding import Harm
from lintorch.targets.untranslated import UNTRANSLATED

NEITHER = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
UNKNOWN_TO_NEW = {"onnx": Harm.REFUSED}
LEGACY = {"onnx-legacy": Harm.REFUSED}
LOADED = {"onnx-legacy": Harm.FAILS}
TRACERS = {"onnx-legacy": Harm.REFUSED, "torchscript-trace": Harm.REFUSED}
UNFOLLOWED = frozenset({"torch.cov", "torch.corrcoef", "torch.combinations"})
UNFOLLOWED_OPEN = frozenset({"torch.to_sparse", "torch.sparse.mm", "torch.geqrf"})
"""Those of them that torch.export refuses as well, the second ones where sizes are left open."""
NEW = frozenset({"torch.cdist", "torch.fft.fftfreq", "torch.fft.rfftfreq"})
"""Refused by the new exporter only."""
METHODS = frozenset(
    {
        "inverse", "svd", "cholesky", "pinverse", "matrix_exp", "slogdet", "istft", "to_sparse",
        "kthvalue", "median", "nanmedian", "mode", "cummax", "cummin", "cumprod", "fill_diagonal_",
        "lgamma", "digamma", "polygamma", "mvlgamma", "igamma", "erfinv", "i0", "hypot",
        "index_reduce", "nextafter", "copysign", "frexp", "gcd", "cholesky_inverse", "put", "cov", "corrcoef",
        "fmax", "fmin", "lcm", "diagonal_scatter", "qr", "lu", "uniform_",
    }
)  # fmt: skip
"""Those of them that are called as methods of a tensor."""
FIRST = {
    "torch.det": 11, "torch.linalg.det": 11, "torch.logdet": 11, "torch.einsum": 12,
    "torch.tensordot": 12, "torch.tril": 14, "torch.triu": 14,
    "torch.nn.functional.scaled_dot_product_attention": 14, "torch.nn.functional.unfold": 11,
    "torch.nn.functional.fold": 18, "torch.bitwise_and": 18, "torch.nan_to_num": 10,
    "torch.flip": 10, "torch.fmod": 10, "torch.diagonal": 13, "torch.tensor_split": 13,
    "torch.index_put": 11, "torch.index_put_": 11,
}  # fmt: skip
"""The opset from which the legacy exporter has an operator."""
NEVER = frozenset(
    {
        *(f"torch.{name}" for name in (
            "complex", "polar", "view_as_complex", "angle", "kron", "block_diag",
            "diag_embed", "logcumsumexp", "logaddexp", "logaddexp2", "quantile", "nanquantile",
            "nanmean", "nansum", "bincount", "unique_consecutive", "isin", "heaviside", "renorm",
            "rot90", "take_along_dim", "erfc", "sinc", "xlogy", "trapz", "cumulative_trapezoid",
            "diff", "msort", "trace", "cartesian_prod", "ldexp", "signbit", "float_power",
            "deg2rad", "count_nonzero", "channel_shuffle", "adjoint", "expm1", "sinh", "cosh", "asinh",
            "acosh", "atanh", "trunc", "frac", "inner", "fliplr", "flipud",
            "dstack", "diag", "diagflat", "dist", "isclose", "positive", "addcdiv", "addmv", "addbmm",
            "addr", "vdot", "view_as_real", "bitwise_xor", "sum_to_size", "slice_scatter",
            "select_scatter", "sgn", "hsplit", "vsplit", "dsplit", "trapezoid", "argwhere", "rad2deg",
            "ravel", "column_stack", "chain_matmul", "exp2", "isposinf", "isneginf", "isreal", "exponential_", "cauchy_", "geometric_", "log_normal_",
        )),
        *(f"torch.special.{name}" for name in ("ndtr", "log_ndtr", "xlog1py", "entr", "erfcx")),
        *(f"torch.linalg.{name}" for name in ("matrix_power", "multi_dot")),
        *(f"torch.nn.functional.{name}" for name in ("rms_norm", "channel_shuffle", "bilinear", "gumbel_softmax")),
        *(f"torch.nn.functional.max_unpool{n}d" for n in (1, 2, 3)),
    }
)  # fmt: skip
"""Refused by the legacy exporter at every opset."""
COMPILED = {
    "torch.cond": TRACERS,
    "torch._higher_order_ops.while_loop": TRACERS,
    "torch._higher_order_ops.while_loop.while_loop": TRACERS,
    "torch._higher_order_ops.map": {**TRACERS, **UNKNOWN_TO_NEW},
    "torch.nn.attention.flex_attention.flex_attention": {**TRACERS, **UNKNOWN_TO_NEW},
}
"""What compiles the functions that it is given."""
FOURIER = frozenset(
    f"torch.fft.{way}{kind}"
    for way in ("", "i")
    for kind in ("fft", "fft2", "fftn", "rfft", "rfft2", "rfftn", "hfft", "fftshift")
)
NAMES = sorted(UNTRANSLATED | NEW | NEVER | FOURIER | FIRST.keys() | COMPILED.keys())
LAYERS = {
    "torch.nn.Fold": "torch.nn.functional.fold",
    "torch.nn.Unfold": "torch.nn.functional.unfold",
    "torch.nn.RMSNorm": "torch.nn.functional.rms_norm",
    "torch.nn.Bilinear": "torch.nn.functional.bilinear",
    "torch.nn.ChannelShuffle": "torch.nn.functional.channel_shuffle",
    **{f"torch.nn.MaxUnpool{n}d": f"torch.nn.functional.max_unpool{n}d" for n in (1, 2, 3)},
    **{
        f"torch.nn.FractionalMaxPool{n}d": f"torch.nn.functional.fractional_max_pool{n}d"
        for n in (2, 3)
    },
}
"""Layers by the operator that they are."""
