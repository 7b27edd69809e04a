"""Losses, and distances between vectors."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_axis, as_tensor, differ_surely, show_sizes
from lintorch.evaluator.operators.broadcast import broadcast_operands, broadcast_shapes
from lintorch.evaluator.operators.promote_dtypes import promote_operands
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)

_STRETCHED = "mse_loss l1_loss smooth_l1_loss huber_loss kl_div soft_margin_loss poisson_nll_loss"
_STRETCHED_LAYERS = """
MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss SoftMarginLoss PoissonNLLLoss
"""

_REDUCTIONS = ("none", "mean", "sum", "batchmean", "elementwise_mean")
"""What torch 2.13 takes; it warns of the last."""


def reduce_loss(shape: Shape | None, reduction: Any, dtype: str | None) -> TensorType:
    """A number, or one for each element where nothing is reduced."""
    if reduction is OPEN:
        raise UndecidedError
    if isinstance(reduction, str) and reduction not in _REDUCTIONS:
        raise ShapeError(f"{reduction} is not a valid value for reduction")
    return TensorType(shape if reduction == "none" else (), dtype)


@shape_of(*spell_names(_STRETCHED, "torch.nn.functional"))
def compare_stretched(
    input: Any, target: Any, reduction: Any = "mean", reduce: Any = None, size_average: Any = None
) -> TensorType:
    """Losses whose operands are stretched to one another."""
    if reduce is not None or size_average is not None:
        raise UndecidedError
    pair = as_tensor(input), as_tensor(target)
    return reduce_loss(broadcast_operands(*pair), reduction, promote_operands(*pair))


@layer_shape(*spell_names(_STRETCHED_LAYERS, "torch.nn"))
def compare_stretched_in_layer(
    settings: Any, input: Any = None, target: Any = None, log_input: Any = None
) -> TensorType:
    """The same as layers."""
    older = (settings.get(name) for name in ("reduce", "size_average"))
    given = log_input if input is None else input
    return compare_stretched(given, target, settings["reduction"], *older)


@shape_of("torch.nn.functional.binary_cross_entropy")
def compare_probabilities(
    input: Any, target: Any, weight: Any = None, reduction: Any = "mean"
) -> TensorType:
    """Probabilities against targets of the same shape."""
    first, second = as_tensor(input), as_tensor(target)
    if _differ(first, second):
        raise ShapeError(
            f"Using a target size ({_show_size(second)}) that is different to the input size "
            f"({_show_size(first)}) is deprecated. Please ensure they have the same size."
        )
    return reduce_loss(first.shape, reduction, first.dtype)


@shape_of("torch.nn.functional.binary_cross_entropy_with_logits")
def compare_logits(
    input: Any, target: Any, weight: Any = None, reduction: Any = "mean"
) -> TensorType:
    """What becomes probabilities against targets of the same shape."""
    first, second = as_tensor(input), as_tensor(target)
    if _differ(first, second):
        raise ShapeError(
            f"Target size ({_show_size(second)}) must be the same as input size ({_show_size(first)})"
        )
    return reduce_loss(first.shape, reduction, promote_operands(first, second))


def _differ(first: TensorType, second: TensorType) -> bool:
    if first.shape is None or second.shape is None:
        return False
    pairs = zip(first.sizes, second.sizes, strict=False)
    return first.rank != second.rank or any(differ_surely(a, b) for a, b in pairs)


def _show_size(tensor: TensorType) -> str:
    return f"torch.Size({show_sizes(tensor.sizes)})"


@layer_shape("torch.nn.BCELoss")
def compare_probabilities_in_layer(settings: Any, input: Any, target: Any) -> TensorType:
    """The same as a layer."""
    return compare_probabilities(input, target, None, settings["reduction"])


@layer_shape("torch.nn.BCEWithLogitsLoss")
def compare_logits_in_layer(settings: Any, input: Any, target: Any) -> TensorType:
    """The same as a layer."""
    return compare_logits(input, target, None, settings["reduction"])


@shape_of("torch.nn.functional.cross_entropy")
def compare_classes(input: Any, target: Any, reduction: Any = "mean") -> TensorType:
    """Scores of (N, C, …) against classes of (N, …), or against their probabilities."""
    scores, classes = as_tensor(input), as_tensor(target)
    require(
        scores.rank >= 1, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
    )
    if scores.rank == classes.rank:
        return _compare_soft(scores, classes, reduction)
    return _compare_indices(scores, classes, reduction)


def _compare_soft(scores: TensorType, classes: TensorType, reduction: Any) -> TensorType:
    if classes.dtype is not None and "float" not in classes.dtype:
        raise ShapeError(
            f"Expected floating point type for target with class probabilities, got {classes.dtype}"
        )
    if _differ(scores, classes):
        raise ShapeError(
            "input and target have different shapes: "
            f"{show_sizes(scores.sizes)} and {show_sizes(classes.sizes)}"
        )
    kept = scores.sizes[:1] + scores.sizes[2:] if scores.rank > 1 else ()
    return reduce_loss(kept, reduction, scores.dtype)


@shape_of("torch.nn.functional.nll_loss")
def compare_log_classes(
    input: Any, target: Any, weight: Any = None, reduction: Any = "mean"
) -> TensorType:
    """Logarithms of (N, C, …) against classes of (N, …)."""
    scores = as_tensor(input)
    found = _compare_indices(scores, as_tensor(target), reduction)
    if isinstance(weight, TensorType) and weight.shape is not None and scores.rank:
        classes = scores.sizes[1 if scores.rank > 1 else 0]
        if weight.rank != 1 or differ_surely(weight.sizes[0], classes):
            raise ShapeError(
                f"weight tensor should be defined either for all {classes} classes or no classes but "
                f"got weight tensor of shape: {show_sizes(weight.sizes)}"
            )
    return found


def _compare_indices(scores: TensorType, classes: TensorType, reduction: Any) -> TensorType:
    expected = scores.sizes[:1] + scores.sizes[2:] if scores.rank > 1 else ()
    if scores.rank > 1 and classes.rank and differ_surely(scores.sizes[0], classes.sizes[0]):
        raise ShapeError(
            f"Expected input batch_size ({scores.sizes[0]}) to match target batch_size "
            f"({classes.sizes[0]})."
        )
    if classes.rank != len(expected):
        raise ShapeError(
            f"Expected target size {show_sizes(expected)}, got {show_sizes(classes.sizes)}"
        )
    if any(differ_surely(a, b) for a, b in zip(expected, classes.sizes, strict=True)):
        if scores.rank == 4:
            raise ShapeError(
                f"size mismatch (got input: {show_sizes(scores.sizes)} , target: "
                f"{show_sizes(classes.sizes)}"
            )
        raise ShapeError(
            f"Expected target size {show_sizes(expected)}, got {show_sizes(classes.sizes)}"
        )
    return reduce_loss(classes.shape, reduction, scores.dtype)


@layer_shape("torch.nn.CrossEntropyLoss")
def compare_classes_in_layer(settings: Any, input: Any, target: Any) -> TensorType:
    """The same as a layer."""
    return compare_classes(input, target, settings["reduction"])


@layer_shape("torch.nn.NLLLoss")
def compare_log_classes_in_layer(settings: Any, input: Any, target: Any) -> TensorType:
    """The same as a layer."""
    return compare_log_classes(input, target, settings["weight"], settings["reduction"])


@shape_of(*spell_names("cosine_similarity", "torch", "torch.nn.functional"))
def compare_directions(x1: Any, x2: Any, dim: Any = 1) -> TensorType:
    """One number for each pair of vectors along an axis."""
    first, second = as_tensor(x1), as_tensor(x2)
    shape = broadcast_shapes(first.sizes, second.sizes)
    axis = as_axis(dim, len(shape))
    return TensorType((*shape[:axis], *shape[axis + 1 :]), promote_operands(first, second))


@layer_shape("torch.nn.CosineSimilarity")
def compare_directions_in_layer(settings: Any, x1: Any, x2: Any) -> TensorType:
    """The same as a layer."""
    return compare_directions(x1, x2, settings["dim"])


@shape_of(*spell_names("pairwise_distance", "torch", "torch.nn.functional"))
def measure_pairs(x1: Any, x2: Any, keepdim: Any = False) -> TensorType:
    """The distance of each pair of vectors along the last axis."""
    first, second = as_tensor(x1), as_tensor(x2)
    shape = broadcast_shapes(first.sizes, second.sizes)
    last = (1,) if bool(keepdim) else ()
    return TensorType((*shape[:-1], *last), promote_operands(first, second))


@layer_shape("torch.nn.PairwiseDistance")
def measure_pairs_in_layer(settings: Any, x1: Any, x2: Any) -> TensorType:
    """The same as a layer."""
    return measure_pairs(x1, x2, settings["keepdim"])


@shape_of("torch.cdist")
def measure_all_pairs(x1: Any, x2: Any) -> TensorType:
    """The distance of each of one set of vectors to each of another."""
    first, second = as_tensor(x1), as_tensor(x2)
    require(first.rank >= 2, "cdist only supports at least 2D tensors, X1 got: 1D")
    require(second.rank >= 2, "cdist only supports at least 2D tensors, X2 got: 1D")
    if differ_surely(first.sizes[-1], second.sizes[-1]):
        raise ShapeError(
            f"X1 and X2 must have the same number of columns. X1: {first.sizes[-1]} X2: "
            f"{second.sizes[-1]}"
        )
    ahead = broadcast_shapes(first.sizes[:-2], second.sizes[:-2])
    return TensorType((*ahead, first.sizes[-2], second.sizes[-2]), promote_operands(first, second))


@shape_of("torch.nn.functional.cosine_embedding_loss", "torch.nn.functional.margin_ranking_loss")
def compare_ranks(input1: Any, input2: Any, target: Any, reduction: Any = "mean") -> TensorType:
    """Pairs that should be alike, or in order."""
    if reduction is OPEN or reduction == "none":
        raise UndecidedError
    first = as_tensor(input1)
    broadcast_operands(first, as_tensor(input2))
    return TensorType((), first.dtype)


@layer_shape("torch.nn.CosineEmbeddingLoss", "torch.nn.MarginRankingLoss")
def compare_ranks_in_layer(settings: Any, input1: Any, input2: Any, target: Any) -> TensorType:
    """The same as layers."""
    return compare_ranks(input1, input2, target, settings["reduction"])


@shape_of("torch.nn.functional.triplet_margin_loss")
def compare_triplets(
    anchor: Any, positive: Any, negative: Any, reduction: Any = "mean"
) -> TensorType:
    """Vectors that should be near, and others that should not."""
    three = [as_tensor(each) for each in (anchor, positive, negative)]
    shape = broadcast_operands(*three)
    return reduce_loss(None if shape is None else shape[:-1], reduction, promote_operands(*three))


@layer_shape("torch.nn.TripletMarginLoss")
def compare_triplets_in_layer(
    settings: Any, anchor: Any, positive: Any, negative: Any
) -> TensorType:
    """The same as a layer."""
    return compare_triplets(anchor, positive, negative, settings["reduction"])


@shape_of("torch.nn.functional.ctc_loss")
def compare_alignments(log_probs: Any, reduction: Any = "mean") -> TensorType:
    """Sequences that are not aligned; only what is reduced is known."""
    if reduction is OPEN or reduction == "none":
        raise UndecidedError
    return TensorType((), as_tensor(log_probs).dtype)


@layer_shape("torch.nn.CTCLoss")
def compare_alignments_in_layer(settings: Any, log_probs: Any) -> TensorType:
    """The same as a layer."""
    return compare_alignments(log_probs, settings["reduction"])
