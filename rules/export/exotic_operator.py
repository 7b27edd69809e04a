"""LT121: an operator that an ONNX exporter has no translation for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, Trace
from lintorch.evidence.host_reads import describe_call
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT121",
    summary="an operator without a translation to ONNX",
    why="""
        ONNX has no operator for most of linear algebra, for sparse tensors and for a number of
        special functions, and the exporters refuse a model that calls them. The new exporter
        writes Fourier transforms, complex numbers, determinants and max_unpool; the legacy
        exporter writes none of them, and others only from some opset on. Measured on torch 2.13: the tables are
        what its two exporters said.

        Work such a part out before or after the model, or write it with operators that ONNX has.
    """,
    bad="""
        import torch
        from torch import nn


        class Whiten(nn.Module):
            def forward(self, x):
                return torch.linalg.solve(x @ x.transpose(1, 2), x)
    """,
    good="""
        import torch
        from torch import nn


        class Whiten(nn.Module):
            def forward(self, x):
                return x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    """,
    proof="""
        import io
        import warnings

        warnings.simplefilter("ignore")
        torch.onnx.export(Whiten(), (torch.randn(2, 3, 3),), io.BytesIO(), dynamo=False)
    """,
    severity=Severity.ERROR,
)

NEITHER = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
UNKNOWN_TO_NEW = {"onnx": Harm.REFUSED}
LEGACY = {"onnx-legacy": Harm.REFUSED}
LINALG = (
    "inv", "slogdet", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "cholesky", "solve",
    "solve_triangular", "lu", "lu_factor", "ldl_factor", "qr", "pinv", "lstsq", "matrix_exp",
    "matrix_rank", "cond", "householder_product", "vander",
)  # fmt: skip
SPECIAL = ("erfinv", "i0", "i0e", "i1", "ndtri", "gammainc", "polygamma", "zeta", "bessel_j0")
UNTRANSLATED = frozenset(
    {
        *(f"torch.linalg.{name}" for name in LINALG),
        *(f"torch.special.{name}" for name in SPECIAL),
        *(f"torch.{name}" for name in (
            "inverse", "slogdet", "svd", "cholesky", "pinverse", "matrix_exp", "istft",
            "kthvalue", "median", "nanmedian", "mode", "histc", "histogram", "searchsorted",
            "cummax", "cummin", "cumprod", "lgamma", "digamma", "polygamma", "mvlgamma", "igamma",
            "erfinv", "i0", "quantize_per_tensor", "to_sparse", "sparse_coo_tensor", "hypot",
            "index_reduce", "nextafter", "copysign", "frexp", "gcd", "vander",
            "triangular_solve", "cholesky_solve", "cholesky_inverse", "geqrf", "nonzero_static",
        )),
        "torch.sparse.mm", "torch.nested.nested_tensor", "torch.nn.functional.pdist",
        *(f"torch.nn.functional.fractional_max_pool{n}d" for n in (2, 3)),
    }
)  # fmt: skip
"""Refused by both exporters."""
NEW = frozenset({"torch.cdist", "torch.fft.fftfreq", "torch.fft.rfftfreq"})
"""Refused by the new exporter only."""
METHODS = frozenset(
    {
        "inverse", "svd", "cholesky", "pinverse", "matrix_exp", "slogdet", "istft", "to_sparse",
        "kthvalue", "median", "nanmedian", "mode", "histc", "cummax", "cummin", "cumprod",
        "lgamma", "digamma", "polygamma", "mvlgamma", "igamma", "erfinv", "i0", "hypot",
        "index_reduce", "nextafter", "copysign", "frexp", "gcd", "cholesky_inverse",
    }
)  # fmt: skip
"""Those of them that are called as methods of a tensor."""
FIRST = {
    "torch.det": 11, "torch.linalg.det": 11, "torch.logdet": 11, "torch.einsum": 12,
    "torch.tensordot": 12, "torch.tril": 14, "torch.triu": 14,
    "torch.nn.functional.scaled_dot_product_attention": 14, "torch.nn.functional.unfold": 11,
    "torch.nn.functional.fold": 18, "torch.bitwise_and": 18, "torch.nan_to_num": 10,
    "torch.flip": 10, "torch.fmod": 10, "torch.diagonal": 13, "torch.tensor_split": 13,
}  # fmt: skip
"""The opset from which the legacy exporter has an operator."""
NEVER = frozenset(
    {
        *(f"torch.{name}" for name in (
            "complex", "polar", "view_as_complex", "angle", "stft", "kron", "block_diag",
            "diag_embed", "logcumsumexp", "logaddexp", "logaddexp2", "quantile", "nanquantile",
            "nanmean", "nansum", "bincount", "unique_consecutive", "isin", "heaviside", "renorm",
            "rot90", "take_along_dim", "erfc", "sinc", "xlogy", "trapz", "cumulative_trapezoid",
            "diff", "msort", "trace", "cartesian_prod", "ldexp", "signbit", "float_power",
            "deg2rad", "count_nonzero", "channel_shuffle",
        )),
        *(f"torch.special.{name}" for name in ("ndtr", "log_ndtr", "xlog1py", "entr")),
        *(f"torch.linalg.{name}" for name in ("matrix_power", "multi_dot")),
        *(f"torch.nn.functional.{name}" for name in ("rms_norm", "channel_shuffle", "bilinear")),
        *(f"torch.nn.functional.max_unpool{n}d" for n in (1, 2, 3)),
    }
)  # fmt: skip
"""Refused by the legacy exporter at every opset."""
FOURIER = frozenset(
    f"torch.fft.{way}{kind}"
    for way in ("", "i")
    for kind in ("fft", "fft2", "fftn", "rfft", "rfft2", "rfftn", "hfft", "fftshift")
)
NAMES = sorted(UNTRANSLATED | NEW | NEVER | FOURIER | FIRST.keys())


@rule.source(cst.Call, needs=("torch",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not NEITHER.keys() & source.profile.exporters:
        return
    name = asked(call, source)
    if not name or not source.in_traced_forward(call) or not source.in_graph(call):
        return
    if for_complex_only(call, source):
        return
    opset, short = source.profile.opset_of("onnx-legacy"), name.removeprefix("torch.")
    if name in UNTRANSLATED:
        yield Hit(call, f"{short} has no translation to ONNX", harm=NEITHER)
    elif name in NEW:
        yield Hit(call, f"{short} has no translation in the new exporter", harm=UNKNOWN_TO_NEW)
    elif name in NEVER or name.startswith("torch.fft."):
        yield Hit(call, f"{short} has no translation in the legacy exporter", harm=LEGACY)
    elif opset < FIRST.get(name, 0):
        message = f"{short} needs opset {FIRST[name]}, and {opset} is written"
        yield Hit(call, message, harm=LEGACY)


@rule.trace(*NAMES, *(f"torch.Tensor.{name.rpartition('.')[2]}" for name in NAMES))
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: an operator on constants alone may not reach the graph."""
    yield Hit(event, describe_call(event), severity=Severity.NOTE, confirms=True)


def asked(call: cst.Call, source: Source) -> str:
    """The full name of an operator of the tables, also where it is called as a method."""
    func = call.func
    if name := source.name(func):
        return name if name.startswith("torch.") else ""
    if not isinstance(func, cst.Attribute):
        return ""
    method = func.attr.value
    named = f"torch.{method}"
    known = method in METHODS or named in NEVER or named in FIRST
    value = source.value(func.value) if known else None
    sure = value is not None and value.is_tensor and (value.sure or not value.roots)
    return named if sure else ""


def for_complex_only(call: cst.Call, source: Source) -> bool:
    """`torch.complex(a, b) if x.is_complex() else a`: a model seldom gets complex inputs."""
    return any(
        isinstance(outer, (cst.If, cst.IfExp)) and "is_complex(" in source.code(outer.test)
        for outer in source.ancestors(call)
    )
