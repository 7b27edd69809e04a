"""Whether tensors by themselves are what a run was measured by: `loss`, `best_acc1`, `val.psnr`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lintorch.checkpoint.values import Tensor

_WORDS = frozenset(
    ("acc", "accuracy", "auc", "best", "bleu", "cer", "dice", "epoch", "epochs", "err", "error", "errors", "fid", "fitness", "f1",
     "iou", "iter", "iters", "loss", "losses", "lpips", "mae", "map", "metric", "metrics", "miou", "mse", "perplexity", "ppl",
     "prec", "precision", "psnr", "recall", "rmse", "roc", "score", "scores", "ssim", "steps", "top", "wer")
)  # fmt: skip
_APART = re.compile(r"[^a-z]+|(?<=[a-z])\d+")


def are_metrics(path: Sequence[str], tensors: Sequence[tuple[str, Tensor]]) -> bool:
    """Whether all are numbers or short rows of them, and called so by their own names or those that lead to them."""
    if any(len(tensor.shape) > 1 for _, tensor in tensors):
        return False
    if path and _is_metric(path[-1]) and all(tensor.count == 1 for _, tensor in tensors):
        return True
    return all(_is_metric(name) for name, _ in tensors)


def _is_metric(name: str) -> bool:
    words = [each for each in _APART.split(name.rpartition(".")[2].lower()) if each]
    return bool(_WORDS & {*words})
