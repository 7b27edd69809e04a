"""Values that arguments of common names can take."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct import tiny_configs

SIDE_NAMES = (
    *("image_size", "img_size", "input_resolution", "resolution", "crop_size", "img_dim"),
    *("in_size", "input_image_size", "input_shape", "img_shape", "image_shape", "vol_size"),
)
_VALUES_OF_NAMES: tuple[tuple[str, Any], ...] = (
    (
        "in_channels in_ch in_chans in_chan in_c inp input_channels n_channels num_channels inc "
        "img_channels image_channels channels_in c_in cin nc input_nc in_planes inplanes",
        3,
    ),
    (
        "num_classes n_classes classes nclass n_class nb_classes class_num num_class n_cls "
        "nclasses out_channels out_ch out_chans out_c outp oup output_channels c_out cout "
        "output_nc outc output_dim out_dim out_features num_outputs num_labels",
        10,
    ),
    (
        "dim hidden_dim embed_dim d_model embedding_dim emb_dim hidden_size hidden dim_in "
        "feat_dim n_embd model_dim width hidden_channels dims input_dim in_dim in_features "
        "input_size features num_features in_feats hidden_features planes embed_size",
        64,
    ),
    ("mlp_dim ff_dim d_ff dim_feedforward ffn_dim mlp_hidden_dim", 128),
    ("heads num_heads n_heads nhead n_head head", 4),
    ("dim_head head_dim d_k d_v dim_heads key_dim", 16),
    ("depth num_layers n_layers layers n_layer num_blocks n_blocks stages levels hierarchies", 2),
    (" ".join(SIDE_NAMES), 64),
    ("patch_size patch image_patch_size", 8),
    ("frames num_frames frame_depth", 4),
    ("frame_patch_size", 2),
    (
        "vocab_size num_tokens n_tokens ntoken num_embeddings n_vocab num_users n_users user_num "
        "n_user num_user user_count user_size num_items n_items item_num n_item num_item "
        "item_count item_size num_entities n_entities",
        128,
    ),
    ("max_seq_len max_len seq_len max_length block_size context_length", 64),
    (
        "num_nodes n_nodes num_node n_node node_num num_joints n_joints num_vertices n_vertices "
        "num_stations num_sensors num_agents n_agents",
        6,
    ),
    ("kernel_size kernel ks window_size k", 3),
    ("stride strides dilation groups scale", 1),
    (
        "spatial_dims ndim n_dims num_dims dimension dimensions scale_factor upscale_factor reduction",
        2,
    ),
    ("dropout dropout_rate drop drop_prob p drop_rate", 0.1),
    ("eps epsilon", 1e-5),
    ("mlp_ratio expand_ratio expansion expansion_factor ff_mult", 2),
    ("alpha beta gamma temperature momentum", 0.5),
    ("device dev", "cpu"),
)
"""Names of arguments, and the value that all of them get: small, and such that they fit together.

Widths of 64 divide by 4 heads of 16, sides of 64 pixels by patches of 8, and stay above 1 after five
halvings.
"""
VALUE_BY_NAME: dict[str, Any] = {
    name: value for names, value in _VALUES_OF_NAMES for name in names.split()
}
"""One value for each name."""
_LAYER_BY_WORD = (
    (re.compile(r"norm(?!als?$|ali[sz]ed?$)"), nn.BatchNorm2d),
    (re.compile(r"act(?!ions?$|ors?$|ive$|ual)|relu"), nn.ReLU),
    (re.compile(r"conv(?!er|ex|o)"), nn.Conv2d),
)
"""How words of names of layers begin; actions and normals are none."""
_NO_LAYER = frozenset(("adj", "adjacency", "matrix", "mat", "laplacian", "graph", "edges"))
"""Words of names of graphs, which are none either, as in `norm_adj_matrix`."""


_OF_FILES = frozenset(("path", "dir", "directory", "folder", "file", "filename", "filepath"))
"""Words of names of files and folders: none is named, which code that asks first leaves alone."""


_WORDS_OF = re.compile(r"(?:^|_)(?:dict|vocab|vocabulary)$")
_BY_WORD = re.compile(
    r"^(?:w2i|c2i|stoi)$"
    r"|(?:word|char|tag|token|label|pos|rel)s?_?(?:2|to)_?(?:i|id|ids|idx|ix|index)$"
)
_BY_NUMBER = re.compile(
    r"(?:^|_)i(?:d|dx|x|ndex)?s?_?(?:2|to)_?(?:word|w|char|c|tag|token|label|pos|rel)s?$|^itos$"
)
_WORDS = 12


def names_vocabulary(name: str) -> bool:
    """Whether an argument of this name may be a mapping of words to their numbers: `word_to_ix`."""
    return any(each.search(name.lower()) for each in (_WORDS_OF, _BY_WORD))


def make_vocabulary() -> dict[str, int]:
    """A few words with their numbers."""
    return {f"word{number}": number for number in range(_WORDS)}


def make_table(name: str) -> dict[int, str] | dict[str, int] | None:
    """The words of numbers for `idx_to_token`, the numbers of words for `token_to_idx`; None for other names."""
    if _BY_NUMBER.search(name.lower()):
        return {number: word for word, number in make_vocabulary().items()}
    return make_vocabulary() if _BY_WORD.search(name.lower()) else None


def guess_by_name(name: str) -> Any:
    """A value for an argument of which only the name is known; 8 where that says nothing."""
    if name in VALUE_BY_NAME:
        return VALUE_BY_NAME[name]
    words = name.split("_")
    fitting = (layer for word, layer in _LAYER_BY_WORD if any(map(word.match, words)))
    layer = None if _NO_LAYER & {*words} else next(fitting, None)
    return _guess_by_affix(name) if layer is None else layer


def _guess_by_affix(name: str) -> Any:
    if "dtype" in name.lower():
        return torch.int64 if re.search("long|int", name.lower()) else torch.float32
    if not _OF_FILES.isdisjoint(name.split("_")):
        return ""
    if name.startswith(("use_", "is_", "with_", "has_", "bias", "return_")):
        return False
    if "vocab" in name:
        return VALUE_BY_NAME["vocab_size"]
    if name.endswith(("_idx", "_index", "_token", "_token_id", "_offset")) or name == "index":
        return 0
    if {"drop", "dropout"} & {*name.split("_")}:
        return VALUE_BY_NAME["dropout"]
    if name.endswith("factor") or name.startswith(("num_", "n_", "nb_")):
        return 2
    if name.endswith(("_ratio", "_rate", "_prob", "_fraction", "_percent")):
        return 0.25
    if name.endswith(("channels", "filters", "dims", "sizes")):
        return 8
    if name.endswith(("block", "block_type", "block_fn", "block_class")):
        return nn.Identity
    if name in ("fn", "module", "layer", "net", "model", "backbone", "encoder", "decoder"):
        return nn.Identity()
    return 8


class GuessedConfig:
    """A configuration of which nothing is known: each setting is made up when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = tiny_configs.guess_setting(name)
        return guess_by_name(name) if known is None else known

    def get(self, name: str, default: Any = None) -> Any:
        """The setting, as a mapping gives it."""
        return getattr(self, name) if default is None else default

    __getitem__ = __getattr__

    def __repr__(self) -> str:
        return "made up"
