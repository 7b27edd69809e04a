"""Whether the sizes of a checkpoint are those of a part of the model, as runs on several devices save it."""

from __future__ import annotations

import math
from collections.abc import Sequence

Pair = tuple[str, tuple[int, ...], tuple[int, ...]]
"""Key, size in the file, size in the model."""
_SHARES = (2, 4, 8, 16, 32, 64)
_MANY = 1024
"""Rows from which on half of them is seldom another number of classes."""
_SEVERAL = 8
_GATHER = "one file with all of it comes of full_state_dict (FSDP: StateDictType.FULL_STATE_DICT, or get_model_state_dict(model, options=StateDictOptions(full_state_dict=True)) of torch.distributed.checkpoint.state_dict), of the converter of the framework that saved it (Megatron, DeepSpeed's zero_to_fp32.py, `accelerate merge-weights`)"


def describe_spread(pairs: Sequence[Pair]) -> str:
    """A sentence where all of them are flattened, or are the same share of the model's; else ""."""
    told = [pair for pair in pairs if pair[1] and pair[2]]
    if not told:
        return ""
    key, file, model = told[0]
    if all(_is_flat(each[1], each[2]) for each in told):
        return f"The file has `{key}` as one row of {file[0]} numbers, the model as {[*model]}: FSDP saved its own flattened weights, of one process alone; {_GATHER}."
    if all(_is_flat(each[2], each[1]) for each in told):
        return f"The model has `{key}` as one row of {model[0]} numbers, the file as {[*file]}: the model is wrapped by FSDP already; load before it is wrapped, or by set_model_state_dict of torch.distributed.checkpoint.state_dict."
    shares = {_find_share(each[1], each[2]) for each in told}
    if (
        len(shares) == 1
        and (share := shares.pop())
        and (len(told) >= _SEVERAL or _is_large(told[0]))
    ):
        return f"`{key}` is {[*file]} in the file and {[*model]} in the model, exactly one part in {share}, and so are all that are named: the file is one of {share} shards (tensor parallel, FSDP), unless the model was built {share} times as wide; {_GATHER}."
    return ""


def _is_flat(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether one is a single row with all numbers of the other, or with a share of them."""
    if len(one) != 1 or len(other) < 2:
        return False
    whole = math.prod(other)
    return one[0] == whole or any(
        -(-whole // share) == one[0] for share in (*_SHARES, 3, 6, 12, 24)
    )


def _find_share(file: tuple[int, ...], model: tuple[int, ...]) -> int:
    """How many of the file's make the model's, along one axis; 0 where no number does."""
    if len(file) != len(model):
        return 0
    differing = [(a, b) for a, b in zip(file, model) if a != b]  # noqa: B905 - same length
    if len(differing) != 1:
        return 0
    (a, b), *_ = differing
    return next((share for share in _SHARES if a * share == b), 0)


def _is_large(pair: Pair) -> bool:
    _, file, model = pair
    return any(a != b and a >= _MANY for a, b in zip(file, model))  # noqa: B905 - same length
