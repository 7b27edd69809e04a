"""What the keys that `load_state_dict` complains about say of the checkpoint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.checkpoint.merged_branches import compare_forms, describe_form
from lintorch.messages.read_packing import describe_packing
from lintorch.messages.read_parametrized import describe_parametrized
from lintorch.messages.read_positions import describe_positions
from lintorch.messages.read_spread import describe_spread

_KEY = re.compile(r"""["']([^"']{1,300})["']""")
_MISSING = re.compile(r"(?i:missing keys?(?:\(s\))?(?: in state_dict)?:? )")
_UNEXPECTED = re.compile(r"(?i:unexpected keys?(?:\(s\))?(?: in state_dict)?:? )")
_SHAPES = re.compile(
    r"size mismatch for (\S{1,200}): copying a param(?:eter)? .{0,40}?\[([\d, ]{0,60})\]\).{0,60}?"
    r"\[([\d, ]{0,60})\]"
)
_ADAPTER = re.compile(r"\.lora_[AB]\b")
_MOST = 100_000
_FEW = 8
_HEAD = re.compile(
    r"(?:\w{1,20}\.)?(?:head|heads|fc|fc_norm|classifier|cls|logits|last_linear|score|lm_head|predictions|pooler)\b"
)
_STEM = re.compile(
    r"(?:conv1|conv_1|stem|patch_embed|embeddings?|layer0|features\.0|conv_stem|embed_tokens)\b"
)
_SEVERAL = 3
_OUTPUT = re.compile(r"(?i:conf|cls|class|head|logit|score|seg|pred|fc\b|linear\b|out|mask|label)")
_PARTS = ("state_dict", "model_state_dict", "model", "net", "ema", "params", "generator")
_TRAINING = {*_PARTS, "optimizer", "optimizer_state_dict", "epoch", "scheduler", "lr_scheduler", "hyper_parameters"}  # fmt: skip
_WRAPPERS = {"module": "nn.DataParallel or DistributedDataParallel", "_orig_mod": "torch.compile", "model": "Lightning or a class of its own"}  # fmt: skip
_TAILS = (
    (r"num_batches_tracked", "torch writes num_batches_tracked since 0.4.1: the torch that saved, or the one that reads, is older"),
    (r"total_(?:ops|params)", "thop or another counter of operations left its own buffers in the model that was saved"),
    (r"position_ids|inv_freq", "transformers has saved this buffer in some releases and not in others: its release differs, and no weight is missing"),
    (r"(?:absmax|quant_map|quant_state\S*|qweight|qzeros|g_idx)", "the file is of a quantized model (bitsandbytes, GPTQ, AWQ)"),
    (r"lora_[AB](?:\.\w{1,40})?\.weight", "the file holds LoRA adapters, not the model itself: PeftModel.from_pretrained(model, path)"),
    (r"(?:scale|zero_point|_packed_params\S*|fake_quant\S*|activation_post_process\S*)", "the file is of a model that was prepared for, or converted by, quantization: treat the new one in the same way (fuse, prepare, convert or quantize_dynamic) before load_state_dict, or load the float file"),
)  # fmt: skip

_CUT = {
    whole[cut:]
    for whole in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")
    for cut in range(1, len(whole) - 2)
}


@dataclass(frozen=True)
class _Shape:
    key: str
    file: tuple[int, ...]
    model: tuple[int, ...]


def describe_keys(text: str) -> str:
    """A sentence about the keys and shapes that a text names; "" where they say nothing more."""
    missing, unexpected = _list_keys(_MISSING, text), _list_keys(_UNEXPECTED, text)
    told = (
        _describe_parts(missing, unexpected)
        or _describe_branches(missing, unexpected)
        or _describe_prefix(missing, unexpected)
        or _describe_cut(unexpected)
        or describe_parametrized(missing, unexpected)
        or _describe_tails(missing, unexpected)
    )
    shapes = _list_shapes(text)
    renamed = (
        ""
        if told or "key(s)" not in text or (shapes and not missing)
        else _describe_renaming(missing, unexpected)
    )
    return told or renamed or _describe_shapes(shapes)


def _list_keys(header: re.Pattern[str], text: str) -> list[str]:
    found = header.search(text)
    if found is None:
        return []
    rest = text[found.end() : found.end() + _MOST]
    stops = [each.start() for each in (_MISSING.search(rest), _UNEXPECTED.search(rest), _SHAPES.search(rest)) if each]  # fmt: skip
    keys = _KEY.findall(rest[: min(stops, default=len(rest))])
    return [key for key in keys if re.fullmatch(r"[\w./:\-]{1,300}", key)]


def _describe_parts(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    plain = {key for key in unexpected if "." not in key}
    if not plain & _TRAINING or len(plain) < len(unexpected) or set(missing) & plain:
        return ""
    part = next((key for key in _PARTS if key in plain), "")
    whose = f': model.load_state_dict(checkpoint["{part}"])' if part else ""
    return f"The file holds a whole state of training, and the weights are one entry of it{whose}."


def _describe_prefix(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    for outer, inner, who in ((unexpected, missing, "file"), (missing, unexpected, "model")):
        prefix = _find_prefix(outer, inner)
        if prefix:
            other = "model" if who == "file" else "file"
            by = _WRAPPERS.get(prefix, "a module around the model")
            write = (
                f'{{k.removeprefix("{prefix}."): v for k, v in state.items()}}'
                if who == "file"
                else f'{{"{prefix}." + k: v for k, v in state.items()}}'
            )
            return f"The keys of the {who} begin with `{prefix}.` ({by}), those of the {other} do not, and are else the same: {write}."
    for alone, others, who in ((unexpected, missing, "file"), (missing, unexpected, "model")):
        prefix = "" if others else _find_wrapper(alone)
        other = "model" if who == "file" else "file"
        if prefix:
            write = (
                f'{{k.removeprefix("{prefix}."): v for k, v in state.items()}}'
                if who == "file"
                else f'{{"{prefix}." + k: v for k, v in state.items()}}, or load it into model.{prefix}'
            )
            return f"The keys of the {who} begin with `{prefix}.`, as {_WRAPPERS[prefix]} writes them, and probably those of the {other} do not: {write}."
    return ""


def _describe_branches(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    """Of blocks that are merged for deployment in the file or in the model."""
    if told := compare_forms(unexpected, missing):
        return f"{told[0].upper()}{told[1:]}."
    alone = "" if missing else describe_form(unexpected)
    return f"By the names of the keys: {alone}." if alone else ""


def _find_wrapper(keys: Sequence[str]) -> str:
    """A wrapper's name that all keys of a list, which stands alone, begin with."""
    return next((name for name in ("module", "_orig_mod") if keys and all(key.startswith(f"{name}.") for key in keys)), "")  # fmt: skip


def _describe_cut(unexpected: Sequence[str]) -> str:
    """Of names whose head was cut off without a look at it: `k[7:]`, where no `module.` stood."""
    ends = [key.rpartition(".")[2] for key in unexpected if "." not in key]
    cut = next((end for end in ends if end in _CUT), "")
    if not cut:
        return ""
    return f'The names in the file were cut off at a fixed length, as `{cut}`: the code that loads takes a prefix away (k[7:]) that this file does not have; write k.removeprefix("module.").'


def _find_prefix(outer: Sequence[str], inner: Sequence[str]) -> str:
    """What stands before most of the inner keys in the outer ones."""
    short = set(inner)
    first = next((key for key in outer if "." in key), "")
    names = first.split(".")
    for end in range(1, min(len(names), 4)):
        prefix = ".".join(names[:end])
        begun = [key for key in outer if key.startswith(f"{prefix}.")]
        same = [key for key in begun if key[len(prefix) + 1 :] in short]
        if same and 2 * len(begun) > len(outer) and 2 * len(same) >= min(len(begun), len(short)):
            return prefix
    return ""


def _describe_tails(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    for words, meaning in _TAILS:
        ends = re.compile(rf"(?:^|.*\.)(?:{words})$")
        for keys in (unexpected, missing):
            if keys and sum(bool(ends.match(key)) for key in keys) * 2 > len(keys):
                if keys is missing and "quant" in meaning:
                    return "By the names of the keys: the model was made with quantized layers (or prepared for quantization), and the file holds plain weights, or those of another method. Load them before the model is quantized, or take the quantized file."
                return f"By the names of the keys: {meaning}."
    return ""


def _describe_renaming(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    ends = [sorted(key.rpartition(".")[2] for key in keys) for keys in (missing, unexpected)]
    if missing and ends[0] == ends[1]:
        return f"As many keys are missing as there are others in the file: probably the same layers under other names, `{missing[0]}` and `{unexpected[0]}`, of another release of the model's code."
    if unexpected and missing and len(missing) <= _FEW and all(_HEAD.match(key) for key in missing):
        heads = {key.partition(".")[0] for key in missing}
        other = next((key for key in unexpected if key.partition(".")[0] in heads), "")
        if other:
            return f"The file has another head in this place, `{other}` where the model asks for `{missing[0]}`: it was trained for another task, or the model is built by another configuration than the file's. Build it by the file's own; or leave the head out (strict=False) and train it anew."
        return f"What the file lacks is the head of the model alone, as `{missing[0]}`: it is of a pretraining, or of a backbone, and this head was never trained. Take the file of the fine-tuned model, or load it with strict=False and train the head."
    if missing and unexpected:
        return ""
    return _describe_alone(missing, unexpected)


def _describe_alone(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    """Of keys that only one of the two has."""
    keys = missing or unexpected
    if len(keys) > 1 and all(key.endswith(".bias") for key in keys):
        which, other = ("model", "file") if missing else ("file", "model")
        return f"All of them are biases, as `{keys[0]}`: these layers have one in the {which} and none in the {other}, which was made with bias=False, or with a norm behind them that takes its place. Build the model as the file has it."
    if missing and _is_whole(missing):
        return f'The file has not even the first layers of the model, as `{missing[0]}`: as good as no key is the same. Its own keys have a prefix (`module.` of nn.DataParallel, `model.`), stand one level deeper (checkpoint["state_dict"]), or are of another kind of model; what `Unexpected key(s)` lists further below tells which.'
    if missing:
        return f"The model has layers that the file does not have, as `{missing[0]}`: it is built with other settings, or the file holds a part of it."
    if unexpected:
        told = f"All keys of the model are in the file, which has more, as `{unexpected[0]}`"
        if all(_HEAD.match(key) for key in unexpected):
            return f"{told}: the head, which a model that gives features does not have. Leave it out: load_state_dict(state, strict=False)."
        return f"{told}: it is of a larger model, or of other settings."
    return ""


def _is_whole(missing: Sequence[str]) -> bool:
    """Whether what is missing begins with the stem of a network and goes on with several of its parts."""
    parts = {key.partition(".")[0] for key in missing}
    return bool(_STEM.match(missing[0])) and len(parts) >= _SEVERAL


def _list_shapes(text: str) -> list[_Shape]:
    found = _SHAPES.findall(text[:_MOST])
    return [_Shape(key, _read_shape(file), _read_shape(model)) for key, file, model in found]


def _read_shape(written: str) -> tuple[int, ...]:
    return tuple(int(each) for each in written.split(",") if each.strip().isdigit())


def _describe_shapes(shapes: Sequence[_Shape]) -> str:
    if not shapes:
        return ""
    if all(_ADAPTER.search(each.key) for each in shapes) and (0,) not in [s.file for s in shapes]:
        ranks = {(min(each.file), min(each.model)) for each in shapes if each.file and each.model}
        if len(ranks) == 1:
            file, model = ranks.pop()
            return f"All are LoRA adapters, of rank {file} in the file and {model} in the model: LoraConfig(r={file}), as adapter_config.json beside the file says."
    triples = [(each.key, each.file, each.model) for each in shapes]
    if told := describe_packing(triples) or describe_spread(triples) or describe_positions(triples):
        return told
    rows = {(each.file[0], each.model[0]) for each in shapes if each.file and each.model}
    alone = all(each.file[1:] == each.model[1:] for each in shapes)
    modules = {each.key.rpartition(".")[0] for each in shapes}
    if alone and len(rows) > 1 and all(_OUTPUT.search(each.key) for each in shapes):
        return f"All that differ are rows of layers that give the outputs, as `{shapes[0].key}` ({shapes[0].file[0]} in the file, {shapes[0].model[0]} in the model): another number of classes. Build the model with the number that the file was trained for (its configuration, num_classes=…), or leave these layers out of the file's weights and train them anew."
    if words := _find_vocabulary(shapes):
        return f"All that differ are tables of words or characters and the layers that choose among them, as `{shapes[0].key}`: {words[0]} in the file, {words[1]} in the model. It is another vocabulary, or another number of classes. Build the model with {words[0]} (its configuration, the tokenizer or list of characters beside the file), or leave these layers out of the file's weights and train them anew."
    if not alone or len(rows) != 1 or len(modules) > 2:
        return _describe_differing(shapes)
    file, model = rows.pop()
    return f"`{shapes[0].key}` has {file} rows in the file and {model} in the model, all else fits: another number of classes, or of words. Build the model with {file}, or leave this layer out of the file's weights and train it anew."


def _find_vocabulary(shapes: Sequence[_Shape]) -> tuple[int, int] | None:
    """The one pair of numbers that all shapes differ in, where a table and a bias of outputs have it in front."""
    if any(len(each.file) != len(each.model) for each in shapes):
        return None
    pairs = {
        (a, b) for each in shapes for a, b in zip(each.file, each.model, strict=True) if a != b
    }
    first = [each.key for each in shapes if each.file[:1] != each.model[:1]]
    table = any(re.search(r"(?i:embed)", key) for key in first)
    bias = any(key.endswith(".bias") and _OUTPUT.search(key) for key in first)
    return next(iter(pairs)) if len(pairs) == 1 and table and bias else None


def _describe_differing(shapes: Sequence[_Shape]) -> str:
    first = shapes[0]
    more = f", and so on for {len(shapes) - 1} more" if len(shapes) > 1 else ""
    axes = [n for n, (a, b) in enumerate(zip(first.file, first.model)) if a != b]  # noqa: B905 - ranks may differ
    kernel = len(first.file) == len(first.model) > 2 and axes and min(axes) > 1
    what = "size of kernels" if kernel else "width, number of inputs, kind of block"
    return f"The checkpoint is of another model, or of one with other settings ({what}): `{first.key}` is {[*first.file]} in the file and {[*first.model]} in the model{more}. Build it as it was trained: the settings are mostly beside the file, or in its name."
