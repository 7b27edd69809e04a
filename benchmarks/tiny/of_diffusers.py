"""Networks of diffusers in configurations small enough to run at once, as its own tests have them."""

from __future__ import annotations

from diffusers import models

HEADS = {"num_attention_heads": 2, "attention_head_dim": 8}
TWO = {"block_out_channels": (16, 32), "layers_per_block": 1, "norm_num_groups": 8}


def build_unet_2d() -> models.UNet2DModel:
    down, up = ("DownBlock2D", "AttnDownBlock2D"), ("AttnUpBlock2D", "UpBlock2D")
    return models.UNet2DModel(sample_size=32, down_block_types=down, up_block_types=up, **TWO)


def build_unet_2d_condition() -> models.UNet2DConditionModel:
    down, up = ("DownBlock2D", "CrossAttnDownBlock2D"), ("CrossAttnUpBlock2D", "UpBlock2D")
    return models.UNet2DConditionModel(
        sample_size=32, cross_attention_dim=32, attention_head_dim=8,
        down_block_types=down, up_block_types=up, **TWO
    )  # fmt: skip


def build_unet_1d() -> models.UNet1DModel:
    return models.UNet1DModel(
        sample_size=64, in_channels=14, out_channels=14, block_out_channels=(8, 8, 16, 16),
        time_embedding_type="positional", use_timestep_embedding=True, flip_sin_to_cos=False,
        freq_shift=1.0, out_block_type="OutConv1DBlock", mid_block_type="MidResTemporalBlock1D",
        down_block_types=("DownResnetBlock1D",) * 4, up_block_types=("UpResnetBlock1D",) * 3,
        act_fn="swish",
    )  # fmt: skip


def build_autoencoder_kl() -> models.AutoencoderKL:
    down, up = ("DownEncoderBlock2D",) * 2, ("UpDecoderBlock2D",) * 2
    return models.AutoencoderKL(down_block_types=down, up_block_types=up, **TWO)


def build_vq_model() -> models.VQModel:
    down, up = ("DownEncoderBlock2D",) * 2, ("UpDecoderBlock2D",) * 2
    return models.VQModel(down_block_types=down, up_block_types=up, latent_channels=3, **TWO)


def build_controlnet() -> models.ControlNetModel:
    down = ("DownBlock2D", "CrossAttnDownBlock2D")
    return models.ControlNetModel(
        down_block_types=down, cross_attention_dim=32, attention_head_dim=8,
        conditioning_embedding_out_channels=(8, 16), **TWO
    )  # fmt: skip


def build_dit_model() -> models.DiTTransformer2DModel:
    return models.DiTTransformer2DModel(
        in_channels=4, out_channels=8, num_layers=2, sample_size=8, norm_num_groups=4, **HEADS
    )


def build_transformer_2d() -> models.Transformer2DModel:
    return models.Transformer2DModel(in_channels=16, num_layers=1, norm_num_groups=8, **HEADS)


def build_prior_model() -> models.PriorTransformer:
    return models.PriorTransformer(num_layers=1, embedding_dim=16, num_embeddings=7, **HEADS)


def build_pixart_model() -> models.PixArtTransformer2DModel:
    return models.PixArtTransformer2DModel(
        in_channels=4, out_channels=8, num_layers=1, sample_size=8, cross_attention_dim=16,
        caption_channels=16, use_additional_conditions=False, norm_num_groups=1, **HEADS
    )  # fmt: skip


def build_t5_film_model() -> models.T5FilmDecoder:
    return models.T5FilmDecoder(
        input_dims=16, targets_length=16, d_model=16, num_layers=1, num_heads=2, d_kv=8, d_ff=32
    )


def build_autoencoder_tiny_model() -> models.AutoencoderTiny:
    return models.AutoencoderTiny(
        encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8),
        num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1),
    )  # fmt: skip


def build_unet_3d_model() -> models.UNet3DConditionModel:
    down, up = ("CrossAttnDownBlock3D", "DownBlock3D"), ("UpBlock3D", "CrossAttnUpBlock3D")
    return models.UNet3DConditionModel(
        sample_size=32, cross_attention_dim=32, attention_head_dim=8,
        down_block_types=down, up_block_types=up, **TWO
    )  # fmt: skip


def build_sd3_model() -> models.SD3Transformer2DModel:
    return models.SD3Transformer2DModel(
        sample_size=32, patch_size=1, in_channels=4, num_layers=1, attention_head_dim=8,
        num_attention_heads=4, caption_projection_dim=32, joint_attention_dim=32,
        pooled_projection_dim=64, out_channels=4,
    )  # fmt: skip


def build_flux_model() -> models.FluxTransformer2DModel:
    return models.FluxTransformer2DModel(
        in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=32,
        axes_dims_rope=(4, 4, 8),
    )  # fmt: skip


def build_asymmetric_autoencoder_model() -> models.AsymmetricAutoencoderKL:
    return models.AsymmetricAutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 2, down_block_out_channels=(16, 32),
        up_block_types=("UpDecoderBlock2D",) * 2, up_block_out_channels=(16, 32),
        norm_num_groups=8,
    )  # fmt: skip


def build_temporal_autoencoder_model() -> models.AutoencoderKLTemporalDecoder:
    return models.AutoencoderKLTemporalDecoder(
        down_block_types=("DownEncoderBlock2D",) * 2, block_out_channels=(32, 64), latent_channels=4
    )


def build_sana_model() -> models.SanaTransformer2DModel:
    return models.SanaTransformer2DModel(
        sample_size=32, in_channels=4, out_channels=4, num_layers=1, attention_head_dim=4,
        num_attention_heads=2, num_cross_attention_heads=2, cross_attention_head_dim=4,
        cross_attention_dim=8, caption_channels=8, patch_size=1,
    )  # fmt: skip
