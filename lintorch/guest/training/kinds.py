"""What a name of training code stands for, by how it is called and what is done with it."""

from __future__ import annotations

import re
from typing import Literal

from lintorch.guest.training.name_uses import NameUses

Kind = Literal[
    "model", "optimizer", "scheduler", "scaler", "criterion", "loader", "batch", "device", "listener",
    "settings", "flag", "number", "word", "seconds", "list", "loss",
]  # fmt: skip
_STEPS = frozenset({"step", "zero_grad"})
_MODEL = re.compile(
    r"model|(^|_)net([a-z]|_?\d)?(_|$)|network|module$|student|teacher|backbone|encoder|decoder|generator|discriminator|(^|_)critic|classifier|policy|unet|vae|transformer|^(g|d|net_?[gd])$|ema$"
)  # fmt: skip
_BY_NAME: tuple[tuple[str, Kind], ...] = (
    (r"optim|(^|_)opt(_[a-z]{1,3})?$", "optimizer"),
    (r"sched", "scheduler"),
    (r"scaler", "scaler"),
    (r"loader|dataset|data_iter|(^|_)(train|val|test|valid)_?(data|iter|dl|gen|set)$|_dl$|^dl$|(^|_)iterator$|prefetcher", "loader"),
    (r"^(data_?)?batch$|^batch_data$|^sample(s|_batched)?$", "batch"),
    (r"^(data|inputs?|images?|imgs?|x|y|targets?|labels?|masks?)$", "batch"),
    (r"^(outputs?|out|preds?|predictions?|logits?|scores?|probs?|y_?(hat|pred|true)|gt)$", "batch"),
    (r"criter|loss_?(f|func|fn|function|fun|module|layer)$|(^|_)loss(es)?$|(^|_)(mse|bce|ce|l1)$", "criterion"),
    (r"device$|^dev$", "device"),
    (r"log|writer|meter|wandb|tensorboard|^tb|pbar|progress|metric|tqdm|vis(ualizer)?$|plotter|recorder|timer|printer|callback|accelerator|evaluator|hook|stats|saver", "listener"),
    (r"^(args?|cfg|conf|config|opts?|options?|params|hparams?|hps|settings|hyp|flags|h|hp)$|_(args|cfg|config|opts?)$", "settings"),
    (_MODEL.pattern, "model"),
)  # fmt: skip
_OF_TENSORS = frozenset(
    {
        *("size", "view", "cuda", "float", "long", "detach", "unsqueeze", "squeeze", "reshape"),
        *("permute", "cpu", "numel", "contiguous", "dim", "type", "requires_grad_", "clone"),
        *("flatten", "transpose", "expand", "topk", "argmax", "softmax", "log_softmax", "sigmoid"),
        *("eq", "ne", "t", "expand_as", "view_as", "masked_fill", "gather", "index_select", "exp"),
        *("nelement", "new_zeros", "type_as", "unbind", "chunk", "clamp", "pow", "norm", "half"),
    }
)
_OF_TEXTS = frozenset({"upper", "lower", "split", "strip", "startswith", "endswith"})
_TAKE_TENSORS = frozenset({"torch", "F", "functional", "Variable"})
_NO_OBJECT = re.compile(
    r"(name|dir|path|file|root|folder|type|mode|version|id|url|prefix|suffix|tag)s?$|^(save|out|resume|checkpoint)"
)
_SWITCH = re.compile(r"^(use|is|with|has|no|do|enable)_")
_FLAG = re.compile(r"^(use|is|with|has|no|do|enable|save|resume|verbose|debug|distributed|amp|fp16|cuda|dry|multi|print|log)(_|$)")  # fmt: skip


def find_kind(name: str, uses: NameUses) -> Kind:
    """The likeliest of a name; a number where nothing tells."""
    short, asked = name.lower().strip("_"), uses.methods
    if asked >= _STEPS or "param_groups" in uses.attributes:
        return "optimizer"
    if _holds_sections(uses):
        return "settings"
    if any(isinstance(each, str) for each in uses.compared) or asked & _OF_TEXTS:
        return "word"
    if uses.divides and not uses.attributes and uses.called_with < 0:
        return "number"
    if uses.counts and not uses.attributes and not uses.sliced and uses.called_with < 0:
        return "number"
    if _SWITCH.search(short) and uses.called_with < 0 and not uses.attributes:
        return "flag"
    if asked & {"unscale_", "scale"} and "update" in asked:
        return "scaler"
    if asked & {"parameters", "state_dict", "named_parameters"} and not asked & {"step"}:
        return "model"
    if asked & {"train", "eval"} and not _is_settings(uses):
        return "model"
    if _NO_OBJECT.search(short) and uses.called_with < 0 and not _is_tensor(uses):
        return "word" if not uses.tested else "flag"
    found = next((kind for pattern, kind in _BY_NAME if re.search(pattern, short)), None)
    if found in ("loader", "listener", "criterion", None) and _is_tensor(uses):
        return "loss" if "loss" in short else "batch"
    if uses.iterated and uses.methods & {"append", "extend"}:
        return "list"
    if found in ("scheduler", "scaler") and uses.called_with >= 0:
        return "listener"
    if found == "criterion" and uses.called_with < 0 and "backward" in uses.methods | uses.given_to:
        return "loss"
    if found == "optimizer" and not uses.methods and _is_settings(uses):
        return "settings"
    if found == "listener" and not (uses.attributes or uses.given_to or uses.called_with >= 0):
        found = None
    if found == "criterion" and uses.called_with < 0:
        found = "number"
    if found is not None:
        return found
    if uses.iterated:
        return "loader"
    return _find_plain(short, uses)


def _is_settings(uses: NameUses) -> bool:
    """Whether attributes are read of it, and none called."""
    return bool(uses.attributes) and not uses.methods


def _holds_sections(uses: NameUses) -> bool:
    """Whether something in capitals is read of it: `cfg.DATASET.IMAGE_SIZE`."""
    return _is_settings(uses) and any(name.isupper() for name in uses.attributes)


def _is_tensor(uses: NameUses) -> bool:
    """Whether only a tensor has what is asked of it, or can be taken where it is given."""
    asked = {*uses.methods, *uses.attributes}
    return not uses.iterated and bool(
        asked & _OF_TENSORS
        or "shape" in asked
        or (uses.sliced and not uses.methods)
        or uses.given_to & _TAKE_TENSORS
        or any(_MODEL.search(name) for name in uses.given_to)
    )


def _find_plain(short: str, uses: NameUses) -> Kind:
    if "time" in short and not uses.attributes:
        return "seconds"
    if _is_settings(uses):
        return "settings"
    if uses.attributes:
        return "listener"
    if uses.called_with >= 0:
        return "criterion" if uses.called_with >= 2 else "listener"
    if uses.tested or _FLAG.search(short):
        return "flag"
    return "number"


_NUMBERS: tuple[tuple[str, float], ...] = (
    (r"rank|gpu|start|seed|worker|best|(^|_)(idx|index|id)$|warmup|offset|decay|wd$", 0),
    (r"class", 10),
    (r"batch|(^|_)bs$", 2),
    (r"size|dim|len", 8),
    (r"lr|rate|lambda|weight|alpha|beta|gamma|eps|tau|momentum|smooth|temp|scale|coef", 0.5),
    (r"clip|norm|max_grad", 1.0),
)


def guess_number(name: str) -> float:
    """A small number for a name; 1 where it says nothing, so that loops of epochs end."""
    return next((value for pattern, value in _NUMBERS if re.search(pattern, name.lower())), 1)


def guess_word(name: str, uses: NameUses) -> str:
    """A word that it is compared with, the kind of a device; else a name of a file that may be written."""
    if "device" in name.lower():
        return "cpu"
    return next((each for each in uses.compared if isinstance(each, str)), "out")
