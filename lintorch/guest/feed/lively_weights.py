"""Weights that let a signal through: random ones often let it die on its way to the output.

What is defined here is also part of the programs that reproduce an export, as it is: it uses torch
alone.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch import nn

_LAYERS = (nn.modules.conv._ConvNd, nn.Linear)
_RUNNING_NORMS = (nn.modules.batchnorm._NormBase,)
_NORMS = (*_RUNNING_NORMS, nn.LayerNorm, nn.GroupNorm)
_NOTHING = 0.1
"""A weight whose values all are one below this was made to begin as nothing."""
_MOST_GAIN = 32.0
"""Beyond it a layer turns the rounding of what it is given into numbers that tell nothing."""


def liven_weights(module: Any, arguments: Any) -> None:
    """Run a module once, and give each layer in turn weights by which what it puts out varies by about 1.

    What begins as nothing (gammas, scales of layers, positions, last layers of residual branches)
    gets values, and norms with running statistics those of this run. Shared weights stay as they are.
    """
    with torch.no_grad():
        fill_idle_weights(module, torch.Generator().manual_seed(0))
        parts = list(nn.Module.modules(module))
        held = Counter(id(value) for part in parts for value in part._parameters.values())
        done: set[int] = set()

        def measure(part: Any, given: Any) -> None:
            if id(part) not in done and given and isinstance(given[0], torch.Tensor):
                done.add(id(part))
                measure_statistics(part, given[0])

        def rescale(part: Any, given: Any, out: Any) -> Any:
            name = "weight_g" if "weight_g" in part._parameters else "weight"
            weight = part._parameters.get(name)
            if id(part) in done or weight is None or held[id(weight)] > 1:
                return None
            done.add(id(part))
            return rescale_layer(part, weight, out) if isinstance(out, torch.Tensor) else None

        handles = [
            part.register_forward_pre_hook(measure)
            if isinstance(part, _RUNNING_NORMS)
            else part.register_forward_hook(rescale)
            for part in parts
            if isinstance(part, (*_RUNNING_NORMS, *_LAYERS))
        ]
        try:
            module(*arguments)
        finally:
            for handle in handles:
                handle.remove()


def fill_idle_weights(module: Any, generator: Any) -> None:
    """Values for parameters that let nothing through, but biases."""
    for part in nn.Module.modules(module):
        for name, value in part._parameters.items():
            if (
                value is None
                or name == "bias"
                or not value.numel()
                or not value.is_floating_point()
            ):
                continue
            first = float(value.flatten()[0])
            if abs(first) >= _NOTHING or not bool((value == first).all()):
                continue
            if isinstance(part, _LAYERS):
                spread = value[0].numel() ** -0.5
                made = torch.randn(value.shape, generator=generator) * spread
            elif isinstance(part, _NORMS):
                made = torch.rand(value.shape, generator=generator) + 0.5
            elif value.numel() == max(value.shape, default=1):
                made = torch.rand(value.shape, generator=generator) / 2 + 0.5
            else:
                made = torch.randn(value.shape, generator=generator) / 2
            value.copy_(made)


def measure_statistics(norm: Any, given: Any) -> None:
    """Set the running statistics of a norm by what it is given, most of it alike for all channels.

    To take from each channel the very mean and deviation of a few samples would multiply rounding
    by about 1.2 in each norm, and by thousands in deep models.
    """
    if norm.running_mean is None or given.dim() < 2 or not given.is_floating_point():
        return
    axes = [axis for axis in range(given.dim()) if axis != 1]
    values = given.double()
    mean, size = values.mean(axes), values.square().mean(axes)
    usual = float(size.mean())
    if 0 < usual < float("inf") and mean.shape == norm.running_mean.shape:
        norm.running_mean.copy_(mean / 8)
        norm.running_var.copy_(0.9 * usual + 0.1 * size)


def rescale_layer(layer: Any, weight: Any, out: Any) -> Any:
    """Scale a layer's weight so that what it puts out varies by 1 round its mean; what it then puts out.

    A weight is made no larger than `_MOST_GAIN`, the norm of a filter: a sigmoid that has come to
    1e-7 is rounding in most runtimes, and would be the signal of what follows.
    """
    axis = -1 if isinstance(layer, nn.Linear) else -1 - len(layer.kernel_size)
    if not out.is_floating_point() or out.dim() < -axis:
        return None
    shape = [1] * out.dim()
    shape[axis] = -1
    bias = 0 if layer.bias is None else layer.bias.double().view(shape)
    values = out.double() - bias
    other = [each for each in range(out.dim()) if each != out.dim() + axis]
    size = float(values.square().mean().sqrt())
    varies = float(values.var(other, correction=0).mean().sqrt()) if other else 0.0
    varies = max(varies, size / 20)
    if not 0 < varies < float("inf") or 0.5 < varies < 2:
        return None
    gain = float(weight.double().flatten(1).norm(dim=1).mean())
    factor = min(1 / varies, max(1.0, _MOST_GAIN / gain))
    weight.mul_(factor)
    return (values * factor + bias).to(out.dtype)


def keep_weights(module: Any, lively: Any) -> None:
    """Give a module the parameters, and the running statistics, of another of its kind."""
    with torch.no_grad():
        for value, other in zip(list_weights(module), list_weights(lively), strict=True):
            value.copy_(other)


def list_weights(module: Any) -> Any:
    """The parameters of a module, and the running statistics of its norms, each once."""
    found = list(module.parameters())
    for part in nn.Module.modules(module):
        if isinstance(part, _RUNNING_NORMS) and part.running_mean is not None:
            found += [part.running_mean, part.running_var]
    return found
