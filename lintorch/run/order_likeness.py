"""How like a graph's layers and activations are to a model's, in order and by the sizes of their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from lintorch.facts.models.module_steps import FollowedModel
from lintorch.onnx_file import OnnxModel

_PRODUCTS = {"Conv": "Conv", "ConvTranspose": "ConvTranspose", "Gemm": "Linear", "MatMul": "Linear"}
_PLAIN = (
    "Relu",
    "LeakyRelu",
    "PRelu",
    "Sigmoid",
    "Tanh",
    "Softmax",
    "Concat",
    "MaxPool",
    "AveragePool",
    "GlobalAveragePool",
    "Resize",
    "LayerNormalization",
    "InstanceNormalization",
    "LSTM",
    "GRU",
    "Einsum",
)
"""Operators that are seldom written for anything else, at every opset, and that no exporter takes away."""
_SIZES_FROM = {"Reshape": 1, "Expand": 1, "Slice": 1, "Tile": 1, "Resize": 1, "Pad": 1}
_SIZES_FROM |= {"ConstantOfShape": 0, "Range": 0}
"""By operator, its first input that holds sizes."""
_MOST = 1500
Sizes = tuple[int, int]


class OrderLikeness:
    """Compares models with one graph. Unlike names, this holds for files whose names are gone."""

    def __init__(self, model: OnnxModel) -> None:
        weights = {each.name: each.dims for each in model.graph.initializers}
        self._words: list[str] = []
        self._sizes: Counter[Sizes] = Counter()
        sizes = set(_list_size_values(model))
        for node in model.graph.nodes:
            if sizes.issuperset(node.outputs):
                continue
            if (word := _name_word(node.operator)) and len(self._words) < _MOST:
                self._words.append(word)
            dims = weights.get("".join(node.inputs[1:2]), ())
            if node.operator in _PRODUCTS and len(dims) > 1:
                self._sizes[min(dims[:2]), max(dims[:2])] += 1

    def measure(self, model: FollowedModel) -> float:
        """From 0 to 1, by the runs of three words that both have.

        How often and in which order they come, and the sizes of weights, count less: an export may be
        made with other numbers of blocks and channels than the source says.
        """
        words = list(_list_words(model))[:_MOST]
        if not words or not self._words:
            return 0.0
        order = SequenceMatcher(None, words, self._words, autojunk=False).ratio()
        known = Counter(each.sizes for each in model.steps if each.sizes)
        held = sum((known & self._sizes).values()) / max(sum(known.values()), 1) if known else 1.0
        ours, theirs = _list_runs(words), _list_runs(self._words)
        return len(ours & theirs) / len(ours | theirs) * (0.6 + 0.25 * order + 0.15 * held)


def _list_size_values(model: OnnxModel) -> Iterator[str]:
    """Values that are sizes: a Concat of them stands for no operation of the source."""
    for node in model.graph.nodes:
        yield from node.inputs[_SIZES_FROM.get(node.operator, len(node.inputs)) :]


def _list_words(model: FollowedModel) -> Iterator[str]:
    """Of operations that are written in one way only."""
    for step in model.steps:
        if "ReduceMean" in (step.writes or ()):
            continue
        words = {_name_word(each) for each in step.writes or ()} - {""}
        if len(words) == 1:
            yield words.pop()


def _list_runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    padded = ["", *words, ""]
    return {tuple(padded[at : at + 3]) for at in range(len(words))}


def _name_word(operator: str) -> str:
    return _PRODUCTS.get(operator) or (operator if operator in _PLAIN else "")
