"""Small public models for `lintorch export benchmarks/runtimes`: what each runtime makes of them."""

from __future__ import annotations

import torch
from pytorchcv.model_provider import get_model
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    SegformerConfig,
    SegformerForSemanticSegmentation,
    ViTConfig,
    ViTModel,
)


class First(nn.Module):  # type: ignore[misc]
    """The first of what a model of transformers gives."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return self.model(given, return_dict=False)[0]


def make_mobilenet() -> nn.Module:
    return get_model("mobilenet_wd4")


def make_mobilenet_v3() -> nn.Module:
    return get_model("mobilenetv3_small_w7d20")


def make_shufflenet() -> nn.Module:
    return get_model("shufflenetv2_wd2")


def make_efficientnet() -> nn.Module:
    return get_model("efficientnet_b0")


def make_resnet() -> nn.Module:
    return get_model("resnet20_cifar10")


def make_densenet() -> nn.Module:
    return get_model("densenet40_k12_cifar10")


def make_bert() -> nn.Module:
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    return First(BertModel(BertConfig(vocab_size=99, intermediate_size=128, **sizes)))


def make_vit() -> nn.Module:
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    given = ViTConfig(image_size=32, patch_size=8, intermediate_size=128, **sizes)
    return First(ViTModel(given))


def make_segformer() -> nn.Module:
    given = SegformerConfig(
        depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 32, 64], decoder_hidden_size=32, num_labels=3
    )
    return First(SegformerForSemanticSegmentation(given))
