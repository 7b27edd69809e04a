"""Which operators of ONNX the exporters write for what happens in a model."""

from __future__ import annotations

from lintorch.evaluator.events import (
    AttributeRead,
    Called,
    Combined,
    Compared,
    Indexed,
    ItemSet,
    Occurrence,
    Repeated,
)
from lintorch.evaluator.values import Constant, Number, Tensor, Value
from lintorch.targets.written_operators import list_written

HELPERS = frozenset(
    ("Constant", "Unsqueeze", "Concat", "Cast", "Shape", "Gather", "Squeeze", "Identity", "Slice",
     "ConstantOfShape", "Where", "Equal", "Mul", "Expand", "Reshape", "Transpose", "Div", "Add",
     "Sub", "Range", "ScatterND", "Mod", "Floor", "Sqrt", "Pow")
)  # fmt: skip
"""What is written along with others, to compute sizes and indices."""
_OPERATIONS = {
    "Add": "Add", "Sub": "Sub", "Mult": "Mul", "Div": "Div", "MatMult": "MatMul Gemm", "Pow": "Pow Mul Sqrt Reciprocal",
    "FloorDiv": "Div Floor Cast", "Mod": "Mod", "BitAnd": "And BitwiseAnd", "BitOr": "Or BitwiseOr",
    "BitXor": "Xor BitwiseXor",
}  # fmt: skip
_COMPARISONS = {
    "==": "Equal", "!=": "Equal Not", "<": "Less", ">": "Greater", "<=": "LessOrEqual Greater Not",
    ">=": "GreaterOrEqual Less Not",
}  # fmt: skip
_WRITTEN = {
    "view reshape view_as reshape_as unflatten": "Reshape",
    "flatten": "Flatten Reshape",
    "permute transpose t swapaxes swapdims moveaxis movedim T mT": "Transpose",
    "unsqueeze": "Unsqueeze", "squeeze": "Squeeze",
    "size shape dim numel": "Shape Gather Size",
    "expand expand_as broadcast_to": "Expand", "repeat tile": "Tile Expand",
    "repeat_interleave": "Tile Expand Reshape Concat",
    "cat concat concatenate hstack vstack dstack": "Concat", "stack": "Concat Unsqueeze",
    "chunk split tensor_split": "Split Slice SplitToSequence SequenceAt",
    "unbind": "Split Squeeze Gather SplitToSequence SequenceAt",
    "narrow": "Slice", "select index_select": "Gather", "gather take_along_dim": "GatherElements",
    "scatter scatter_": "ScatterElements", "index_put index_put_": "ScatterND",
    "add add_": "Add", "sub sub_ rsub subtract": "Sub", "mul mul_ multiply": "Mul",
    "div div_ divide true_divide floor_divide": "Div Floor", "matmul bmm mm": "MatMul Gemm",
    "addmm": "Gemm MatMul Add", "baddbmm": "MatMul Add Mul", "einsum": "Einsum MatMul Mul ReduceSum Transpose",
    "pow square": "Pow Mul", "sqrt": "Sqrt", "rsqrt": "Sqrt Div Reciprocal", "exp": "Exp", "log": "Log",
    "abs": "Abs", "neg": "Neg", "sin": "Sin", "cos": "Cos", "tanh": "Tanh", "erf": "Erf",
    "sigmoid sigmoid_": "Sigmoid", "relu relu_": "Relu", "softmax": "Softmax",
    "log_softmax": "LogSoftmax", "gelu": "Gelu Erf Div Add Mul", "silu": "Sigmoid Mul Swish",
    "leaky_relu": "LeakyRelu", "elu": "Elu", "softplus": "Softplus", "hardswish": "HardSwish",
    "hardsigmoid": "HardSigmoid", "relu6 hardtanh clamp clamp_ clip clamp_min clamp_max": "Clip Min Max",
    "mean": "ReduceMean GlobalAveragePool", "sum": "ReduceSum", "prod": "ReduceProd",
    "max amax": "ReduceMax Max TopK ArgMax", "min amin": "ReduceMin Min TopK ArgMin",
    "maximum": "Max", "minimum": "Min",
    "var std": "ReduceMean Sub Mul ReduceSum Div Sqrt", "norm": "ReduceL2 ReduceL1 Abs Pow ReduceSum",
    "normalize": "ReduceL2 LpNormalization Clip Expand Div Max", "argmax": "ArgMax", "argmin": "ArgMin",
    "topk": "TopK", "sort argsort": "TopK", "cumsum": "CumSum", "where": "Where",
    "masked_fill masked_fill_": "Where", "tril": "Trilu Where", "triu": "Trilu Where",
    "zeros ones full zeros_like ones_like full_like new_zeros new_ones new_full": "ConstantOfShape Expand Constant",
    "arange": "Range Cast", "linspace": "Range Mul Add",
    "to type type_as float int long half bool double": "Cast",
    "pad": "Pad", "interpolate upsample": "Resize Upsample", "grid_sample": "GridSample",
    "conv1d conv2d conv3d": "Conv", "conv_transpose2d conv_transpose1d": "ConvTranspose",
    "linear Linear": "Gemm MatMul Add", "layer_norm LayerNorm": "LayerNormalization ReduceMean Sub Pow Add Sqrt Div Mul",
    "batch_norm BatchNorm1d BatchNorm2d BatchNorm3d": "BatchNormalization",
    "group_norm GroupNorm": "GroupNormalization Reshape InstanceNormalization Mul Add",
    "adaptive_avg_pool2d AdaptiveAvgPool2d": "GlobalAveragePool AveragePool ReduceMean",
    "max_pool2d MaxPool2d": "MaxPool", "avg_pool2d AvgPool2d": "AveragePool Pad",
    "eq": "Equal", "ne": "Equal Not", "lt": "Less", "gt": "Greater", "le": "LessOrEqual", "ge": "GreaterOrEqual",
    "logical_and": "And", "logical_or": "Or", "logical_not bitwise_not": "Not", "isnan": "IsNaN",
    "roll": "Slice Concat", "flip": "Slice", "embedding Embedding": "Gather", "nonzero": "NonZero Transpose",
    "pixel_shuffle PixelShuffle": "DepthToSpace Reshape Transpose", "Flatten": "Flatten Reshape",
    "scaled_dot_product_attention": "Attention MatMul Softmax Mul Add Transpose Sqrt Div Where Trilu Slice Shape Cast",
    "Identity Dropout contiguous clone detach dropout": "Identity",
    "one_hot": "OneHot", "floor": "Floor", "ceil": "Ceil", "round": "Round", "meshgrid": "Expand Reshape",
    "SiLU": "Sigmoid Mul Swish", "Hardswish": "HardSwish Mul HardSigmoid", "ReLU": "Relu", "ReLU6": "Clip Min Max",
    "Sigmoid": "Sigmoid", "Softmax": "Softmax", "Upsample": "Resize Upsample", "outer": "Mul Reshape",
}  # fmt: skip
_BY_NAME = {
    name: frozenset(found.split()) for names, found in _WRITTEN.items() for name in names.split()
}


def list_writes(event: Occurrence, exporter: str, opset: int) -> frozenset[str] | None:
    """The operators that an event may be written as, without those that only compute sizes for it.

    Empty where it writes nothing; None where that is not known.
    """
    if isinstance(event, Called):
        return _list_of_call(event, exporter, opset)
    if isinstance(event, Combined):
        if not (_is_traced(event.left) or _is_traced(event.right)):
            return frozenset()
        return frozenset(_OPERATIONS.get(event.operator, "").split())
    if isinstance(event, Compared):
        if not (_is_traced(event.left) or _is_traced(event.right)):
            return frozenset()
        return frozenset(_COMPARISONS.get(event.operator, "").split())
    if isinstance(event, Indexed) and not isinstance(event.held, (Constant, Number)):
        tensor = isinstance(event.held, Tensor)
        return frozenset(_INDEXED) if tensor else frozenset()
    if isinstance(event, ItemSet):
        return (
            frozenset(("ScatterND", "Where", "Expand"))
            if isinstance(event.held, Tensor)
            else frozenset()
        )
    if isinstance(event, AttributeRead):
        return _BY_NAME.get(event.attribute, frozenset())
    if isinstance(event, Repeated) and isinstance(event.over, Tensor):
        return _BY_NAME["unbind"]
    return frozenset()


_INDEXED = ("Gather", "Slice", "GatherND", "Unsqueeze", "Squeeze", "NonZero", "Shape")


def _list_of_call(event: Called, exporter: str, opset: int) -> frozenset[str] | None:
    name = event.name.removesuffix(".forward")
    measured = list_written(name, exporter, opset) or ()
    known = _BY_NAME.get(name.rpartition(".")[2])
    if not name.startswith("torch"):
        return frozenset()
    return None if known is None and not measured else frozenset((*measured, *(known or ())))


def _is_traced(value: Value) -> bool:
    """Whether an exporter sees what is computed of it: a tensor, or a number that sizes give."""
    plain = isinstance(value, Constant) or (isinstance(value, Number) and value.varies is False)
    return not plain
