"""What keys tell of weights that spectral_norm, weight_norm, pruning or a parametrization took apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PARTS = {
    "torch.nn.utils.prune": ("_orig", "_mask"),
    "torch.nn.utils.spectral_norm": ("_orig", "_u"),
    "torch.nn.utils.weight_norm": ("_g", "_v"),
}
"""What each puts behind the name of the weight that it takes apart."""
_NEWER = re.compile(
    r"(?P<layer>.*?)\.?parametrizations\.(?P<name>\w+)\.(?P<part>original[01]?|0\.\w+)"
)
_KINDS = {
    "original1": "torch.nn.utils.parametrizations.weight_norm",
    "0._u": "torch.nn.utils.parametrizations.spectral_norm",
    "0.base": "torch.nn.utils.parametrizations.orthogonal",
}
_BACK = {
    "torch.nn.utils.prune": 'weight = state.pop("{0}_orig") * state.pop("{0}_mask"), put back as state["{0}"]; prune.remove(layer, name) before saving does the same',
    "torch.nn.utils.spectral_norm": "put spectral_norm on these layers before load_state_dict, and take it off with torch.nn.utils.remove_spectral_norm(layer)",
    "torch.nn.utils.weight_norm": "put weight_norm on these layers before load_state_dict, and take it off with torch.nn.utils.remove_weight_norm(layer)",
}
_BACK_NEWER = "register it on these layers before load_state_dict, and take it off with torch.nn.utils.parametrize.remove_parametrizations(layer, name)"
_PAIRED = {
    ("torch.nn.utils.parametrizations.weight_norm", "torch.nn.utils.weight_norm"): ": the keys original0 and original1 there are weight_g and weight_v here",
    ("torch.nn.utils.spectral_norm", "torch.nn.utils.parametrizations.spectral_norm"): "; renaming the keys (weight_orig to parametrizations.weight.original, weight_u and weight_v to parametrizations.weight.0._u and ._v) keeps its numbers",
}  # fmt: skip


@dataclass(frozen=True)
class _Taken:
    """How weights are kept: in parts, by a function of torch; `weights` are their plain names."""

    by: str
    weights: frozenset[str]


def describe_parametrized(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    """A sentence where the keys of one side are parts of the weights of the other; else ""."""
    file, model = _find_taken(unexpected), _find_taken(missing)
    if file and model and file.by != model.by and file.weights & model.weights:
        how = _PAIRED.get((file.by, model.by), "")
        return f"`{_name_first(file)}` was saved with {file.by}, and the model has {model.by} on it: use the one that the file was saved with{how}."
    if file and not model and (not missing or file.weights & {*missing}):
        back = _BACK.get(file.by, _BACK_NEWER).format(_name_first(file))
        return f"The file was saved with {file.by} on its weights, as `{_name_first(file)}`, and the model is built without: {back}."
    if model and not file and (not unexpected or model.weights & {*unexpected}):
        return f"The model has {model.by} on its weights, as `{_name_first(model)}`, and the file was saved without: load_state_dict first, and put it on then."
    return ""


def _name_first(taken: _Taken) -> str:
    return min(taken.weights)


def _find_taken(keys: Sequence[str]) -> _Taken | None:
    """Where most of the keys are parts of weights."""
    newer = [match for key in keys if (match := _NEWER.fullmatch(key))]
    if newer and 2 * len(newer) > len(keys):
        parts = {match["part"] for match in newer}
        by = next((by for part, by in _KINDS.items() if part in parts), "a parametrization")
        weights = {".".join(filter(None, (match["layer"], match["name"]))) for match in newer}
        return _Taken(by, frozenset(weights))
    for by, ends in _PARTS.items():
        weights = set.intersection(*({k.removesuffix(end) for k in keys if k.endswith(end)} for end in ends))  # fmt: skip
        if weights and 2 * _count_parts(keys, weights) > len(keys):
            return _Taken(by, frozenset(weights))
    return None


def _count_parts(keys: Sequence[str], weights: set[str]) -> int:
    return sum(key.rpartition("_")[0] in weights for key in keys)
