"""A small program and its proof, as rewrites take and give them."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

MAIN = "example"
"""The module whose names a proof uses."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a callable of torch, its default spelled as Python; "" where it has none."""

    name: str
    default: str = ""
    keyword_only: bool = False


Signatures = Mapping[str, tuple[Parameter, ...]]
"""By full name ("torch.nn.Linear"), or ".view" for methods of tensors, without what they belong to."""


@dataclass(frozen=True)
class Program:
    """The text of the main module, other modules by name, and what is said of both.

    `proof` runs after the program and uses its names; `gates` are the words that detectors look
    for in a text before they read it.
    """

    text: str
    others: Mapping[str, str] = field(default_factory=dict)
    proof: str = ""
    gates: tuple[str, ...] = ()
    signatures: Signatures = field(default_factory=dict)

    @property
    def module(self) -> cst.Module:
        """The main module, parsed."""
        return cst.parse_module(self.text)

    @property
    def names_of_proof(self) -> frozenset[str]:
        """Every word of the proof: names, attributes, keywords, and words in texts."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", self.proof))

    def find_free_name(self, wanted: str) -> str:
        """A name that the program does not use: the wanted one, or with a number behind it."""
        words = set(re.findall(r"[A-Za-z_]\w*", self.text)) | self.names_of_proof
        words |= set(dir(builtins))
        number = 1
        name = wanted
        while name in words:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def change_to(self, module: cst.Module, others: Mapping[str, str] | None = None) -> Program:
        """The program with another main module, and more modules beside it."""
        return replace(self, text=module.code, others={**self.others, **(others or {})})


Rewrite = Callable[[Program], Program]
"""Gives the program back as it is where there is nothing to rewrite."""
