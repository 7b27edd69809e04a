"""Arguments for constructors that need some: by conventional names, then by annotation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from lintorch.models import tiny

_BY_NAME: dict[str, Any] = {
    **dict.fromkeys(
        [
            "in_channels",
            "in_ch",
            "in_chans",
            "in_chan",
            "in_c",
            "inp",
            "input_channels",
            "n_channels",
            "num_channels",
            "inc",
            "img_channels",
            "image_channels",
            "channels_in",
            "c_in",
            "cin",
            "nc",
            "input_nc",
            "in_planes",
            "inplanes",
        ],
        3,
    ),
    **dict.fromkeys(
        [
            "num_classes",
            "n_classes",
            "classes",
            "nclass",
            "n_class",
            "nb_classes",
            "class_num",
            "num_class",
            "n_cls",
            "nclasses",
            "out_channels",
            "out_ch",
            "out_chans",
            "out_c",
            "outp",
            "oup",
            "output_channels",
            "c_out",
            "cout",
            "output_nc",
            "outc",
            "output_dim",
            "out_dim",
            "out_features",
            "num_outputs",
            "num_labels",
        ],
        10,
    ),
    **dict.fromkeys(
        [
            "dim",
            "hidden_dim",
            "embed_dim",
            "d_model",
            "embedding_dim",
            "emb_dim",
            "hidden_size",
            "hidden",
            "dim_in",
            "feat_dim",
            "n_embd",
            "model_dim",
            "width",
            "hidden_channels",
            "dims",
            "input_dim",
            "in_dim",
            "in_features",
            "input_size",
            "features",
            "num_features",
            "in_feats",
            "hidden_features",
            "planes",
            "embed_size",
        ],
        64,
    ),
    **dict.fromkeys(
        ["mlp_dim", "ff_dim", "d_ff", "dim_feedforward", "ffn_dim", "mlp_hidden_dim"], 128
    ),
    **dict.fromkeys(["heads", "num_heads", "n_heads", "nhead", "n_head", "head"], 4),
    **dict.fromkeys(["dim_head", "head_dim", "d_k", "d_v", "dim_heads", "key_dim"], 16),
    **dict.fromkeys(
        ["depth", "num_layers", "n_layers", "layers", "n_layer", "num_blocks", "n_blocks"], 2
    ),
    **dict.fromkeys(
        ["image_size", "img_size", "input_resolution", "resolution", "crop_size", "img_dim"], 64
    ),
    **dict.fromkeys(["patch_size", "patch", "image_patch_size"], 8),
    **dict.fromkeys(["frames", "num_frames", "frame_depth"], 4),
    **dict.fromkeys(("frame_patch_size",), 2),
    **dict.fromkeys(
        ["vocab_size", "num_tokens", "n_tokens", "ntoken", "num_embeddings", "n_vocab"], 128
    ),
    **dict.fromkeys(
        ["max_seq_len", "max_len", "seq_len", "max_length", "block_size", "context_length"], 64
    ),
    **dict.fromkeys(["kernel_size", "kernel", "ks", "window_size", "k"], 3),
    **dict.fromkeys(["stride", "strides", "dilation", "groups", "scale"], 1),
    **dict.fromkeys(("spatial_dims", "scale_factor", "upscale_factor", "reduction"), 2),
    **dict.fromkeys(("dropout", "dropout_rate", "drop", "drop_prob", "p", "drop_rate"), 0.1),
    **dict.fromkeys(("eps", "epsilon"), 1e-5),
    **dict.fromkeys(("alpha", "beta", "gamma", "temperature", "momentum"), 0.5),
}
_BY_SEQUENCE_NAME: dict[str, tuple[int, ...]] = {
    "strides": (2, 2),
    "stride": (2, 2),
    "image_size": (64, 64),
    "img_size": (64, 64),
    "patch_size": (8, 8),
    "kernel_size": (3, 3),
    "window_size": (7, 7),
    "depths": (2, 2),
    "layers": (2, 2, 2, 2),
}
_BY_LAYER_NAME = (
    ("norm", nn.BatchNorm2d),
    ("act", nn.ReLU),
    ("relu", nn.ReLU),
    ("conv", nn.Conv2d),
)
_BY_ANNOTATION: tuple[tuple[str, Any], ...] = (
    ("bool", False),
    ("float", 0.1),
    ("int", 8),
    ("str", ""),
    ("Dict", {}),
    ("dict", {}),
)
_MOST_LETTERS = 60
_SEQUENCE = ("Sequence", "List", "list[", "Tuple", "tuple", "Iterable")


CONFIG_NAMES = frozenset(("config", "cfg", "conf", "args", "opt", "opts", "hparams", "params"))


class Guessed:
    """A configuration of which nothing is known: each setting is made up when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = tiny.setting(name)
        return _by_name(name) if known is None else known

    def get(self, name: str, default: Any = None) -> Any:
        """The setting, as a mapping gives it."""
        return getattr(self, name) if default is None else default

    __getitem__ = __getattr__

    def __repr__(self) -> str:
        return "made up"


def fill(call: Callable[..., Any], needed: list[inspect.Parameter]) -> dict[str, Any]:
    """A value for each parameter that `call` cannot do without, by name."""
    return {parameter.name: _value(call, parameter) for parameter in needed}


def shown(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as values that travel: plain ones as they are, the others in a few letters."""
    return {name: _shown(value) for name, value in arguments.items()}


def _shown(value: Any) -> Any:
    if value is None or isinstance(value, (int, float, str, bool)):
        return value
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= _MOST_LETTERS and "\n" not in text else f"{type(value).__name__}(…)"


def _value(call: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    name = parameter.name.lower()
    annotation = _annotation(parameter)
    config = tiny.config_class(call, parameter)
    if config is not None:
        return tiny.config(config)
    if name in CONFIG_NAMES and annotation in ("", "Any"):
        nearby = tiny.nearby(call)
        return Guessed() if nearby is None else nearby
    if any(word in annotation for word in _SEQUENCE) and "int |" not in annotation:
        return _BY_SEQUENCE_NAME.get(name, (8, 16, 32))
    if "Module" in annotation and "type" not in annotation.lower() and "Callable" not in annotation:
        return nn.Identity()
    for word, value in _BY_ANNOTATION:
        if word in annotation and name not in _BY_NAME:
            return value
    return _by_name(name)


def _by_name(name: str) -> Any:
    if name in _BY_NAME:
        return _BY_NAME[name]
    return next((layer for word, layer in _BY_LAYER_NAME if word in name), _by_shape_of(name))


def _by_shape_of(name: str) -> Any:
    if name.startswith(("use_", "is_", "with_", "has_", "bias", "return_")):
        return False
    if name.endswith(("channels", "filters", "dims", "sizes")):
        return 8
    if name.endswith(("block", "block_type", "block_fn", "block_class")):
        return nn.Identity
    if name in ("fn", "module", "layer", "net", "model", "backbone", "encoder", "decoder"):
        return nn.Identity()
    return 8


def _annotation(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return ""
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
