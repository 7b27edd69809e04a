"""What operators that many programs lack come from, and what takes them out of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Operators with one origin. `names` are of ONNX, `torch` of PyTorch, without `aten::` and overload."""

    names: frozenset[str]
    torch: re.Pattern[str]
    cause: str
    remedy: str
    rules: tuple[str, ...] = ()

    def holds(self, operator: str) -> bool:
        """Whether an operator, `GridSample` or `aten::rand.default`, is one of them."""
        if operator in self.names:
            return True
        bare = re.sub(r"^(?:torch\.)?(?:_?ops\.)?(?:aten|prims?|torch)(?:::|\.)", "", operator)
        is_of_torch = bare[:1].islower() or bare[:1] == "_"
        return is_of_torch and bool(self.torch.match(bare.partition(".")[0]))


def _make(names: str, torch: str, cause: str, remedy: str, *rules: str) -> Group:
    return Group(
        frozenset(names.split()), re.compile(rf"(?:{torch or '(?!)'})$"), cause, remedy, rules
    )


GROUPS = (
    _make("Upsample Scatter", "", "ONNX has had neither Upsample since opset 10 nor Scatter since opset 11: the file is of an old opset.",
          "export again with opset_version=13 or higher, where they are Resize and ScatterElements"),
    _make("RandomNormal RandomNormalLike RandomUniform RandomUniformLike Bernoulli Multinomial Dropout",
          r"_?(?:native_)?dropout_?|(?:feature_)?alpha_dropout|rand(?:n|int|perm)?(?:_like)?|normal\w*|uniform\w*|bernoulli\w*|multinomial|exponential\w*|rrelu\w*",
          "It draws random numbers: noise that is sampled in forward, or the dropout of a model in training mode.",
          "model.eval() before the export; noise made outside and fed as an input",
          "missing-eval", "always-on-dropout", "chance-in-forward"),
    _make("SequenceAt SequenceConstruct SequenceEmpty SequenceInsert SequenceErase SequenceLength SplitToSequence ConcatFromSequence SequenceMap",
          "", "It handles a list of tensors, which the exporter writes for split, chunk or unbind into a number of parts that is not known at export, and for lists that a scripted loop fills.",
          "split with sizes that are plain numbers, torch.stack instead of a list, trace instead of torch.jit.script, or fixed sizes at the export and then onnxsim in.onnx out.onnx",
          "varying-parts", "tensor-iteration"),
    _make("If Loop Scan", r"cond|while_loop|scan",
          "It is control flow: of a part that was scripted (torch.jit.script), of torch.cond, or an If that the legacy exporter writes where it does not know a size (squeeze(), an LSTM, interpolate).",
          "torch.jit.trace, or dynamo=True, instead of script; squeeze(dim) of an axis that is 1; fixed sizes at the export, and then onnxsim in.onnx out.onnx",
          "data-dependent-branch"),
    _make("Shape Size ConstantOfShape Range", "sym_size|size|numel",
          "These compute sizes at run time: the export left axes open, and the program wants them as numbers.",
          "export with fixed sizes (no dynamic_axes or dynamic_shapes), then onnxsim in.onnx out.onnx (or onnxslim), which works them out",
          "dynamic-size", "data-dependent-shape"),
    _make("NonZero NonMaxSuppression Unique Compress", r"nonzero\w*|masked_select|_?unique\w*|nms|where",
          "The size of its result depends on the values in its input, for which many programs have no place.",
          "keep the size, with a mask (x * mask, torch.where(mask, x, 0)) instead of x[mask]; leave non-maximum suppression to what follows the model",
          "data-dependent-shape"),
    _make("DFT STFT MelWeightMatrix HannWindow HammingWindow BlackmanWindow", r"_?fft\w*|stft|istft|view_as_(?:complex|real)|complex|polar|_?conj\w*|hann_window|real|imag",
          "It is of Fourier transforms or complex numbers, which few programs have.",
          "leave the transform to what comes before the model; or a convolution with a fixed kernel of sines and cosines; a product of complex numbers as two real ones",
          "exotic-operator"),
    _make("", r"_transformer_\w+_layer_fwd|_native_multi_head_attention",
          "It is the fused operator that nn.TransformerEncoderLayer and nn.MultiheadAttention take in eval mode without gradients.",
          "torch.backends.mha.set_fastpath_enabled(False) before the model is traced or exported (torch 2.4 and later), or outside of torch.no_grad()"),
    _make("QuantizeLinear DequantizeLinear DynamicQuantizeLinear QLinearConv QLinearMatMul ConvInteger MatMulInteger",
          r"quantize_per_\w+|dequantize\w*|fake_quantize\w*",
          "It is of a quantized model, and the program takes models in float or quantizes them by a tool of its own.",
          "give it the model from before quantization, and let its own tool quantize; or QDQ form in its opset (quant_format=QuantFormat.QDQ)"),
)  # fmt: skip
