"""Small public models for `lintorch export benchmarks/runtimes`: what each runtime makes of them."""

from __future__ import annotations

import timm
from pytorchcv.model_provider import get_model
from torch import nn
from vit_pytorch import ViT
from vit_pytorch.cct import CCT


def make_mobilenet() -> nn.Module:
    return get_model("mobilenet_wd4")


def make_resnet() -> nn.Module:
    return get_model("resnet20_cifar10")


def make_shufflenet() -> nn.Module:
    return get_model("shufflenetv2_wd2")


def make_mobilenet_v3() -> nn.Module:
    return timm.create_model("mobilenetv3_small_050")


def make_convnext() -> nn.Module:
    return timm.create_model("test_convnext")


def make_nfnet() -> nn.Module:
    return timm.create_model("test_nfnet")


def make_vit() -> nn.Module:
    return ViT(image_size=32, patch_size=8, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128)


def make_cct() -> nn.Module:
    return CCT(
        img_size=32,
        embedding_dim=64,
        num_layers=2,
        num_heads=4,
        mlp_ratio=2,
        num_classes=10,
        n_conv_layers=1,
        kernel_size=3,
        stride=2,
        padding=1,
    )
