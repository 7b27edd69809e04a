"""The operators that an error says a program does not have, in whatever words it says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.targets import list_targets
from lintorch.targets.opset_history import is_standard

_NAME = r"(?:[A-Za-z_]\w{0,60}(?:(?:::|\.)\w{1,60}){0,5})"
_LISTED = rf"(?P<names>{_NAME}(?:[\s'\"\]\[,|;(){{}}:`&]{{1,6}}{_NAME}){{0,12}})"
_THING = r"(?:op_type|ops?|operators?|operations?|layers?|primitives?|nodes?|kernels?|functions?|func)(?:\(s\)|_types?)?"
_NEVER = r"(?:not|n't|no|never)(?: (?:yet|currently|been|be|being|is|a))?"
_HAVE = r"(?:support(?:ed|ing|s)?|implemented|registered|recognized|available|found|exists?|known|handled|convertible|lowered)"
_HOW = r"(?:converters?|importers?|kernels?|implementations?|translations?|lowerings?|conversions?|handlers?|symbolics?|decompositions?|parsers?)"
_OPEN = r"[\s:=\[\('\"`{<]{1,6}"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:unsupported|unknown|unimplemented|unrecognized|unhandled|unregistered|not[- _]supported|not support(?:ed)?)(?: \w{{1,12}}){{0,2}}? {_THING}(?: (?:names?|types?|of types?|named|list))?{_OPEN}{_LISTED}",
        rf"\b(?:not|n't) (?:implemented|supported|found)\b.{{0,40}}?op(?:eration)?_type ?[=:][\s'\"]{{0,3}}(?P<names>{_NAME})",
        rf"\btorch\.operator{_OPEN}onnx\.(?P<names>{_NAME})",
        rf"\bfailed to legalize operation{_OPEN}(?:torch\.)?(?P<names>{_NAME})",
        rf"\b(?:do(?:es)?(?:n't|nt| not)|not) support (?:the )?onnx(?:\.|::)(?P<names>{_NAME})",
        rf"\bNOT_SUPPORTED_OP{_OPEN}{_LISTED}",
        rf"(?P<names>\baten::\w{{1,60}})['\"`]? (?:is |are )?{_NEVER} {_HAVE}\b",
        rf"\b{_THING} (?:is |are )?{_NEVER} {_HAVE}{_OPEN}{_LISTED}",
        rf"\b(?:no|missing|without|find an?|found no) (?:\w{{1,14}} )?{_HOW}(?: functions?| rules?)?(?: (?:is|was|registered|found|available|implemented)){{0,3}} (?:for|of)(?: the)?(?: {_THING})?(?: type)?{_OPEN}{_LISTED}",
        rf"\b{_HOW}(?: function)? (?:is |was )?{_NEVER} {_HAVE}(?: for)?(?: the)?(?: {_THING})?{_OPEN}{_LISTED}",
        rf"\b{_THING} (?:conver(?:t|sion)|translat\w{{1,4}}|lower(?:ing)?|import|mapping|pars(?:e|ing)) (?:failed|error|fails)(?: (?:for|at|of))?[\s:=\[\('\"`{{<]{{1,6}}(?:onnx ?: ?)?{_LISTED}",
        rf"\b(?:cannot|can't|could not|unable to|failed to|don't know how to) (?:resolve|convert|lower|translate|handle|map|import|create|load)(?: an?| the)?(?: \w{{1,12}})? {_THING}(?: of type| type)?{_OPEN}{_LISTED}",
        rf"\b{_THING}(?: type| of type| named?)?{_OPEN}{_LISTED}[\s'\"`)\]:]{{1,4}}(?:\(node [^)]{{1,80}}\) )?(?:of \w{{1,12}} |with \w{{1,12}} |in(?:side)? (?:the )?\w{{1,12}} )?(?:is |are |has |have |was |does |do |may )?{_NEVER} {_HAVE}\b",
        rf"(?P<names>\b{_NAME})['\"`]?,? (?:ONNX )?{_THING} (?:is |are |has |have |was |does |may )?{_NEVER} {_HAVE}\b",
        rf"['\"`](?P<names>{_NAME})['\"`] (?:is |are |was )?{_NEVER} {_HAVE}\b",
    )
)
_DEBUG = re.compile(r"- DEBUG - .{0,160}?(?=\d{4}-\d\d-\d\d |- [A-Z]{4,8} - |$)")
"""What a program says of itself while it looks around, and not of the model."""
_TORCH = re.compile(
    r"(?:(?:torch\.(?:_)?ops\.)?(?:aten|prims?|torchvision|quantized)(?:::|\.)\w+[\w.]*|\w+\.(?:default|Tensor|Scalar|input|out|self|dim|int))$"
)
_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]{2,40}$")
_SHORT = ("If", "Or")
_MOST = 8
_CONTRIBUTED = frozenset(
    (
        "BeamSearch",
        "BiasAdd",
        "BiasDropout",
        "BiasGelu",
        "BiasSplitGelu",
        "ComplexMul",
        "CropAndResize",
        "DecoderMaskedMultiHeadAttention",
        "DecoderMaskedSelfAttention",
        "DynamicQuantizeLSTM",
        "DynamicQuantizeMatMul",
        "EPContext",
        "EmbedLayerNormalization",
        "FastGelu",
        "FusedConv",
        "FusedGemm",
        "FusedMatMul",
        "GatedRelativePositionBias",
        "GatherBlockQuantized",
        "GemmFastGelu",
        "GreedySearch",
        "GroupNorm",
        "GroupQueryAttention",
        "Irfft",
        "LongformerAttention",
        "MatMulBnb4",
        "MatMulFpQ4",
        "MatMulIntegerToFloat",
        "MatMulInteger16",
        "MatMulNBits",
        "MoE",
        "MultiHeadAttention",
        "NGramRepeatBlock",
        "NhwcConv",
        "NhwcFusedConv",
        "NhwcMaxPool",
        "PackedAttention",
        "PackedMultiHeadAttention",
        "PagedAttention",
        "QAttention",
        "QEmbedLayerNormalization",
        "QGemm",
        "QLinearAdd",
        "QLinearAveragePool",
        "QLinearConcat",
        "QLinearGlobalAveragePool",
        "QLinearLeakyRelu",
        "QLinearMul",
        "QLinearReduceMean",
        "QLinearSigmoid",
        "QLinearSoftmax",
        "QLinearWhere",
        "QMoE",
        "QuickGelu",
        "RelativePositionBias",
        "RemovePadding",
        "RestorePadding",
        "Rfft",
        "Sampling",
        "SimplifiedLayerNormalization",
        "SkipGroupNorm",
        "SkipLayerNormalization",
        "SkipSimplifiedLayerNormalization",
        "SparseAttention",
        "TransposeMatMul",
        "UnfoldTensor",
        "WhisperBeamSearch",
    )
)
"""Operators of com.microsoft that ONNX Runtime's optimizers and quantization write, and its model builders."""


def find_refused(said: str) -> tuple[str, ...]:
    """`("Shape", "Gather")` of `Unsupported ONNX ops of type: Shape,Gather`; none where it names none.

    A name counts that ONNX, ONNX Runtime or PyTorch has.
    """
    said = _DEBUG.sub("", said)
    for pattern in _PATTERNS:
        for match in pattern.finditer(said):
            names = tuple(dict.fromkeys(_read_names(match["names"])))
            if not names and match["names"] in _SHORT and _stands_apart(said, match):
                return (match["names"],)
            if names:
                return names[:_MOST]
    return ()


def _stands_apart(said: str, match: re.Match[str]) -> bool:
    """Whether a name that is a word of English, too, is quoted, or stands behind a colon at the end."""
    before, after = said[: match.start("names")].rstrip()[-1:], said[match.end("names") :].strip()
    return before in "'\"`:=[(" and (not after or after[0] in "'\"`]).") and bool(before)


def is_contributed(name: str) -> bool:
    """Whether ONNX has no such operator, and ONNX Runtime has."""
    if is_standard(name):
        return False
    own = (each for each in list_targets() if each.family == "onnxruntime")
    return name in _CONTRIBUTED or any(each.supports(name) for each in own)


def is_of_torch(name: str) -> bool:
    """Whether a name is written as operators of PyTorch are: `aten::frac`, `frac.default`."""
    return bool(_TORCH.match(name))


def _read_names(written: str) -> Iterator[str]:
    for name in re.findall(_NAME, written):
        bare = re.sub(r"^(?:ONNX|ai\.onnx|onnx|com\.microsoft)(?:::|\.)", "", name)
        if is_of_torch(bare) or (
            _CAMEL.match(bare) and (is_standard(bare) or is_contributed(bare))
        ):
            yield bare
