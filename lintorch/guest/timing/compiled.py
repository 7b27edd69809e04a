"""A model as torch.compile makes it, where there is a compiler for what it writes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from lintorch.guest.process.limits import limit_seconds
from lintorch.guest.timing.rounds import Call

_COMPILERS = ("g++", "clang++", "c++", "cl")


def explain_no_compiler() -> str:
    """Why nothing can be compiled here; "" where it can."""
    if not hasattr(torch, "compile"):
        return "torch.compile came with torch 2.0"
    if not any(map(shutil.which, _COMPILERS)):
        return f"there is no C++ compiler: none of {', '.join(_COMPILERS)} is found"
    return ""


def compile_module(module: nn.Module, arguments: Sequence[Any], seconds: float) -> Call:
    """Compiles by a first call, in this process alone. Raises what torch.compile raises, or TooSlow."""
    import torch._inductor.config as settings

    settings.compile_threads = 1
    compiled = torch.compile(module)
    with limit_seconds(seconds), torch.no_grad():
        compiled(*arguments)
    return lambda: compiled(*arguments)
