"""Models of packages and of repositories, small enough to be compared with their files in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_WRAPPED = """{imports}
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = {made}

    def forward(self, {names}):
        return self.net({call}){taken}
"""
_TWO_INPUTS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right, self.out = nn.Linear(8, 16), nn.Linear(8, 16), nn.Linear(16, 3)
        self.act, self.drop = nn.GELU(), nn.Dropout(0.2)

    def forward(self, query, key):
        return self.out(self.drop(self.act(self.left(query) - 2 * self.right(key))))
"""
_BAKED = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.out = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        return self.out(self.bn(self.conv(x)).relu() * (10.0 / int(x.shape[2])))
"""


@dataclass(frozen=True)
class SmallModel:
    """The source of a class `Net`, and its inputs: by name the shape, of integers where it begins with "ids" or "mask"."""

    source: str
    inputs: Mapping[str, tuple[int, ...]]

    @property
    def is_image(self) -> bool:
        """Whether its one input is a picture in three colors."""
        shapes = list(self.inputs.values())
        return len(shapes) == 1 and len(shapes[0]) == 4 and shapes[0][1] == 3


def list_models(repositories: Path) -> dict[str, SmallModel]:
    """All of them by name; `repositories` holds checkouts in folders OWNER+NAME."""

    def of_pytorchcv(name: str, size: int = 224) -> SmallModel:
        imports = "from pytorchcv.model_provider import get_model"
        return _wrap(imports, f'get_model("{name}")', {"x": (1, 3, size, size)})

    def of_repository(
        name: str, imports: str, made: str, shape: tuple[int, ...], taken: str = ""
    ) -> SmallModel:
        imports = f"import sys\n\nsys.path.insert(0, {str(repositories / name)!r})\n{imports}"
        names = {"ids": shape} if len(shape) == 2 else {"x": shape}
        return _wrap(imports, made, names, taken)

    sizes = "vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64"
    gpt2 = "GPT2LMHeadModel(t.GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=100, n_positions=64, use_cache=False))"
    t5 = "T5EncoderModel(t.T5Config(vocab_size=100, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2))"
    two = {"input_ids": (2, 8), "attention_mask": (2, 8)}
    gpt = "GPT(GPTConfig(block_size=32, vocab_size=100, n_layer=2, n_head=2, n_embd=32))"
    vit = "SimpleViT(image_size=32, patch_size=8, num_classes=4, dim=32, depth=2, heads=2, mlp_dim=64)"
    return {
        "resnet10": of_pytorchcv("resnet10"),
        "mobilenet_wd4": of_pytorchcv("mobilenet_wd4"),
        "squeezenet": of_pytorchcv("squeezenet_v1_1"),
        "shufflenetv2": of_pytorchcv("shufflenetv2_wd2"),
        "cifar_resnet": of_repository("kuangliu+pytorch-cifar", "from models.resnet import ResNet18", "ResNet18()", (2, 3, 32, 32)),
        "cifar_mobilenet": of_repository("kuangliu+pytorch-cifar", "from models.mobilenetv2 import MobileNetV2", "MobileNetV2()", (2, 3, 32, 32)),
        "unet": of_repository("milesial+Pytorch-UNet", "from unet import UNet", "UNet(3, 2)", (1, 3, 64, 64)),
        "tcn": of_repository("locuslab+TCN", "from TCN.tcn import TemporalConvNet", "TemporalConvNet(4, [8, 8])", (2, 4, 32)),
        "nanogpt": of_repository("karpathy+nanoGPT", "from model import GPT, GPTConfig", gpt, (2, 16), "[0]"),
        "vit": of_repository("lucidrains+vit-pytorch/vit_pytorch", "from simple_vit import SimpleViT", vit, (2, 3, 32, 32)),
        "bert": _wrap("import transformers as t", f"t.BertModel(t.BertConfig({sizes}))", two, "[0]"),
        "gpt2": _wrap("import transformers as t", f"t.{gpt2}", {"input_ids": (2, 8)}, "[0]"),
        "t5": _wrap("import transformers as t", f"t.{t5}", two, "[0]"),
        "two_inputs": SmallModel(_TWO_INPUTS, {"query": (2, 8), "key": (2, 8)}),
        "baked": SmallModel(_BAKED, {"x": (2, 3, 32, 32)}),
    }  # fmt: skip


def _wrap(
    imports: str, made: str, inputs: Mapping[str, tuple[int, ...]], taken: str = ""
) -> SmallModel:
    keyed = "mask" in " ".join(inputs)
    call = ", ".join(f"{name}={name}" if keyed or name == "input_ids" else name for name in inputs)
    names = ", ".join(inputs)
    return SmallModel(
        _WRAPPED.format(imports=imports, made=made, names=names, call=call, taken=taken), inputs
    )
