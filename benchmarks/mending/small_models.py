"""Small models of packages: by `module:call`, the shapes of their inputs, or inputs as torch writes them."""

from __future__ import annotations

from collections.abc import Mapping

Inputs = tuple["tuple[int, ...] | str", ...]

_CV = [
    "resnet10",
    "preresnet10",
    "seresnet10",
    "resnext26_32x4d",
    "bninception",
    "mobilenet_wd4",
    "mobilenetv2_wd4",
    "mobilenetv3_small_w7d20",
    "fdmobilenet_wd4",
    "shufflenet_g1_wd4",
    "shufflenetv2_wd2",
    "shufflenetv2b_wd2",
    "squeezenet_v1_1",
    "menet108_8x1_g3",
    "darknet_tiny",
    "igcv3_wd4",
    "mnasnet_small",
    "efficientnet_b0",
    "ghostnet",
    "peleenet",
    "hardnet39ds",
    "vovnet27s",
    "proxylessnas_cpu",
    "fbnet_cb",
    "regnetx002",
    "dla34",
    "hrnet_w18_small_v1",
]
_VIT = "image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=32"
_PLAIN = {
    "vit": "ViT", "simple_vit": "SimpleViT", "deepvit": "DeepViT", "vit_for_small_dataset": "ViT",
    "parallel_vit": "ViT", "local_vit": "LocalViT", "rvt": "RvT", "learnable_memory_vit": "ViT",
    "simple_vit_with_patch_dropout": "SimpleViT", "simple_vit_with_register_tokens": "SimpleViT",
    "simple_vit_with_qk_norm": "SimpleViT",
}  # fmt: skip
_STAGES = "num_classes=5, depth=(1, 1, 1, 1)"
_NETS = "monai.networks.nets"
_ONE, _TWO = "in_channels=1", "in_channels=1, out_channels=2"
MODELS: Mapping[str, Mapping[str, Inputs]] = {
    "pytorchcv": {
        f'pytorchcv.model_provider:get_model("{name}")': ((1, 3, 224, 224),) for name in _CV
    },
    "vit_pytorch": {
        **{f"vit_pytorch.{m}:{c}({_VIT})": ((1, 3, 32, 32),) for m, c in _PLAIN.items()},
        f"vit_pytorch.cait:CaiT({_VIT}, cls_depth=1)": ((1, 3, 32, 32),),
        f"vit_pytorch.pit:PiT({_VIT.replace('depth=1', 'depth=(1, 1, 1)')})": ((1, 3, 32, 32),),
        "vit_pytorch.levit:LeViT(image_size=64, num_classes=5, stages=3, dim=(32, 48, 64), depth=1, heads=(2, 2, 2), mlp_mult=2)": ((1, 3, 64, 64),),
        "vit_pytorch.cvt:CvT(num_classes=5, s3_depth=1)": ((1, 3, 64, 64),),
        f"vit_pytorch.regionvit:RegionViT(dim=(16, 16, 32, 32), window_size=7, {_STAGES})": ((1, 3, 224, 224),),
        f"vit_pytorch.crossformer:CrossFormer(dim=(16, 32, 64, 128), {_STAGES})": ((1, 3, 224, 224),),
        f"vit_pytorch.scalable_vit:ScalableViT(dim=16, heads=(1, 2, 2, 2), {_STAGES})": ((1, 3, 224, 224),),
        f"vit_pytorch.sep_vit:SepViT(dim=16, dim_head=8, heads=(1, 2, 2, 2), window_size=7, {_STAGES})": ((1, 3, 224, 224),),
        "vit_pytorch.max_vit:MaxViT(num_classes=5, dim_conv_stem=16, dim=16, dim_head=8, depth=(1, 1), window_size=7)": ((1, 3, 56, 56),),
        "vit_pytorch.nest:NesT(image_size=32, patch_size=4, dim=16, heads=2, num_hierarchies=2, block_repeats=(1, 1), num_classes=5)": ((1, 3, 32, 32),),
        "vit_pytorch.mobile_vit:MobileViT(image_size=(64, 64), dims=[16, 24, 32], channels=[16, 16, 24, 24, 32, 32, 48, 48, 56, 56, 64], num_classes=5)": ((1, 3, 64, 64),),
        "vit_pytorch.t2t:T2TViT(dim=32, image_size=64, depth=1, heads=2, mlp_dim=32, num_classes=5)": ((1, 3, 64, 64),),
        "vit_pytorch.vit_1d:ViT(seq_len=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=32)": ((1, 3, 32),),
        "vit_pytorch.vit_3d:ViT(image_size=32, image_patch_size=8, frames=4, frame_patch_size=2, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=32)": ((1, 3, 4, 32, 32),),
    },
    "monai": {
        f"{_NETS}:BasicUNet(spatial_dims=2, {_TWO}, features=(8, 8, 16, 16, 32, 8))": ((1, 1, 32, 32),),
        f"{_NETS}:UNet(spatial_dims=2, {_TWO}, channels=(8, 16, 32), strides=(2, 2))": ((1, 1, 32, 32),),
        f"{_NETS}:AttentionUnet(spatial_dims=2, {_TWO}, channels=(8, 16, 32), strides=(2, 2))": ((1, 1, 32, 32),),
        f"{_NETS}:SegResNet(spatial_dims=2, init_filters=8, {_TWO})": ((1, 1, 32, 32),),
        f"{_NETS}:DynUNet(2, 1, 2, [3, 3, 3], [1, 2, 2], [2, 2])": ((1, 1, 32, 32),),
        f"{_NETS}:UNETR({_TWO}, img_size=32, feature_size=8, hidden_size=48, mlp_dim=32, num_heads=4, spatial_dims=2)": ((1, 1, 32, 32),),
        f"{_NETS}:SwinUNETR({_TWO}, feature_size=12, spatial_dims=2)": ((1, 1, 64, 64),),
        f"{_NETS}:ViT({_ONE}, img_size=(32, 32), patch_size=(8, 8), hidden_size=48, mlp_dim=32, num_layers=1, num_heads=4, spatial_dims=2)": ((1, 1, 32, 32),),
        f"{_NETS}:VNet(spatial_dims=2)": ((1, 1, 32, 32),),
        f"{_NETS}:HighResNet(spatial_dims=2)": ((1, 1, 32, 32),),
        f"{_NETS}:RegUNet(spatial_dims=2, {_ONE}, num_channel_initial=8, depth=2)": ((1, 1, 32, 32),),
        f"{_NETS}:DenseNet121(spatial_dims=2, {_TWO})": ((1, 1, 64, 64),),
        f'{_NETS}:EfficientNetBN("efficientnet-b0", pretrained=False, spatial_dims=2, {_ONE}, num_classes=2)': ((1, 1, 64, 64),),
        f"{_NETS}:resnet10(spatial_dims=2, n_input_channels=1, num_classes=2)": ((1, 1, 64, 64),),
        f"{_NETS}:SEResNet50(spatial_dims=2, {_ONE}, num_classes=2)": ((1, 1, 64, 64),),
        f"{_NETS}:Discriminator(in_shape=(1, 32, 32), channels=(8, 16), strides=(2, 2))": ((1, 1, 32, 32),),
        f"{_NETS}:Generator(latent_shape=(4,), start_shape=(8, 8, 8), channels=(8, 1), strides=(2, 2))": ((1, 4),),
        f"{_NETS}:AutoEncoder(2, 1, 1, (4, 8), (2, 2))": ((1, 1, 32, 32),),
        f'{_NETS}:FlexibleUNet({_TWO}, backbone="efficientnet-b0", spatial_dims=2)': ((1, 1, 64, 64),),
        f"{_NETS}:DiffusionModelUNet(2, 1, 1, channels=(8, 8), attention_levels=(False, True), num_head_channels=8, norm_num_groups=8, num_res_blocks=(1, 1))": ((1, 1, 16, 16), "ones(1)"),
        f"{_NETS}:AutoencoderKL(2, 1, 1, channels=(8, 8), latent_channels=3, norm_num_groups=8, num_res_blocks=(1, 1), attention_levels=(False, False))": ((1, 1, 16, 16),),
    },
}  # fmt: skip
