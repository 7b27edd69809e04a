"""One file beside one model: all that a hypothesis may ask of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.distances import OutputMatch, match_outputs
from lintorch.guest.beside.onnx_file import OnnxFile
from lintorch.guest.beside.pair_inputs import InputPairs
from lintorch.guest.beside.run_file import Feed, FileRunner
from lintorch.guest.export.eager_reference import Eager
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.watch.make_tensors import flatten_output, make_inputs
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import Input, Model
from lintorch.record.sites import Site

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Case:
    """A file and a model with the same weights, as far as these could be had.

    `model.sizes` are those at which both run first; `extra` holds what is fed beside the inputs
    of the model, by the name of its parameter.
    """

    file: OnnxFile
    module: nn.Module
    model: Model
    pairs: InputPairs
    files: UserLines
    built: Mapping[str, Site]
    extra: Mapping[str, torch.Tensor]

    @cached_property
    def eager(self) -> Eager:
        """The model in eval mode."""
        return Eager(self.module, self.model)

    @cached_property
    def runner(self) -> FileRunner:
        """The file as it is."""
        return FileRunner(self.file)

    @cached_property
    def expected(self) -> list[torch.Tensor]:
        """What the model gives at the first sizes."""
        return self.run_model()

    def list_tensors(self, sizes: Sizes | None = None) -> list[torch.Tensor]:
        """The tensors that the model is fed, in the order of its inputs."""
        values = self.list_values(sizes)
        return [v for g, v in zip(self.model.inputs, values, strict=True) if isinstance(g, Input)]

    def list_values(self, sizes: Sizes | None = None) -> list[Any]:
        """What the model is fed, plain values too."""
        return [*make_inputs(self.model.inputs, sizes or self.model.sizes)]

    def arrange(
        self, tensors: Sequence[torch.Tensor], sizes: Sizes | None = None
    ) -> tuple[Any, ...]:
        """The arguments of the model, with these tensors; plain values may follow sizes."""
        left = iter(tensors)
        values = [
            next(left) if isinstance(g, Input) else v
            for g, v in zip(self.model.inputs, self.list_values(sizes), strict=True)
        ]
        return arrange_arguments(self.model.inputs, values)

    def run_model(
        self, sizes: Sizes | None = None, tensors: Sequence[torch.Tensor] | None = None
    ) -> list[torch.Tensor]:
        """What the model gives, in eval mode. Raises what it raises."""
        given = self.list_tensors(sizes) if tensors is None else tensors
        return self.run_module(self.module, given, sizes)

    def run_module(
        self, module: nn.Module, tensors: Sequence[torch.Tensor], sizes: Sizes | None = None
    ) -> list[torch.Tensor]:
        """What a module of the same kind gives; a copy of it runs."""
        with copy_module(module) as copied, torch.no_grad():
            return flatten_output(copied(*self.arrange(tensors, sizes), **self.extra))

    def make_feed(self, sizes: Sizes | None = None, pairs: InputPairs | None = None) -> Feed:
        """What the file is fed."""
        feed = (pairs or self.pairs).make_feed(self.list_tensors(sizes))
        return {**feed, **self.extra}

    def run_file(self, sizes: Sizes | None = None) -> list[torch.Tensor]:
        """What the file gives. Raises what ONNX Runtime raises."""
        return self.runner.run(self.make_feed(sizes))

    def match_at(self, sizes: Sizes | None = None) -> OutputMatch:
        """Both beside each other; a difference that is the model's own rounding is none."""
        expected, given = self.run_model(sizes), self.run_file(sizes)
        found = match_outputs(expected, given)
        apart = found.difference
        alike = len(expected) == len(given) and not self.extra
        if (
            apart is not None
            and alike
            and self.eager.is_excused(sizes or self.model.sizes, given, apart)
        ):
            return OutputMatch(None)
        return found

    def user_file(self, path: str) -> str | None:
        """A path as the user knows it; None where the file is not the user's."""
        return self.files.shown(path) if self.files.is_user(path) else None

    def with_pairs(self, pairs: InputPairs) -> Case:
        """The same, with inputs of the file fed otherwise."""
        return replace(self, pairs=pairs)
