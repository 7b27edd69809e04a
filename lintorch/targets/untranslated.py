"""What neither ONNX exporter of torch translates, by the names of functions: measured on torch 2.13 with opsets 17 and 20."""

from __future__ import annotations

LINALG = (
    "inv", "slogdet", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "cholesky", "solve",
    "solve_triangular", "lu", "lu_factor", "ldl_factor", "qr", "pinv", "lstsq", "matrix_exp",
    "matrix_rank", "cond", "householder_product", "vander", "lu_solve",
)  # fmt: skip
SPECIAL = (
    "erfinv",
    "i0",
    "i0e",
    "i1",
    "ndtri",
    "gammainc",
    "gammaincc",
    "polygamma",
    "zeta",
    "bessel_j0",
)
UNTRANSLATED = frozenset(
    {
        *(f"torch.linalg.{name}" for name in LINALG),
        *(f"torch.special.{name}" for name in SPECIAL),
        *(f"torch.{name}" for name in (
            "inverse", "slogdet", "svd", "cholesky", "pinverse", "matrix_exp", "istft",
            "kthvalue", "median", "nanmedian", "mode", "histogram", "searchsorted",
            "cummax", "cummin", "cumprod", "lgamma", "digamma", "polygamma", "mvlgamma", "igamma",
            "erfinv", "i0", "quantize_per_tensor", "to_sparse", "sparse_coo_tensor", "hypot",
            "index_reduce", "nextafter", "copysign", "frexp", "gcd", "vander",
            "triangular_solve", "cholesky_solve", "cholesky_inverse", "geqrf", "nonzero_static",
            "put", "cov", "corrcoef", "fill_diagonal_", "randperm", "fmax", "fmin", "lcm", "combinations",
            "uniform_", "diagonal_scatter", "lu_solve", "qr", "lu", "svd_lowrank", "pca_lowrank",
        )),
        "torch.sparse.mm", "torch.nested.nested_tensor", "torch.nn.functional.pdist",
        "torch.nn.functional.grouped_mm",
        *(f"torch.nn.functional.fractional_max_pool{n}d" for n in (2, 3)),
    }
)  # fmt: skip
"""Refused by both exporters."""
