"""Reads the error of a model that was fed wrongly, and changes what it is fed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator

from lintorch.guest.feed.fix_channels import (
    fix_batch_norm,
    fix_cell_features,
    fix_channels_per_group,
    fix_conv_channels,
    fix_group_norm,
    fix_last_axis,
    fix_layer_norm,
    fix_linear_features,
    fix_prelu,
    fix_product,
    fix_split,
)
from lintorch.guest.feed.fix_dtype import (
    lower_integers,
    make_booleans,
    make_fractions,
    make_integers,
    make_masks,
)
from lintorch.guest.feed.fix_rank import (
    add_axes,
    add_indexed_axis,
    add_layers,
    add_steps,
    count_samples,
    fit_padded_rank,
    lose_axes,
    lose_expanded_axes,
    lose_rows,
    make_square,
    make_vectors_alike,
    mask_each_place,
    mask_each_step,
    put_queries_first,
    put_samples_second,
    stand_as_column,
    take_asserted_rank,
    take_batched_rank,
    take_first_rank,
    take_lengths,
    take_one_step,
    take_packed_rank,
    take_query_rank,
    take_second_rank,
)
from lintorch.guest.feed.fix_sides import (
    add_viewed_axis,
    enlarge_sizes,
    enlarge_vanished_sides,
    equalise_joined_sizes,
    equalise_sizes,
    fill_split_axis,
    fit_patches,
    fit_view,
    group_samples,
    outgrow_window,
    take_named_sides,
    take_one_sample,
)
from lintorch.guest.feed.fix_targets import class_each_row, fit_target, lose_target_axes
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.resize_axis import lengthen_indexed_axis
from lintorch.record.models import Input

_ALL_TURNED, _OTHERS_ALONE, _WHOLLY_OTHER = -1, 50, 99
"""Ranks of axes in another order in all inputs, of a change of inputs that are not to blame alone,
and of another number of inputs."""
Repair = Callable[[Guess, re.Match[str]], Iterator[Guess]]


def suggest_repairs(guess: Guess, message: str, blamed: Collection[Input] = ()) -> Iterator[Guess]:
    """Other inputs that the message suggests, the most likely first.

    Where only some inputs are `blamed`, what changes these alone comes before what changes others
    too; what leaves them as they are is left out where anything else is there to be tried.
    """
    found = (
        other
        for pattern, repair in _REPAIRS
        if (match := pattern.search(message))
        for other in repair(guess, match)
    )
    if not blamed or len(blamed) == len(guess.inputs):
        yield from found
        return
    ranked = [(_rank_change(guess, other, blamed), other) for other in found]
    best = min((rank for rank, _ in ranked), default=_WHOLLY_OTHER)
    for rank, other in sorted(ranked, key=lambda pair: pair[0]):
        if rank < _OTHERS_ALONE or best >= _OTHERS_ALONE:
            yield other


def _rank_change(guess: Guess, other: Guess, blamed: Collection[Input]) -> int:
    """How far another guess is from changing the blamed inputs alone; lengths follow what they are of."""
    if len(other.inputs) != len(guess.inputs):
        return _WHOLLY_OTHER
    pairs = list(zip(guess.inputs, other.inputs, strict=True))
    changed = [was for was, now in pairs if was != now and now.longest == ""]
    if len(changed) > len(blamed) and all(_is_turned(was, now) for was, now in pairs):
        return _ALL_TURNED
    alien = sum(was not in blamed for was in changed)
    if changed and alien == len(changed):
        return _OTHERS_ALONE
    return min(2 * alien + (not changed), _OTHERS_ALONE - 1)


def _is_turned(was: Input, now: Input) -> bool:
    """Whether an input has the same axes in another order."""
    return was.shape != now.shape and Counter(was.shape) == Counter(now.shape)


_REPAIRS: tuple[tuple[re.Pattern[str], Repair], ...] = tuple(
    (re.compile(pattern), repair)
    for pattern, repair in (
        (r"to have (\d+) channels, but got (\d+) channels", fix_conv_channels),
        (r"channels \((\d+)\)\D{1,99}\((\d+)\)", fix_conv_channels),
        (r"running_mean should contain (\d+) elements not (\d+)", fix_batch_norm),
        (r"got weight of shape \[(\d+)\] and input of shape \[([\d, ]+)\]", fix_group_norm),
        (r"but got input of shape \[([\d, ]+)\] and num_groups=(\d+)", fix_channels_per_group),
        (r"cannot be multiplied \((\d+)x(\d+) and (\d+)x\d+\)", fix_linear_features),
        (r"Expected (\d+), got (\d+)$", fix_last_axis),
        (r"expecting embedding dimension of (\d+), but got (\d+)", fix_last_axis),
        (r"inconsistent input_size: got (\d+),? expected (\d+)", fix_cell_features),
        (r"parameter numbers = (\d+) and channel size = (\d+)", fix_prelu),
        (
            r"expected input with shape \[\*, ([\d, ]+)\], but got input of size ?\[([\d, ]+)\]",
            fix_layer_norm,
        ),
        (r"Got (\d)D input, but \w+ mode needs (\d)D", take_second_rank),
        (r"[Ee]xpected (\d)D \(unbatched\) or (\d)D \(batched\)", take_batched_rank),
        (r"[Ee]xpected (?:input to be )?(\d)-?D or (\d)-?D", take_batched_rank),
        (r"query should be unbatched 2D or batched 3D tensor", take_query_rank),
        (r"should be a (\d)d-array|batch[12] must be a (\d)D tensor", take_first_rank),
        (r"Padding size (\d) is not supported for (\d)D input", fit_padded_rank),
        (r"[Ee]xpected (\d)-?D (?:input|tensor|\(got)", take_first_rank),
        (r"expected (\d)[Dd],? (?:but )?got", take_first_rank),
        (r"unpack \(expected (\d)", take_first_rank),
        (r"For batched 3-D input, hx (?:and cx )?should also be 3-D", add_layers),
        (
            r"too many values to unpack|view size is not compatible with input tensor's size|one element tensors can be|more than one value is ambiguous"
            r"|cannot be converted to Scalar|convert an array of size 1|only (?:length-1|0-dim)",
            take_one_sample,
        ),
        (r"Expected (\d) dimensions, got (\d)", take_first_rank),
        (
            r"[Pp]adding mask should be (\d)D|`key_padding_mask` to be `None` or (\d)-D",
            mask_each_step,
        ),
        (r"key_padd(?:ed|ing)_mask\.shape\[1\] to be \d+, but got \d+", mask_each_place),
        (r"input must have (2) dimensions, got (\d)", take_packed_rank),
        (r"Wrong shape: expected (\d) dims", take_first_rank),
        (r"input\.dim\(\) = (\d) is not equal to len\(dims\) = (\d)", take_second_rank),
        (r"expected to be in range of \[(-?\d+), \d+\], but got (-?\d+)", add_axes),
        (r"too many indices for tensor of dimension (\d)", add_indexed_axis),
        (
            r"number of sizes provided \((\d)\) must be greater .* dimensions in the tensor \((\d)\)",
            lose_expanded_axes,
        ),
        (r"repeat dims can not be smaller than number of dimensions", lose_axes),
        (
            r"[Tt]arget size \(torch\.Size\(\[([\d, ]+)\]\)\) must be the same as input size \(torch\.Size\(\[([\d, ]+)\]",
            fit_target,
        ),
        (r"input batch_size \((\d+)\) to match target batch_size", class_each_row),
        (r"Expected target size \[([\d, ]+)\], got \[([\d, ]+)\]", lose_target_axes),
        (r"\b(\w{1,60})\.(?:dim\(\)|ndim|ndimension\(\)) == (\d)(?!\d)", take_asserted_rank),
        (r"tensor a \((\d+)\) must match .* b \((\d+)\) at non-singleton dimension 0", lose_rows),
        (
            r"tensor a \((\d+)\) must match .* b \((\d+)\) at non-singleton dimension (\d)",
            stand_as_column,
        ),
        (r"`len\(lengths\)` to be equal to batch_size", put_samples_second),
        (
            r"Index is supposed to be a vector|argument should be a 1D CPU int64 tensor",
            take_lengths,
        ),
        (
            r"'int' object has no attribute '(?:view|size|dim|shape|device|to|unsqueeze|tolist|cpu)'",
            count_samples,
        ),
        (r"tuple index out of range|For unbatched 2-D input, hx", add_steps),
        (
            r"hidden(?:\[\d\])? size \((\d+), (\d+), (\d+)\), got \[(\d+), (\d+), (\d+)\]",
            take_one_step,
        ),
        (r"must have same number of dimensions: got (\d) and (\d)", make_vectors_alike),
        (
            r"only supports boolean masks|mask dtype to be bool|BoolTensor|condition to be a boolean",
            make_booleans,
        ),
        (r"used as indices must be .*bool", make_masks),
        (r"to have one of the following scalar types: Long", make_integers),
        (
            r"(?:expected|type) (?:scalar type |target dtype to be )?Long|must be long|int64 indices|class indices|dtype: Long",
            make_integers,
        ),
        (
            r"used as indices must be|only (?:integer|Long)|one_hot is only applicable|int32/int64 for index",
            make_integers,
        ),
        (
            r"expected scalar type Float|long int != float|float != long|Input type \(long|but got Long and Float|not implemented for '(?:Long|Int|Bool)'",
            make_fractions,
        ),
        (
            r"can't be cast to the desired output type Long|must be floating|floating point (?:type|dtype)|Input type \(torch.LongTensor\)|Got Long",
            make_fractions,
        ),
        (
            r"index (\d+) is out of bounds for dimension (\d+) with size (\d+)",
            lengthen_indexed_axis,
        ),
        (r"index out of range|out of bounds|is out of range", lower_integers),
        (r"can't divide axis of length (\d+) in chunks of (\d+)", fit_patches),
        (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", equalise_sizes),
        (
            r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)",
            equalise_sizes,
        ),
        (
            r"(?:must|should|expected|doesn't match)\D{0,40}?(\d{2,4}) ?[x*×,] ?(\d{2,4})",
            take_named_sides,
        ),
        (r"shape '\[0, (\d+), (?:-1|\d+)\]' is invalid for input", group_samples),
        (r"shape '\[(\d+), (\d+), (\d+)\]' is invalid for input of size (\d+)", put_queries_first),
        (r"shape '\[([\d, ]+)\]' is invalid for input of size (\d+)", fit_view),
        (r"shape '\[(\d+(?:, \d+)+), -1\]' is invalid for input of size", fill_split_axis),
        (r"shape '\[-1, ([\d, ]+)\]' is invalid for input of size (\d+)", add_viewed_axis),
        (r"length\D{0,14}(\d+),? but (?:found|got)\D{0,12}(\d+)", equalise_sizes),
        (r"has size (\d+) for operand \d+ which does not broadcast .* size (\d+)", equalise_sizes),
        (r"batches of square matrices, but they are (\d+) by (\d+)", make_square),
        (r"batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]", fix_product),
        (
            r"to sum exactly to (\d+) \(input tensor's size at dimension (-?\d+)\).*split_sizes=\[([\d, ]+)\]",
            fix_split,
        ),
        (r"Expected size (\d+) but got size (\d+)", equalise_joined_sizes),
        (
            r"Given input size: \(([\dx]+)\). Calculated output size: \(([\dx]+)\)",
            enlarge_vanished_sides,
        ),
        (
            r"input image \((T: \d+ H: \d+ W: \d+)\) smaller than kernel size \((.*?)\)",
            outgrow_window,
        ),
        (
            r"(?:index k out of range|too small|Invalid computed output size|can't be greater|smaller than|should be less than|at least|larger than|nonzero|non-?empty|greater than)",
            enlarge_sizes,
        ),
    )
)
