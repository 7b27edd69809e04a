"""Whether the sizes of weights differ as those of packed ones do: `[512, 8, 32, 4]` for `[4096, 1024]` is int4 of torchao."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_Shape = tuple[int, ...]
_Pair = tuple[str, _Shape, _Shape]
"""Key, size in the file, size in the model."""
_GROUPED = re.compile(r"\.(?:scales|qzeros|qweight|zeros|scales_and_zeros|g_idx)$")
_COLUMN = 65_536
"""Numbers from which on a weight of one column is no layer with one input."""
_ROWS, _PACKED = 8, (2, 4, 8)
"""Rows in a tile of int4 weights, and what the last axis holds of them."""
_TILES = "torchao's or gpt-fast's int4 weights, packed for the tinygemm kernel"
_BYTES = "4-bit weights of bitsandbytes, two numbers in a byte, in one column"


def describe_packing(pairs: Sequence[_Pair]) -> str:
    """A sentence where all of them are so; "" where no one is packed, or both are in the same way."""
    told = [pair for pair in pairs if pair[1] and pair[2]]
    if not told:
        return ""
    for is_packed, how in ((_is_tiled, _TILES), (_is_column, _BYTES)):
        if all(is_packed(file, model) for _, file, model in told):
            return _tell("file", "model", told[0], how)
        if all(is_packed(model, file) for _, file, model in told):
            return _tell("model", "file", told[0], how)
    if all(_GROUPED.search(key) for key, _, _ in told):
        return _tell_groups(told[0])
    return ""


def _is_tiled(packed: _Shape, plain: _Shape) -> bool:
    """Rows by eights, columns by what one tile holds of them."""
    if len(packed) != 4 or len(plain) != 2 or packed[2] != 32 or packed[3] not in _PACKED:
        return False
    return packed[0] * _ROWS == plain[0] and math.prod(packed) * _ROWS == math.prod(plain)


def _is_column(packed: _Shape, plain: _Shape) -> bool:
    is_long = len(packed) == 2 and packed[1] == 1 and packed[0] > 1
    if not is_long or len(plain) != 2 or min(plain) == 1:
        return False
    return packed[0] >= _COLUMN or 2 * packed[0] == math.prod(plain)


def _tell(packed: str, plain: str, pair: _Pair, how: str) -> str:
    key, file, model = pair
    small, large = (file, model) if packed == "file" else (model, file)
    first = f"`{key}` is {[*small]} in the {packed} and {[*large]} in the {plain}: {how}, against plain ones."
    if packed == "file":
        return f"{first} Make the model, quantize it in the same way as the one that was saved (quantize_, the quantizer of the recipe, quantization_config), and load the file then; or take the file from before it was quantized."
    return f"{first} The model was quantized before its weights came: load the file into the plain model first, and quantize that; of transformers from_pretrained(…, quantization_config=…) does both in this order."


def _tell_groups(pair: _Pair) -> str:
    key, file, model = pair
    return f"`{key}` is {[*file]} in the file and {[*model]} in the model: weights of GPTQ, AWQ or their like, in groups of another size, of another number of bits, or packed in another order. One row of scales (or one column) for all inputs is no grouping at all (group_size -1), several are one for each group: 4096 inputs in groups of 128 make 32. Load it with the bits and group_size that it was made with (quantize_config.json, or the -128g of its name), by a release of the loader of its time."
