"""Arguments beside others of another kind: words beside an image, an image beside words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lintorch.guest.feed.shape_forms import COMMON, Form
from lintorch.record.trace import Input

_WORDS = re.compile(
    r"(\w+_)?(input_ids|token_ids|tokens?|texts?|captions?|questions?|words?|prompts?)"
)
_IMAGES = re.compile(r"(\w+_)?(images?|imgs?|pixel_values|pictures?|photos?|frames?)")


def of_kind(name: str, main: Input, forms: Sequence[Form]) -> Input:
    """What an argument of that name takes, where `forms` are those of the model's first layers."""
    if _WORDS.fullmatch(name) and main.dtype != "int64":
        found = [form for form, _ in forms if form.dtype == "int64"]
    elif _IMAGES.fullmatch(name) and len(main.shape) < 4:
        found = [form for form, _ in (*forms, COMMON[0]) if len(form.shape) == 4]
    else:
        return main
    return replace(found[0], name=main.name) if found else main
