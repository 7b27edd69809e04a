"""Models of packages that are not entered: which functions make one, and which parts they surely have."""

from __future__ import annotations

import re
from functools import lru_cache

_MAKERS = re.compile(
    r"torchvision\.models\.(?!utils\.)(\w+\.)*(?!get_|list_|register_|load_)[a-z]\w*"
    r"|timm\.(\w+\.)*create_model|segmentation_models_pytorch\.(\w+\.)*([A-Z]\w+|create_model)"
)
_PARTS = frozenset(
    {
        "conv1", "bn1", "layer1", "layer2", "layer3", "layer4", "fc", "features", "classifier",
        "head", "heads", "backbone", "encoder", "decoder", "avgpool", "blocks", "patch_embed",
    }
)  # fmt: skip
"""Names of children that these models have; none of them names a parameter."""
_PART = " part "


@lru_cache(4096)
def makes_zoo_model(path: str) -> bool:
    """Whether a function or class of a package gives a model."""
    return _MAKERS.fullmatch(path) is not None


def is_zoo_class(path: str) -> bool:
    """Whether a foreign class stands for such a model, or for a part of one."""
    return makes_zoo_model(path.partition(_PART)[0])


def name_part(path: str, name: str) -> str:
    """The class that stands for a part of such a model; "" where there may be none."""
    return f"{path}{_PART}{name}" if name in _PARTS else ""
