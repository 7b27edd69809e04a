"""What to write in place of operators that an ONNX exporter does not translate."""

from __future__ import annotations

WRITTEN_OUT = {
    "median": "x.sort(d).values.select(d, (x.shape[d] - 1) // 2)",
    "kthvalue": "x.sort(d).values.select(d, k - 1)",
    "searchsorted": "(edges < x[..., None]).sum(-1)",
    "cumprod": "x.log().cumsum(d).exp() for positive x",
    "hypot": "torch.sqrt(a * a + b * b)",
    "copysign": "torch.where(b < 0, -a.abs(), a.abs())",
    "pdist": "(x[:, None] - x[None]).square().sum(-1).sqrt(), and take its upper half",
    "cdist": "(a[..., :, None, :] - b[..., None, :, :]).square().sum(-1).sqrt()",
    "cov": "c @ c.T / (n - 1) of the centred c",
    "mm": "a dense matrix: torch.mm(a, b), with a.to_dense() kept by the constructor",
    "sparse_coo_tensor": "torch.zeros(m * n).scatter_add(0, i[0] * n + i[1], values).view(m, n)",
    "fill_diagonal_": "x.masked_fill(torch.eye(n).bool(), value)",
    "diag": "m.diagonal() of a matrix, x[:, None].masked_fill(torch.eye(n) == 0, 0) of a diagonal",
    "diag_embed": "x.unsqueeze(-1).masked_fill(torch.eye(n) == 0, 0)",
    "uniform_": "torch.rand_like(x)",
    "trunc": "x.abs().floor() * x.sign()",
    "exponential_": "-torch.rand_like(x).log()",
    "fmax": "torch.maximum(a, b), where neither is NaN",
    "fmin": "torch.minimum(a, b), where neither is NaN",
    "nested_tensor": "a padded batch and its mask",
    "absolute": "x.abs()",
    "acosh": "(x + (x * x - 1).sqrt()).log()",
    "addcdiv": "x + value * a / b",
    "addr": "m + a[:, None] * b",
    "argwhere": "torch.nonzero(x)",
    "asinh": "x.sign() * (x.abs() + (x * x + 1).sqrt()).log()",
    "atanh": "((1 + x) / (1 - x)).log() / 2",
    "bincount": "(x[:, None] == torch.arange(n)).sum(0) for n bins",
    "block_diag": "torch.cat([F.pad(a, (0, b.shape[1])), F.pad(b, (a.shape[1], 0))])",
    "cartesian_prod": "torch.stack(torch.meshgrid(a, b, indexing='ij'), -1).flatten(0, 1)",
    "channel_shuffle": "x.unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2)",
    "column_stack": "torch.cat([a, b], 1) of matrices",
    "cosh": "(x.exp() + (-x).exp()) / 2",
    "deg2rad": "x * (math.pi / 180)",
    "dist": "(a - b).square().sum().sqrt()",
    "dstack": "torch.stack([a, b], -1) of matrices",
    "exp2": "2 ** x",
    "expm1": "x.exp() - 1, which is less exact near 0",
    "float_power": "x.double() ** y",
    "frac": "x - x.abs().floor() * x.sign()",
    "heaviside": "torch.where(x == 0, v, (x > 0).to(x.dtype))",
    "hsplit": "x.split([2, x.shape[1] - 2], 1) for hsplit(x, [2])",
    "inner": "a @ b.transpose(-2, -1)",
    "isclose": "(a - b).abs() <= 1e-8 + 1e-5 * b.abs()",
    "isin": "(x[..., None] == values).any(-1)",
    "kron": "(a[:, None, :, None] * b[None, :, None, :]).reshape(a.shape[0] * b.shape[0], -1)",
    "ldexp": "x * 2.0 ** n",
    "logaddexp": "torch.maximum(a, b) + torch.log1p((-(a - b).abs()).exp())",
    "matrix_power": "m @ m",
    "multi_dot": "a @ b @ c",
    "nanmean": "torch.where(x.isnan(), 0, x).sum(d) / (~x.isnan()).sum(d)",
    "nansum": "torch.where(x.isnan(), 0, x).sum(d)",
    "rad2deg": "x * (180 / math.pi)",
    "rms_norm": "x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps), times the weight",
    "rot90": "x.transpose(0, 1).flip(0)",
    "select_scatter": "torch.where(torch.arange(x.shape[d]) == i, y.unsqueeze(d), x), along the last axis",
    "sgn": "x.sign()",
    "signbit": "x < 0",
    "sinc": "torch.where(x == 0, 1, (math.pi * x).sin() / (math.pi * x))",
    "sinh": "(x.exp() - (-x).exp()) / 2",
    "take_along_dim": "x.gather(d, index)",
    "trapezoid": "(x[..., 1:] + x[..., :-1]).sum(-1) / 2",
    "trapz": "(x[..., 1:] + x[..., :-1]).sum(-1) / 2",
    "vdot": "(a * b).sum()",
    "xlogy": "torch.where(x == 0, x, x * y.log())",
}
"""What both ONNX exporters translate, by operator: measured at sizes that vary."""
SPELLED_AS = {
    "ravel": "{x}.reshape(-1)",
    "isposinf": "{x} == float('inf')",
    "isneginf": "{x} == float('-inf')",
    "fliplr": "{x}.flip(1)",
    "flipud": "{x}.flip(0)",
    "msort": "{x}.sort(0).values",
    "count_nonzero": "({x} != 0).sum()",
    "diff": "{x}[..., 1:] - {x}[..., :-1]",
    "erfc": "1 - {x}.erf()",
    "trace": "{x}.diagonal().sum()",
    "trunc": "{x}.abs().floor() * {x}.sign()",
}
"""Of a tensor alone, `{x}`: right with all exporters at sizes that vary."""
INEXACT = frozenset({"erfc", "trace", "trunc"})
"""Those of them whose last digits differ."""


def write_out(name: str) -> str:
    """What to write in place of an operator, `diff`; "" where nothing was measured."""
    if spelled := SPELLED_AS.get(name):
        return spelled.format(x="x")
    return WRITTEN_OUT.get(name, "")
