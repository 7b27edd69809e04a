"""torch.jit.script: the source itself is compiled, every line that the compiler can reach."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.exporter import Explained, Exported, Job, save_program, wrap_module
from lintorch.guest.process.error_text import text_of

TAKES_PLAIN = True
_HALF_KNOWN = "Can't redefine method"
_REFUSED_FUNCTION = re.compile(r"^\s*def (\w+)\(.*\n\s*~+ <--- HERE", re.M)


def available() -> str:
    """Part of torch."""
    return "" if hasattr(torch, "jit") else "torch.jit.script is gone from this torch"


def export(job: Job) -> Exported:
    """Compiles the module."""
    script = _compile_module(job.module)
    return wrap_module(job, script, save_program(job, "model.pt", partial(torch.jit.save, script)))


def _compile_module(module: nn.Module) -> Any:
    """A class that could not be compiled stays half known, and is then refused for that alone."""
    try:
        return torch.jit.script(module)
    except RuntimeError as error:
        if _HALF_KNOWN not in text_of(error):
            raise
    with suppress(AttributeError):  # another release of torch
        torch._C._jit_clear_class_registry()
        torch.jit._recursive.concrete_type_store = torch.jit._recursive.ConcreteTypeStore()
        torch.jit._state._clear_class_state()
    return torch.jit.script(module)


def script(job: Job) -> str:
    """As `export`."""
    return "exported = torch.jit.script(model)"


def explain(error: BaseException, job: Job) -> Explained:
    """The compiler prints the innermost line first; a stack has it last.

    A function that it refuses as a whole may be a library's, which its message does not name.
    """
    lines = [line for line in text_of(error).splitlines() if 'File "' in line]
    refused = _REFUSED_FUNCTION.search(text_of(error))
    message = f"{summarise_error(error)}: {refused[1]}()" if refused else ""
    return Explained(where="\n".join(reversed(lines)), message=message)
