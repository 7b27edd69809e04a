"""Blocks of several branches that are merged into one convolution for deployment: RepVGG's `rbr_dense` and `rbr_reparam`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_BETWEEN = re.compile(r"[./]")


@dataclass(frozen=True)
class BranchForm:
    """What such blocks call their parts: `branches` as they are trained, `merged` once they are one."""

    who: str
    branches: frozenset[str]
    merged: str
    flag: str
    """The argument of the constructor that makes the merged form."""
    merge: str
    """The call that makes the merged form of a trained model."""


_FORMS = (
    BranchForm("RepVGG, YOLOv6, YOLOv7", frozenset(("rbr_dense", "rbr_1x1", "rbr_identity")), "rbr_reparam",
               "deploy=True", "switch_to_deploy() of each block that has it (repvgg_model_convert, model.fuse())"),
    BranchForm("MobileOne, FastViT", frozenset(("rbr_conv", "rbr_scale", "rbr_skip", "conv_kxk", "conv_scale")), "reparam_conv",
               "inference_mode=True", "reparameterize() of each block that has it (timm.utils.reparameterize_model(model))"),
    BranchForm("RepLKNet", frozenset(("lkb_origin",)), "lkb_reparam",
               "small_kernel_merged=True", "model.structural_reparam()"),
    BranchForm("diverse branch blocks", frozenset(("dbb_origin", "dbb_avg", "dbb_1x1", "dbb_1x1_kxk")), "dbb_reparam",
               "deploy=True", "switch_to_deploy() of each block that has it"),
    BranchForm("ACNet", frozenset(("square_conv", "ver_conv", "hor_conv")), "fused_conv",
               "deploy=True", "switch_to_deploy() of each block that has it"),
)  # fmt: skip


def describe_form(keys: Iterable[str]) -> str:
    """A clause on keys of merged blocks; "" where there are none, or blocks of branches beside them."""
    parts = _list_parts(keys)
    form = next((each for each in _FORMS if each.merged in parts), None)
    if form is None or form.branches & parts:
        return ""
    return f"branches merged for deployment ({form.merged}): for a model made with {form.flag}"


def compare_forms(here: Iterable[str], wanted: Iterable[str]) -> str:
    """A sentence where the file has such blocks in one form and the model in the other; else ""."""
    given, asked = _list_parts(here), _list_parts(wanted)
    for form in _FORMS:
        if form.merged in asked and form.branches & given and form.merged not in given:
            return (
                f"the blocks of the file are those of training ({_name(form, given)}; {form.who}), the model has them merged"
                f" ({form.merged}): make the model without {form.flag}, load the file, model.eval(), and merge then: {form.merge}"
            )
        if form.merged in given and form.branches & asked and form.merged not in asked:
            return (
                f"the blocks of the file are merged ({form.merged}; {form.who}), the model has them as in training ({_name(form, asked)}):"
                f" make the model with {form.flag}; merged ones are not trained on, nor taken apart again"
            )
    return ""


def _name(form: BranchForm, parts: frozenset[str]) -> str:
    return ", ".join(sorted(form.branches & parts))


def _list_parts(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(part for key in keys for part in _BETWEEN.split(key))
