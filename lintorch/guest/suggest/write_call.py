"""A program that exports one model: how it is built and fed, which sizes vary, and the call."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lintorch.guest.export.exporter import Job
from lintorch.guest.export.find_exporter import takes_plain
from lintorch.guest.feed.plain_forward import find_plan
from lintorch.guest.suggest.size_terms import SizeTerm, find_names
from lintorch.guest.suggest.write_arguments import write_nested, write_passed, write_tuple
from lintorch.guest.watch.trace_graphs import shape_plain_value
from lintorch.record.arguments import arrange_arguments, pick_tensors
from lintorch.record.models import FedArgument, Input
from lintorch.record.plain_values import bind_sizes, evaluate_plain

_TAKEN = frozenset({"model", "torch", "Dim", "program", "traced", "module", "sys", "spec"})
_WRAPPER = '''
class Exported(torch.nn.Module):
    """The model as the exporter takes it: fed tensors alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, {names}):
        return self.model({arguments})

'''
_WEIGHTS = '# model.load_state_dict(torch.load("weights.pt", weights_only=True))'


@dataclass(frozen=True)
class CallText:
    """What a program is written of. `outputs` are names of what is given back, () to leave them out.

    `imports` and `building` set `model`; `made_up` says which of its arguments nobody gave.
    """

    exporter: str
    job: Job
    sizes: Mapping[str, int]
    terms: tuple[SizeTerm, ...]
    imports: tuple[str, ...]
    building: tuple[str, ...]
    path: str
    opset: int | None = None
    outputs: tuple[str, ...] = ()
    made_up: tuple[str, ...] = ()
    source: str = ""
    """Where in the project the call is that it is built and fed like; "" for none."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """How the program calls the classes of records."""

    @property
    def wraps(self) -> bool:
        """Whether the exporter is given a module around the model, that takes tensors alone."""
        plain = len(pick_tensors(self.job.inputs)) < len(self.job.inputs)
        return (plain and not takes_plain(self.exporter)) or find_plan(self.job.module) is not None

    def write(self) -> str:
        """The whole program."""
        named = self.exporter == "torch.export" and bool(self.terms)
        plain = [line for line in self.imports if line.startswith("import ")]
        head = [*plain, *([""] if plain else []), "import torch"]
        head += ["from torch.export import Dim"] if named else []
        head += ["", *(line for line in self.imports if line not in plain)]
        body = ["", *self._write_notes(), *self.building, _WEIGHTS, "model.eval()", ""]
        wrapper = self._write_wrapper() if self.wraps else []
        return "\n".join(
            [*head, *wrapper, *body, *self._write_example(), *self._write_export(), ""]
        )

    def write_shapes(self) -> str:
        """`dynamic_shapes`, by the parameters of forward; "None" where no size varies."""
        if not self.terms:
            return "None"
        if self.wraps:
            tensors = pick_tensors(self.job.inputs)
            return _write_mapping({self._spell(t.label): self._write_axes(t) for t in tensors})
        return self.write_nested_shapes()

    def write_nested_shapes(self) -> str:
        """The same for the model itself, whatever is put around it."""
        arguments = dict(zip(self._name_parameters(), self._arrange_shapes(), strict=True))
        return _write_mapping(arguments)

    def write_dims(self) -> list[str]:
        """The statements that set the Dims of named sizes."""
        lines = []
        for term in self.terms:
            if term.named and not term.follows:
                lines += _write_dim(term, self._name_variable(term.name))
        return lines

    def _write_notes(self) -> Iterator[str]:
        if self.source:
            yield f"# built and fed as in {self.source}"
        if self.made_up:
            yield f"# nobody says what these are, put your own: {', '.join(self.made_up)}"

    def _write_example(self) -> list[str]:
        """One variable for each argument that holds tensors."""
        if self.wraps:
            tensors = pick_tensors(self.job.inputs)
            return [f"{self._spell(t.label)} = {_write_tensor(t, self.sizes)}" for t in tensors]
        each = arrange_arguments(self.job.inputs, [self._write_leaf(g) for g in self.job.inputs])
        names, lines = self._name_arguments(), []
        for name, argument, holds in zip(names, each, self._list_holding(), strict=True):
            if holds:
                lines.append(f"{name} = {write_nested(argument)}")
        return lines

    def _write_arguments(self) -> str:
        """The example as a tuple."""
        if self.wraps:
            return write_tuple([self._spell(t.label) for t in pick_tensors(self.job.inputs)])
        each = arrange_arguments(self.job.inputs, [self._write_leaf(g) for g in self.job.inputs])
        given = [
            name if holds else write_nested(argument)
            for name, argument, holds in zip(
                self._name_arguments(), each, self._list_holding(), strict=True
            )
        ]
        last_is_dict = bool(each) and isinstance(each[-1], dict)
        return write_tuple([*given, "{}"] if last_is_dict and self._is_onnx else given)

    @property
    def _is_onnx(self) -> bool:
        return self.exporter.startswith("onnx")

    def _write_export(self) -> Iterator[str]:
        model = "Exported(model).eval()" if self.wraps else "model"
        if self.exporter == "torch.export":
            yield from ["", *dims] if (dims := self.write_dims()) else []
            yield from self._write_free()
            yield "program = torch.export.export("
            yield from (f"    {model},", f"    {self._write_arguments()},")
            yield from _indent(f"dynamic_shapes={self.write_shapes()},") if self.terms else ()
            yield from (")", f"torch.export.save(program, {_quote(self.path)})")
        elif self._is_onnx:
            yield from self._write_free()
            yield "torch.onnx.export("
            yield from (
                f"    {model},",
                f"    {self._write_arguments()},",
                f"    {_quote(self.path)},",
            )
            yield f"    dynamo={self.exporter == 'onnx'},"
            yield from self._write_onnx_options()
            yield ")"
        else:
            yield from self._write_free()
            yield f"traced = torch.jit.trace({model}, {self._write_arguments()}{self._write_strict()})"
            yield f"traced.save({_quote(self.path)})"

    def _write_strict(self) -> str:
        return (
            ""
            if isinstance(self.job.output, (tuple, list)) or self.job.strict
            else ", strict=False"
        )

    def _write_onnx_options(self) -> Iterator[str]:
        if self.opset is not None:
            yield f"    opset_version={self.opset},"
        tensors = pick_tensors(self.job.inputs)
        legacy = self.exporter == "onnx-legacy"
        if legacy or self.wraps or len(tensors) == len(self.job.inputs):
            yield f"    input_names={_write_names(t.label for t in tensors)},"
        if self.outputs:
            yield f"    output_names={_write_names(self.outputs)},"
        if self.terms and legacy:
            yield from _indent(f"dynamic_axes={_write_mapping(self._list_axes())},")
        elif self.terms:
            yield from _indent(f"dynamic_shapes={self.write_shapes()},")

    def _write_free(self) -> Iterator[str]:
        """What is known of sizes that no Dim says."""
        yield ""
        for term in self.terms:
            said = term.describe()
            if said and not (self.exporter == "torch.export" and term.named):
                yield f"# {term.name}: {said}"

    def _write_wrapper(self) -> list[str]:
        labels = iter([self._spell(t.label) for t in pick_tensors(self.job.inputs)])
        leaves = [
            next(labels) if isinstance(each, Input) else bind_sizes(each.value, self.sizes)
            for each in self.job.inputs
        ]
        each = write_passed(
            self.job.module, arrange_arguments(self.job.inputs, leaves), self.spelled
        )
        names = ", ".join(self._spell(t.label) for t in pick_tensors(self.job.inputs))
        return ["", *_WRAPPER.format(names=names, arguments=", ".join(each)).splitlines()]

    def _list_axes(self) -> dict[str, str]:
        """By input, its axes that vary, with their names."""
        tensors = [g for g in self.job.inputs if isinstance(g, Input)]
        axes = [self._write_axes(given) for given in tensors]
        return {
            given.label: text for given, text in zip(tensors, axes, strict=True) if text != "None"
        }

    def _write_axes(self, given: Input) -> str:
        open_names = {term.name for term in self.terms}
        axes = {a: s for a, s in enumerate(given.shape) if isinstance(s, str) and s in open_names}
        if not axes:
            return "None"
        return "{" + ", ".join(f"{a}: {self._write_size(str(s))}" for a, s in axes.items()) + "}"

    def _write_size(self, name: str) -> str:
        term = next(each for each in self.terms if each.name == name)
        if self.exporter != "torch.export":
            return f'"{name}"'
        if not term.named:
            return "Dim.DYNAMIC"
        if term.follows:
            followed = term.follows
            for other in find_names(term.follows):
                followed = followed.replace(other, self._name_variable(other))
            return followed
        return self._name_variable(name)

    def _arrange_shapes(self) -> tuple[Any, ...]:
        """Per parameter: the shapes of its value, nested as it is."""
        leaves = [
            self._write_axes(given)
            if isinstance(given, Input)
            else str(shape_plain_value(evaluate_plain(given.value, self.sizes)))
            for given in self.job.inputs
        ]
        each = arrange_arguments(self.job.inputs, leaves)
        parameters = _list_parameters(self.job)
        star = next((n for n, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL), len(each))
        return each if star >= len(each) else (*each[:star], each[star:])

    def _name_parameters(self) -> list[str]:
        """The parameters of forward that are given, as `dynamic_shapes` calls them."""
        return [p.name for p in _list_parameters(self.job)][: len(self._arrange_shapes())]

    def _name_arguments(self) -> list[str]:
        """A variable for each argument: called as its parameter."""
        count = len(arrange_arguments(self.job.inputs, self.job.inputs))
        parameters = _list_parameters(self.job)
        names = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL][:count]
        star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
        names += [f"{star}_{number}" for number in range(count - len(names))]
        return [self._spell(name) for name in names]

    def _list_holding(self) -> list[bool]:
        """Whether each argument holds tensors."""
        each = arrange_arguments(self.job.inputs, self.job.inputs)
        return [any(isinstance(leaf, Input) for leaf in _walk(argument)) for argument in each]

    def _write_leaf(self, given: FedArgument) -> str:
        if isinstance(given, Input):
            return _write_tensor(given, self.sizes)
        return bind_sizes(given.value, self.sizes)

    def _spell(self, name: str) -> str:
        return f"{name}_" if name in _TAKEN else name

    def _name_variable(self, name: str) -> str:
        """A variable for the Dim of a size, apart from those of the arguments."""
        inputs = {*self._name_arguments(), *_TAKEN}
        return f"{name}_size" if name in inputs else name


def _list_parameters(job: Job) -> list[inspect.Parameter]:
    return [*inspect.signature(job.module.forward).parameters.values()]


def _walk(argument: Any) -> Iterator[Any]:
    if isinstance(argument, dict):
        argument = [*argument.values()]
    if isinstance(argument, (list, tuple)):
        for part in argument:
            yield from _walk(part)
    else:
        yield argument


def _write_dim(term: SizeTerm, variable: str) -> list[str]:
    """`batch = Dim("batch")`; of a multiple the Dim counts how many times."""
    low, high = -(-term.low // term.step), None if term.high is None else term.high // term.step
    bounds = [f"min={low}"] if low > 2 else []
    bounds += [f"max={high}"] if high is not None else []
    if term.step == 1:
        return [f"{variable} = Dim({', '.join([_quote(term.name), *bounds])})"]
    dim = f"Dim({', '.join([_quote('_' + term.name), *bounds])})"
    return [f"{variable} = {term.step} * {dim}"]


def _write_tensor(given: Input, sizes: Mapping[str, int]) -> str:
    shape = ", ".join(str(sizes[s] if isinstance(s, str) else s) for s in given.shape)
    rank_one = f"({shape},)" if len(given.shape) == 1 else f"({shape})"
    if given.dtype.startswith(("float", "bfloat")) and given.high > given.low:
        kind = "" if given.dtype == "float32" else f", dtype=torch.{given.dtype}"
        spread, start = given.high - 1 - given.low, given.low
        drawn = f"torch.rand({shape or '()'}{kind})" + (f" * {spread}" if spread != 1 else "")
        return f"{drawn} + {start}" if start else drawn
    if given.dtype == "float32":
        return f"torch.randn({shape or '()'})"
    if given.dtype.startswith(("float", "bfloat", "complex")):
        return f"torch.randn({shape or '()'}, dtype=torch.{given.dtype})"
    if given.dtype == "bool":
        return f"torch.randint(0, 2, {rank_one}, dtype=torch.bool)"
    high = given.high if given.high > given.low else given.low + 2
    dtype = "" if given.dtype == "int64" else f", dtype=torch.{given.dtype}"
    return f"torch.randint({given.low}, {high}, {rank_one}{dtype})"


def _write_names(names: Any) -> str:
    return "[" + ", ".join(map(_quote, names)) + "]"


def _quote(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _write_mapping(entries: Mapping[str, Any]) -> str:
    """One entry a line where there are several."""
    parts = [f"{_quote(name)}: {write_nested(part)}" for name, part in entries.items()]
    if len(parts) == 1:
        return "{" + parts[0] + "}"
    return "{\n" + "".join(f"    {part},\n" for part in parts) + "}"


def _indent(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]
