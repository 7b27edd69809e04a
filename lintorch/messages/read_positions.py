"""Tables of positions that are as long as the picture has patches: `pos_embed` of [1, 257, 384] for [1, 197, 384]."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_Shape = tuple[int, ...]
_TABLE = re.compile(
    r"(?i:pos(?:ition(?:al)?)?_?emb(?:ed(?:ding)?s?)?(?:\.weight)?|pos_embed\w{0,10})$"
)
_WINDOW = re.compile(
    r"relative_(?:position_bias_table|position_index|coords_table|bias)$|rel_pos_[hw]$"
)
_PATCH = re.compile(
    r"patch_embed\w{0,12}\.(?:proj(?:ection)?|0)\.weight$|conv1\.weight$|patch_embeddings\.projection\.weight$"
)
_TOKENS = (1, 0, 2, 5)
"""Tokens beside the patches: a class; none; one of distillation, too; four registers."""
_SIDES = (16, 14)
"""The usual sides of a patch, in pixels."""
_USUAL = 224
"""The side of a picture that most models are built for where nobody says another."""
_FEW = 8
_RESIZE = "or resample it (timm.layers.resample_abs_pos_embed(pos, new_size=[h, w]), F.interpolate of its grid); timm.create_model(…, pretrained=True, img_size=…) does so by itself"


def describe_positions(shapes: Sequence[tuple[str, _Shape, _Shape]]) -> str:
    """What the shapes of `(key, file, model)` say of the picture's size; "" where no table of positions differs."""
    for key, file, model in shapes:
        lengths = _find_lengths(file, model)
        if lengths and _TABLE.search(key):
            patch = _find_patch(shapes)
            return f"{_describe_table(key, lengths, patch)}{_name_others(shapes)}"
    windows = [(key, file, model) for key, file, model in shapes if _WINDOW.search(key)]
    return _describe_window(*windows[0]) if windows else ""


def _name_others(shapes: Sequence[tuple[str, _Shape, _Shape]]) -> str:
    """What differs beside tables of positions and patches: a head for another number of classes."""
    keys = [
        key for key, _, _ in shapes if not any(w.search(key) for w in (_TABLE, _WINDOW, _PATCH))
    ]
    return f" Beside it `{keys[0]}` differs: mostly another number of classes." if keys else ""


def _find_lengths(file: _Shape, model: _Shape) -> tuple[int, int] | None:
    """The one axis that differs."""
    if len(file) != len(model):
        return None
    differing = [(a, b) for a, b in zip(file, model, strict=True) if a != b]
    return differing[0] if len(differing) == 1 and file[-1] == model[-1] else None


def _find_patch(shapes: Sequence[tuple[str, _Shape, _Shape]]) -> tuple[int, int] | None:
    """The sides of a patch in file and model, where they differ."""
    found = (s for s in shapes if _PATCH.search(s[0]) and len(s[1]) == len(s[2]) == 4)
    return next(((file[-1], model[-1]) for _, file, model in found if file[-1] != model[-1]), None)


def _describe_table(key: str, lengths: tuple[int, int], patch: tuple[int, int] | None) -> str:
    file, model = lengths
    sides = next(
        (s for n in _TOKENS if (s := (_root(file - n), _root(model - n))) and all(s)), None
    )
    if sides and sides[0] != sides[1]:
        many = f"`{key}` has a position for each of {sides[0]}×{sides[0]} patches in the file, and {sides[1]}×{sides[1]} in the model"
        if patch:
            return f"{many}: its patches are {patch[0]} pixels wide in the file and {patch[1]} in the model. Build the model of the file's patch size (vit_…_patch{patch[0]}_…)."
        sizes = ", ".join(f"{sides[0] * p} and {sides[1] * p} with patches of {p}" for p in _SIDES)
        usual = next((p for p in _SIDES if _USUAL in (sides[0] * p, sides[1] * p)), _SIDES[0])
        return f"{many}: it was trained for pictures of another size ({sizes}), or has another patch size. Build the model for the file's size (img_size={sides[0] * usual}), {_RESIZE}."
    if abs(file - model) <= _FEW:
        which = "more" if file > model else "fewer"
        return f"`{key}` has {abs(file - model)} {which} in the file than in the model: as many tokens beside the patches (a class, distillation, registers, one of the authors' own). It is another variant of the model: build it by the code that the file comes with (timm: deit_…_distilled_…, …_reg4_…)."
    return f"`{key}` has {file} positions in the file and {model} in the model: it was trained for inputs of another length (picture, clip or text) or another patch size. Build the model for the file's, {_RESIZE}."


def _describe_window(key: str, file: _Shape, model: _Shape) -> str:
    windows = _read_window(key, file), _read_window(key, model)
    told = f" ({windows[0]} in the file, {windows[1]} in the model)" if all(windows) else ""
    return f"`{key}` and its kin are tables over the places in a window of attention{told}: the file was trained with another window or picture size. Build the model for it (img_size=…, window_size=…; swin_…_window12_384 has 12 at 384, …_window7_224 has 7 at 224), or leave these tables out where the model works them out by itself (relative_position_index, relative_coords_table, attn_mask)."


def _read_window(key: str, shape: _Shape) -> int:
    """The side of the window that a table is for; 0 where it does not say."""
    if key.endswith("coords_table"):
        return (shape[1] + 1) // 2 if len(shape) == 4 else 0
    if key.endswith("bias_table"):
        root = _root(shape[0]) if shape else 0
        return (root + 1) // 2 if root % 2 else 0
    if key.endswith("index"):
        return _root(shape[0]) if shape else 0
    return (shape[0] + 1) // 2 if key.startswith("rel_pos") and shape else 0


def _root(number: int) -> int:
    """A whole root; 0 where there is none."""
    root = math.isqrt(max(number, 0))
    return root if root * root == number else 0
