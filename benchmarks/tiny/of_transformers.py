"""Networks of transformers in configurations small enough to run at once, as its own tests have them."""

from __future__ import annotations

import transformers

TEXT = {
    "vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 37, "max_position_embeddings": 64,
}  # fmt: skip
IMAGE = {
    "image_size": 32, "patch_size": 8, "hidden_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 37,
}  # fmt: skip


def build_bert_model() -> transformers.BertForSequenceClassification:
    return transformers.BertForSequenceClassification(transformers.BertConfig(**TEXT))


def build_roberta_model() -> transformers.RobertaForMaskedLM:
    return transformers.RobertaForMaskedLM(transformers.RobertaConfig(**TEXT))


def build_electra_model() -> transformers.ElectraModel:
    return transformers.ElectraModel(transformers.ElectraConfig(embedding_size=32, **TEXT))


def build_distilbert_model() -> transformers.DistilBertModel:
    config = transformers.DistilBertConfig(
        vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=37
    )
    return transformers.DistilBertModel(config)


def build_gpt2_model() -> transformers.GPT2LMHeadModel:
    config = transformers.GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    return transformers.GPT2LMHeadModel(config)


def build_llama_model() -> transformers.LlamaForCausalLM:
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(num_key_value_heads=2, **TEXT))


def build_mistral_model() -> transformers.MistralModel:
    return transformers.MistralModel(transformers.MistralConfig(num_key_value_heads=2, **TEXT))


def build_t5_model() -> transformers.T5ForConditionalGeneration:
    config = transformers.T5Config(
        vocab_size=99,
        d_model=32,
        d_kv=8,
        d_ff=37,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    return transformers.T5ForConditionalGeneration(config)


def build_bart_model() -> transformers.BartModel:
    config = transformers.BartConfig(
        vocab_size=99, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=37, decoder_ffn_dim=37, max_position_embeddings=64,
    )  # fmt: skip
    return transformers.BartModel(config)


def build_whisper_model() -> transformers.WhisperForConditionalGeneration:
    config = transformers.WhisperConfig(
        vocab_size=99, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=37, decoder_ffn_dim=37, num_mel_bins=16,
        max_source_positions=32, max_target_positions=32, pad_token_id=0, decoder_start_token_id=1,
    )  # fmt: skip
    return transformers.WhisperForConditionalGeneration(config)


def build_clip_model() -> transformers.CLIPModel:
    text, vision = {**TEXT, "projection_dim": 32}, {**IMAGE, "projection_dim": 32}
    return transformers.CLIPModel(
        transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=32)
    )


def build_vit_model() -> transformers.ViTForImageClassification:
    return transformers.ViTForImageClassification(transformers.ViTConfig(**IMAGE))


def build_deit_model() -> transformers.DeiTModel:
    return transformers.DeiTModel(transformers.DeiTConfig(**IMAGE))


def build_swin_model() -> transformers.SwinModel:
    config = transformers.SwinConfig(
        image_size=32, patch_size=2, embed_dim=16, depths=(1, 2), num_heads=(2, 2), window_size=2
    )
    return transformers.SwinModel(config)


def build_convnext_model() -> transformers.ConvNextModel:
    return transformers.ConvNextModel(
        transformers.ConvNextConfig(hidden_sizes=(8, 16), depths=(1, 1), num_stages=2)
    )


def build_resnet_model() -> transformers.ResNetForImageClassification:
    config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=(8, 16), depths=(1, 1))
    return transformers.ResNetForImageClassification(config)


def build_segformer_model() -> transformers.SegformerForSemanticSegmentation:
    config = transformers.SegformerConfig(
        hidden_sizes=(16, 16, 32, 32), depths=(1, 1, 1, 1), decoder_hidden_size=16
    )
    return transformers.SegformerForSemanticSegmentation(config)


def build_wav2vec2_model() -> transformers.Wav2Vec2ForCTC:
    config = transformers.Wav2Vec2Config(
        vocab_size=32, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=37,
        conv_dim=(32, 32), conv_stride=(4, 4), conv_kernel=(8, 8), num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
    )  # fmt: skip
    return transformers.Wav2Vec2ForCTC(config)
