"""Small models of packages: by `module:call`, the shapes of their inputs, or inputs as torch writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
_TIMM = {
    32: ["resnet10t", "resnet14t", "legacy_seresnet18", "mobilenetv3_small_050", "mobilenetv4_conv_small_035",
        "efficientnet_lite0", "tf_efficientnetv2_b0", "mixnet_s", "regnetx_002", "regnety_002", "convnext_atto",
        "convnextv2_atto", "repvgg_a0", "ghostnet_050", "hardcorenas_a", "lcnet_035", "mnasnet_small",
        "semnasnet_075", "tinynet_e", "starnet_s050", "repvit_m0_9", "dla46_c", "dpn48b", "densenet121",
        "hrnet_w18_small", "vovnet39a", "rexnet_100", "darknet17", "cspresnet50", "selecsls42", "fbnetc_100",
        "eca_halonext26ts", "lambda_resnet26t", "botnet26t_256", "resnest14d", "skresnet18", "res2net50_26w_4s"],
    224: ["vit_tiny_patch16_224", "deit_tiny_patch16_224", "levit_128s", "mobilevit_xxs", "mobilevitv2_050",
        "edgenext_xx_small", "efficientformer_l1", "efficientformerv2_s0", "poolformer_s12", "pvt_v2_b0",
        "xcit_nano_12_p16_224", "swin_tiny_patch4_window7_224", "cait_xxs24_224", "visformer_tiny", "coat_tiny",
        "twins_pcpvt_small", "mixer_s32_224", "resmlp_12_224", "gmlp_ti16_224", "fastvit_t8", "tiny_vit_5m_224",
        "nest_tiny", "pit_ti_224", "tnt_s_legacy_patch16_224", "convit_tiny", "sequencer2d_s", "davit_tiny",
        "efficientvit_b0", "efficientvit_m0", "inception_next_atto", "hgnetv2_b0", "mambaout_femto"],
}  # fmt: skip
_VIT = "image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=32"
_PLAIN = {
    "vit": "ViT", "simple_vit": "SimpleViT", "deepvit": "DeepViT", "vit_for_small_dataset": "ViT",
    "parallel_vit": "ViT", "local_vit": "LocalViT", "rvt": "RvT", "learnable_memory_vit": "ViT",
    "simple_vit_with_patch_dropout": "SimpleViT", "simple_vit_with_register_tokens": "SimpleViT",
    "simple_vit_with_qk_norm": "SimpleViT",
}  # fmt: skip
_STAGES = "num_classes=5, depth=(1, 1, 1, 1)"
_NETS = "monai.networks.nets"
_DIFFUSERS, _HF = "diffusers.models", "transformers.models"
_TOKENS = "arange(2, 16).reshape(2, 7)"
_UNET = "sample_size=16, block_out_channels=(32, 64), layers_per_block=1, norm_num_groups=8"
_TEXT = "vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37"
_DECODER = f"{_TEXT}, num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0"
_IMAGE = "image_size=32, patch_size=8, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37"
_ENCODERS = [
    "albert", "bert", "electra", "ernie", "layoutlm", "mpnet", "roberta", "xlm_roberta", "camembert",
    "data2vec_text", "megatron_bert", "convbert", "deberta", "deberta_v2", "nystromformer",
    "roformer", "splinter", "squeezebert", "mobilebert", "esm", "ibert", "roc_bert", "rembert",
]  # fmt: skip
_WRITTEN = {
    "albert": "Albert", "bert": "Bert", "electra": "Electra", "ernie": "Ernie", "layoutlm": "LayoutLM",
    "mpnet": "MPNet", "roberta": "Roberta", "xlm_roberta": "XLMRoberta", "camembert": "Camembert",
    "data2vec_text": "Data2VecText", "megatron_bert": "MegatronBert", "convbert": "ConvBert",
    "deberta": "Deberta", "deberta_v2": "DebertaV2", "nystromformer": "Nystromformer",
    "roformer": "RoFormer", "splinter": "Splinter", "squeezebert": "SqueezeBert",
    "mobilebert": "MobileBert", "esm": "Esm", "ibert": "IBert", "roc_bert": "RoCBert",
    "rembert": "RemBert", "llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3",
    "gemma": "Gemma", "phi": "Phi", "gpt_neox": "GPTNeoX", "stablelm": "StableLm", "olmo": "Olmo",
    "vit": "ViT", "deit": "DeiT", "beit": "Beit", "dinov2": "Dinov2", "vit_mae": "ViTMAE",
    "yolos": "Yolos", "ijepa": "IJepa",
}  # fmt: skip


def _list_texts() -> Iterator[tuple[str, Inputs]]:
    """Models of transformers that read words, and some that see, all by the same settings."""
    decoders = [
        "llama",
        "mistral",
        "qwen2",
        "qwen3",
        "gemma",
        "phi",
        "gpt_neox",
        "stablelm",
        "olmo",
    ]
    for names, settings, given in (
        (_ENCODERS, _TEXT, _TOKENS),
        (decoders, _DECODER, _TOKENS),
        (["vit", "deit", "beit", "dinov2", "vit_mae", "ijepa"], _IMAGE, (1, 3, 32, 32)),
    ):
        for name in names:
            folder, kind = ("data2vec" if "data2vec" in name else name), _WRITTEN[name]
            yield f"{_HF}.{folder}.modeling_{name}:{kind}Model({kind}Config({settings}))", (given,)


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
    "timm": {
        f'timm.models:create_model("{name}")': ((1, 3, max(side, 64), max(side, 64)),)
        for side, names in _TIMM.items()
        for name in names
    },
    "diffusers": {
        f'{_DIFFUSERS}.unets.unet_2d:UNet2DModel({_UNET}, down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))': ((1, 3, 16, 16), "tensor([5])"),
        f'{_DIFFUSERS}.unets.unet_2d_condition:UNet2DConditionModel({_UNET}, cross_attention_dim=32, attention_head_dim=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))': ((1, 4, 16, 16), "tensor([5])", (1, 6, 32)),
        f'{_DIFFUSERS}.unets.unet_3d_condition:UNet3DConditionModel({_UNET}, cross_attention_dim=32, attention_head_dim=4, down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"), up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"))': ((1, 4, 3, 16, 16), "tensor([5])", (1, 6, 32)),
        f"{_DIFFUSERS}.unets.uvit_2d:UVit2DModel(hidden_size=32, cond_embed_dim=32, micro_cond_encode_dim=4, micro_cond_embed_dim=20, encoder_hidden_size=32, vocab_size=50, codebook_size=40, num_hidden_layers=1, num_attention_heads=4, intermediate_size=37, sample_size=8, block_out_channels=32)": ("arange(64).reshape(1, 8, 8) % 40", (1, 6, 32), (1, 32), (1, 5)),
        f'{_DIFFUSERS}.unets.unet_1d:UNet1DModel(block_out_channels=(32, 64), extra_in_channels=16, sample_size=512, sample_rate=16000, in_channels=2, out_channels=2, flip_sin_to_cos=True, use_timestep_embedding=False, time_embedding_type="fourier", mid_block_type="UNetMidBlock1D", down_block_types=("DownBlock1DNoSkip", "DownBlock1D"), up_block_types=("UpBlock1D", "UpBlock1DNoSkip"))': ((1, 2, 128), "tensor([5])"),
        f'{_DIFFUSERS}.autoencoders.autoencoder_kl:AutoencoderKL(block_out_channels=(8, 8), norm_num_groups=8, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)': ((1, 3, 32, 32),),
        f'{_DIFFUSERS}.autoencoders.vq_model:VQModel(block_out_channels=(8, 8), norm_num_groups=8, num_vq_embeddings=16, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)': ((1, 3, 32, 32),),
        f"{_DIFFUSERS}.autoencoders.autoencoder_tiny:AutoencoderTiny(encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1), upsampling_scaling_factor=2)": ((1, 3, 32, 32),),
        f'{_DIFFUSERS}.autoencoders.autoencoder_kl_temporal_decoder:AutoencoderKLTemporalDecoder(block_out_channels=(32, 32), down_block_types=("DownEncoderBlock2D",) * 2)': ((1, 3, 32, 32),),
        f"{_DIFFUSERS}.transformers.dit_transformer_2d:DiTTransformer2DModel(sample_size=8, num_layers=1, patch_size=4, attention_head_dim=8, num_attention_heads=2, in_channels=4, out_channels=8, num_embeds_ada_norm=8)": ((1, 4, 8, 8), "tensor([5])", "tensor([1])"),
        f"{_DIFFUSERS}.transformers.pixart_transformer_2d:PixArtTransformer2DModel(sample_size=8, num_layers=1, patch_size=2, attention_head_dim=8, num_attention_heads=2, in_channels=4, out_channels=8, cross_attention_dim=16, caption_channels=8)": ((1, 4, 8, 8), (1, 6, 8), "tensor([5])"),
        f"{_DIFFUSERS}.transformers.transformer_sd3:SD3Transformer2DModel(sample_size=8, patch_size=1, in_channels=4, num_layers=1, attention_head_dim=8, num_attention_heads=2, joint_attention_dim=16, caption_projection_dim=16, pooled_projection_dim=12, out_channels=4)": ((1, 4, 8, 8), (1, 6, 16), (1, 12), "tensor([5])"),
        f"{_DIFFUSERS}.transformers.transformer_flux:FluxTransformer2DModel(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=12, axes_dims_rope=(4, 4, 8))": ((1, 16, 4), (1, 6, 32), (1, 12), "tensor([0.5])", (16, 3), (6, 3)),
        f"{_DIFFUSERS}.transformers.latte_transformer_3d:LatteTransformer3DModel(sample_size=8, num_layers=1, patch_size=2, attention_head_dim=8, num_attention_heads=3, caption_channels=8, in_channels=4, cross_attention_dim=24, out_channels=8)": ((1, 4, 1, 8, 8), "tensor([5])", (1, 6, 8)),
        f"{_DIFFUSERS}.transformers.cogvideox_transformer_3d:CogVideoXTransformer3DModel(num_attention_heads=2, attention_head_dim=16, in_channels=4, out_channels=4, time_embed_dim=2, text_embed_dim=8, num_layers=1, sample_width=8, sample_height=8, sample_frames=8, patch_size=2, temporal_compression_ratio=4, max_text_seq_length=8)": ((1, 1, 4, 8, 8), (1, 8, 8), "tensor([5])"),
        f"{_DIFFUSERS}.transformers.prior_transformer:PriorTransformer(num_attention_heads=2, attention_head_dim=4, num_layers=1, embedding_dim=8, num_embeddings=7)": ((1, 8), "tensor([5])", (1, 8), (1, 7, 8)),
        f"{_DIFFUSERS}.transformers.lumina_nextdit2d:LuminaNextDiT2DModel(sample_size=16, patch_size=2, in_channels=4, hidden_size=24, num_layers=1, num_attention_heads=3, num_kv_heads=1, multiple_of=16, ffn_dim_multiplier=None, norm_eps=1e-5, learn_sigma=False, qk_norm=True, cross_attention_dim=32)": ((1, 4, 16, 16), "rand(1)", (1, 6, 32), "ones(1, 6)", "ones(384, 4, dtype=complex64)", "__import__('builtins').dict()"),
    },
    "transformers": {
        **dict(_list_texts()),
        f'{_HF}.gpt2.modeling_gpt2:GPT2Model(GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4))': (_TOKENS,),
        f'{_HF}.gptj.modeling_gptj:GPTJModel(GPTJConfig(vocab_size=99, n_embd=32, n_layer=2, n_head=4, rotary_dim=4))': (_TOKENS,),
        f'{_HF}.gpt_neo.modeling_gpt_neo:GPTNeoModel(GPTNeoConfig(vocab_size=99, hidden_size=32, num_layers=2, attention_types=[[["global", "local"], 1]], num_heads=4))': (_TOKENS,),
        f'{_HF}.bloom.modeling_bloom:BloomModel(BloomConfig(vocab_size=99, hidden_size=32, n_layer=2, n_head=4))': (_TOKENS,),
        f'{_HF}.opt.modeling_opt:OPTModel(OPTConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=37, word_embed_proj_dim=32))': (_TOKENS,),
        f'{_HF}.distilbert.modeling_distilbert:DistilBertModel(DistilBertConfig(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=37))': (_TOKENS,),
        f'{_HF}.xlnet.modeling_xlnet:XLNetModel(XLNetConfig(vocab_size=99, d_model=32, n_layer=2, n_head=4, d_inner=37))': (_TOKENS,),
        f'{_HF}.funnel.modeling_funnel:FunnelModel(FunnelConfig(vocab_size=99, block_sizes=[1, 1], num_decoder_layers=1, d_model=32, n_head=4, d_head=8, d_inner=37))': (_TOKENS,),
        f'{_HF}.canine.modeling_canine:CanineModel(CanineConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37))': ("arange(2, 18).reshape(2, 8)",),
        f'{_HF}.t5.modeling_t5:T5EncoderModel(T5Config(vocab_size=99, d_model=32, num_layers=2, num_heads=4, d_ff=37, d_kv=8))': (_TOKENS,),
        f'{_HF}.bart.modeling_bart:BartModel(BartConfig(vocab_size=99, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37, decoder_ffn_dim=37))': (_TOKENS,),
        f'{_HF}.led.modeling_led:LEDModel(LEDConfig(vocab_size=99, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37, decoder_ffn_dim=37, attention_window=4))': (_TOKENS,),
        f'{_HF}.longformer.modeling_longformer:LongformerModel(LongformerConfig({_TEXT}, attention_window=4))': (_TOKENS,),
        f'{_HF}.reformer.modeling_reformer:ReformerModel(ReformerConfig(vocab_size=99, hidden_size=32, attn_layers=["local", "local"], num_attention_heads=2, attention_head_size=16, feed_forward_size=37, axial_pos_shape=[4, 4], axial_pos_embds_dim=[16, 16], local_attn_chunk_length=4))': ("arange(2, 34).reshape(2, 16)",),
        f'{_HF}.mamba.modeling_mamba:MambaModel(MambaConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2, state_size=4))': (_TOKENS,),
        f'{_HF}.rwkv.modeling_rwkv:RwkvModel(RwkvConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2))': (_TOKENS,),
        f'{_HF}.swin.modeling_swin:SwinModel(SwinConfig(image_size=32, patch_size=2, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=2))': ((1, 3, 32, 32),),
        f'{_HF}.swinv2.modeling_swinv2:Swinv2Model(Swinv2Config(image_size=32, patch_size=2, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=2))': ((1, 3, 32, 32),),
        f'{_HF}.convnext.modeling_convnext:ConvNextModel(ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2))': ((1, 3, 32, 32),),
        f'{_HF}.segformer.modeling_segformer:SegformerModel(SegformerConfig(hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 2]))': ((1, 3, 64, 64),),
        f'{_HF}.resnet.modeling_resnet:ResNetModel(ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]))': ((1, 3, 32, 32),),
        f'{_HF}.mobilevit.modeling_mobilevit:MobileViTModel(MobileViTConfig(image_size=64))': ((1, 3, 64, 64),),
        f'{_HF}.poolformer.modeling_poolformer:PoolFormerModel(PoolFormerConfig(hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1]))': ((1, 3, 64, 64),),
        f'{_HF}.levit.modeling_levit:LevitModel(LevitConfig(image_size=64, hidden_sizes=[16, 32, 48], num_attention_heads=[1, 2, 3], depths=[1, 1, 1], key_dim=[8, 8, 8]))': ((1, 3, 64, 64),),
        f'{_HF}.wav2vec2.modeling_wav2vec2:Wav2Vec2Model(Wav2Vec2Config(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=37, conv_dim=[16] * 3, conv_stride=[5, 2, 2], conv_kernel=[10, 3, 3], num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2))': ((1, 800),),
        f'{_HF}.time_series_transformer.modeling_time_series_transformer:TimeSeriesTransformerModel(TimeSeriesTransformerConfig(prediction_length=4, d_model=16, encoder_layers=1, decoder_layers=1, lags_sequence=[1, 2], num_time_features=1))': ((1, 6), (1, 6, 1), "ones(1, 6)"),
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
