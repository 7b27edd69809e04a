"""From a file and a model that runs to a case: inputs paired, sizes bound, weights taken."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.layer_calls import LayerCall, record_calls
from lintorch.guest.beside.onnx_file import FileInput, OnnxFile, UnreadableFileError
from lintorch.guest.beside.pair_inputs import bind_sizes, pair_inputs, take_ranks
from lintorch.guest.beside.take_weights import (
    list_unlike,
    load_checkpoint,
    put_weights,
)
from lintorch.guest.beside.weight_pairs import (
    Folding,
    WeightPair,
    find_foldings,
    list_weight_pairs,
)
from lintorch.guest.construct.make_model import Built
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Model


@dataclass(frozen=True)
class Weighed:
    """Whose weights the model runs with, in words; and how those of the file fit them.

    `missing` are keys that the file holds no values for, and that the model was not given otherwise.
    """

    words: str
    whose: str
    pairs: tuple[WeightPair, ...]
    unlike: tuple[WeightPair, ...]
    foldings: tuple[Folding, ...]
    missing: tuple[str, ...]


def make_case(
    file: OnnxFile, built: Built, fed: Fed, model: Model, files: UserLines
) -> tuple[Case, tuple[dict[str, int], ...], frozenset[str]]:
    """The case, the other sizes that the file takes too, and the names of those that it has fixed.

    Raises UnreadableFileError where the file takes what the model does not.
    """
    taken = take_ranks(file.inputs, fed.inputs)
    pairs = pair_inputs(file.inputs, pick_tensors(taken))
    extra = {taken.name: value for taken, value in _feed_extra(pairs.extra, built.module)}
    inputs, sizes, fixed = bind_sizes(pairs, taken, fed.sizes)
    if set(extra) != {taken.name for taken in pairs.extra}:
        odd = next(taken.name for taken in pairs.extra if taken.name not in extra)
        raise UnreadableFileError(
            f"it takes `{odd}`, and the model is fed {_list_labels(fed)} only: is it of another model?"
        )
    model = replace(model, inputs=inputs, sizes=sizes)
    case = Case(file, built.module, model, pairs, files, built.sites, extra)
    others = [{**each, **{name: sizes[name] for name in fixed}} for each in fed.varied]
    distinct = [each for n, each in enumerate(others) if each != sizes and each not in others[:n]]
    return case, tuple(distinct), fixed


def weigh_case(case: Case, checkpoint: str, own: bool) -> Weighed:
    """Settle the model's weights: of the checkpoint, its `own`, or the file's. Raises UnreadableFileError."""
    calls = _record(case)
    foldings = find_foldings(case.file, case.module, calls)
    words, whose = "", "the checkpoint"
    if checkpoint:
        try:
            words = load_checkpoint(case.module, checkpoint)
        except UnreadableFileError as error:
            raise UnreadableFileError(f"the checkpoint cannot be loaded: {error}") from error
    pairs = list_weight_pairs(case.file, case.module, calls, foldings)
    unlike = tuple(list_unlike(case.module, pairs, _is_quantized(case.file)))
    missing = tuple(_list_missing(case.module, pairs, foldings, calls))
    if checkpoint:
        return Weighed(words, whose, pairs, unlike, foldings, ())
    if own:
        return Weighed("the model's own", "the model", pairs, unlike, foldings, ())
    put_weights(case.module, pairs)
    words = f"taken from the file: {len(pairs)} tensors"
    if foldings:
        words += f"; BatchNorm of {len(foldings)} layers is part of the layer before it there"
    return Weighed(words, "the file", pairs, (), foldings, missing)


def _record(case: Case) -> list[LayerCall]:
    tensors = case.list_tensors()
    try:
        return record_calls(case.module, case.arrange(tensors), case.extra, keep=False)
    except Exception as error:
        shapes = ", ".join("x".join(map(str, each.shape)) for each in tensors)
        raise UnreadableFileError(
            f"the model does not run at the sizes that the file takes ({shapes}): "
            f"{type(error).__name__}: {str(error)[:200]}"
        ) from error


def _is_quantized(file: OnnxFile) -> bool:
    from lintorch.guest.beside.causes.precision import name_precision

    return name_precision(file) == "int8"


def _list_missing(
    module: nn.Module,
    pairs: Sequence[WeightPair],
    foldings: Sequence[Folding],
    calls: Sequence[LayerCall],
) -> Iterator[str]:
    """Keys of parameters, and of statistics, that the file has nothing for: those of layers that run."""
    found = {pair.key for pair in pairs}
    idle = {each.norm for each in foldings}
    ran = {call.name for call in calls}
    state = module.state_dict()
    parameters = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    storages = {state[key].data_ptr() for key in found if key in state}
    for key, value in state.items():
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            continue
        layer, _, name = key.rpartition(".")
        counted = key in parameters or name in ("running_mean", "running_var")
        if not counted or key in found or layer in idle or not value.numel():
            continue
        if value.data_ptr() in storages or (layer and layer not in ran and _is_leaf(module, layer)):
            continue
        yield key


def _is_leaf(module: nn.Module, layer: str) -> bool:
    return not list(module.get_submodule(layer).children())


def _feed_extra(
    extra: Sequence[FileInput], module: nn.Module
) -> Iterator[tuple[FileInput, torch.Tensor]]:
    """Inputs of the file that are parameters of forward which the model is not fed."""
    parameters: Mapping[str, inspect.Parameter] = inspect.signature(module.forward).parameters
    for taken in extra:
        dims = taken.dims
        if taken.name not in parameters or dims is None or taken.dtype is None:
            continue
        shape = [dim if isinstance(dim, int) else 2 for dim in dims]
        value = torch.ones(shape) if not taken.dtype.is_floating_point else torch.rand(shape)
        yield taken, value.to(taken.dtype)


def _list_labels(fed: Fed) -> str:
    return ", ".join(f"`{each.label}`" for each in pick_tensors(fed.inputs))
