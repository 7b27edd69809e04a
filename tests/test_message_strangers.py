"""Words of other programs, of graphs that are printed and of hints, which are near to a known message and mean another thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lintorch.messages import read_class, recognise, unify_text
from lintorch.messages.message_kinds import parse_toml

APART = Path(__file__).parent / "messages" / "strangers" / "without_export.toml"

STRANGERS = [
    (
        "torch.export/shapes-structure",
        "ValueError: Unexpected input shape (1, 3, 224) for the patch embedding",
    ),
    ("torch.export/shapes-structure", "TypeError: expected key of type 'str', got 'int'"),
    ("torch.export/input-kind", "TypeError: Unsupported input type float64. Use float32."),
    (
        "torch.export/fake-tensor",
        "RuntimeError: The tensor has a non-zero number of elements, but its data is not allocated yet. Caffe2 uses a lazy allocation, so you will need to call mutable_data() or raw_mutable_data() to actually allocate memory.",
    ),
    (
        "torch.export/constraints-violated",
        "Error: the driver is too old. Suggested fixes: reinstall it",
    ),
    ("torch.export/runtime-assertion", "Error: Runtime assertion failed: device count is 0"),
    ("torch.export/input-guard", "ValueError: Guard failed: the prompt holds a banned word"),
    (
        "torch.export/cond-branches",
        "torch._dynamo.exc.Unsupported: Data-dependent branching Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing dynamic control flow. Hint: This graph break is fundamental - it is unlikely that Dynamo will ever be able to trace through your code. Consider finding a workaround. Hint: Use `torch.cond` to express dynamic control flow. Developer debug context: attempted to jump with TensorVariable() For more details about this graph break, please visit: unsupported",
    ),
    (
        "torch.export/gradients-inside",
        "UserWarning: Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause a memory leak. RuntimeError: CUDA error: an illegal instruction was encountered",
    ),
    (
        "torch.export/builtin-call",
        "@functools.wraps(func) def wrapper(*args): return func(*args) ValueError: bad value 3",
    ),
    ("torch.export/object-made", "RuntimeError: reconstruction failure: 3 cameras are left"),
    ("torch.export/branch-function", "error: cannot reach next HOP: 10.0.0.1 is unreachable"),
    (
        "torch.export/numpy-inside",
        "TypeError: cannot convert numpy.ndarray to Tensor of kind string",
    ),
    (
        "torch.export/numpy-inside",
        "TypeError: ndarray.astype() got an unexpected keyword argument 'kind'",
    ),
    (
        "torch.export/subclass-tensor",
        "RuntimeError: the collective does not support sparse tensor inputs",
    ),
    ("torch.export/size-bounds", "error: Invalid value 5 for range [0, 3]"),
    (
        "torch.export/asserted-data",
        "RuntimeError: PyTorch convert function for op '_assert_async' not implemented.",
    ),
    ("torch.export/asserted-data", "NotImplementedError: no converter for aten::_assert_async.msg"),
    ("torch.export/kernel-resources", "cl::Error: out of resource: CL_OUT_OF_RESOURCES"),
    (
        "torch.export/package-kernels",
        "RuntimeError: Error in dlopen: libnvrtc.so.12: cannot open shared object file: No such file or directory",
    ),
    ("torch.export/literal-symbol", "AttributeError: 'Integer' object has no attribute 'name'"),
    (
        "torch.export/data-dependent-operator",
        "%_local_scalar_dense : [num_users=1] = call_function[target=torch.ops.aten._local_scalar_dense.default](args = (%select,), kwargs = {}) RuntimeError: something else failed",
    ),
    ("torch.onnx/complex", "RuntimeError: expected scalar type ComplexFloat but found Float"),
    (
        "torch.onnx/complex",
        "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'ComplexHalf' ComplexFloat",
    ),
    (
        "torch.onnx/export-argument",
        "File \"/x/site-packages/optimum/exporters/onnx/__main__.py\", line 3, in main TypeError: export() got an unexpected keyword argument 'atol'",
    ),
    (
        "torch.onnx/export-argument",
        "TypeError: YOLO.export() got an unexpected keyword argument 'nms_free'",
    ),
    ("torch.onnx/form-lacking", "RuntimeError: repeats must be 0-dim or 1-dim tensor"),
    ("torch.onnx/form-lacking", "ValueError: Unsupported rounding mode: half_up"),
    (
        "torch.onnx/dynamic-axes",
        "UserWarning: # 'dynamic_axes' is not recommended when dynamo=True, and may lead to 'torch._dynamo.exc.UserError: Constraints violated.' Supply the 'dynamic_shapes' argument instead if export is unsuccessful. torch.onnx._internal.exporter._errors.ConversionError: No ONNX function found for <OpOverload(op='aten.foo', overload='default')>",
    ),
    ("torchscript/unknown-type", "TypeError: Unsupported annotation type of field x in this model"),
    (
        "torchscript/cast",
        "import tensorrt as trt RuntimeError: Unable to cast Python instance of type <class 'numpy.ndarray'> to C++ type 'unsigned long'",
    ),
    ("torchscript/argument-type", "error: expected at most 1 argument"),
    ("torchscript/argument-type", "Error: Argument model not provided."),
    ("torchscript/one-branch", "error: undefined value for the option threads"),
    (
        "torchscript/list-size",
        "SyntaxWarning: tuple unpacking in lambda. ValueError: 3 is too many",
    ),
    (
        "torchscript/unsupported-syntax",
        "django.db.utils.NotSupportedError: deterministic=True requires SQLite 3.8.3",
    ),
    (
        "torchscript/unsupported-syntax",
        "DOMException NotSupportedError: The operation is not supported.",
    ),
    ("torchscript/unsupported-syntax", "Error: generic functions aren't supported on this device"),
    (
        "torchscript/traced-input",
        "ValueError: 2 keys are missing in example inputs of the data set",
    ),
    ("torchscript/trace-differs", "Error: output nr 3 of the camera is not connected"),
    (
        "torchscript/compiled-method",
        'File "/x/site-packages/triton/runtime/jit.py", line 3, in __init__ OSError: could not get source code',
    ),
    ("torchscript/file-version", "Error: Wrong bytecode version. Expected 89 but got 76"),
    ("torchscript/module-file", "E RKNN: open file failed: model.rknn"),
    (
        "torchscript/scripted-object",
        'File "/x/lib/python3.10/inspect.py", line 3, in getfile TypeError: module, class, method, function, traceback, frame, or code object was expected, got partial',
    ),
    (
        "torchscript/own-error",
        "%5 : NoneType = prim::RaiseException(%3) RuntimeError: something else failed",
    ),
    (
        "torchscript/older-compiler",
        "File \"a.py\", line 3, in build_dataset n = len(rows) TypeError: object of type 'NoneType' has no len()",
    ),
    (
        "torchscript/gpu-kernel-text",
        "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in CUDA_ERROR_UNSUPPORTED_PTX_VERSION a PTX JIT compilation failed",
    ),
    ("torch.export/graph-state", "ValueError: torch.Generator.seed() wants a device"),
    (
        "torch.export/no-fake",
        "NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'Meta' backend",
    ),
    ("torchscript/recursion", "Error: the callback is called recursively"),
    ("torchscript/list-types", "TypeError: list type annotation wants one argument"),
    (
        "torch.export/inference-tensor",
        'File "train.py", line 3, in <module> loss.backward() RuntimeError: Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in autograd.',
    ),
    (
        "torch.onnx/recurrent-batch",
        "UserWarning: Exporting a model to ONNX with a batch_size other than 1, with a variable length with LSTM can cause an error when running the ONNX model with a different batch size. torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::fft_fft2' to ONNX opset version 17 is not supported",
    ),
    (
        "torch.onnx/training-mode",
        "UserWarning: You are exporting the model while it is in training mode. torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::fft_fft2' to ONNX opset version 17 is not supported",
    ),
    ("torchscript/file-version", "ls: constants.pkl data.pkl version"),
    (
        "torch.export/numpy-inside",
        "AttributeError: 'numpy.ndarray' object has no attribute 'append'",
    ),
    (
        "torch.export/became-constant",
        "error: this class cannot be dynamic, its members have been specialized before",
    ),
    (
        "torch.export/attribute-written",
        "ValueError: the following attrs were created in the model registry: name",
    ),
    ("torch.export/cond-branches", "Merge error: expected the branch true_fn to exist"),
    ("torch.export/packaged-program", "HTTP error: API call failed at 10:03"),
    ("torchscript/no-forward", "RuntimeError: Method 'POST' is not defined"),
    ("torchscript/missing-header", "error: no member named 'load' in namespace 'json'"),
    ("torchscript/changed-type", "json: type mismatch: name is set to type int"),
    ("torchscript/builtin-op", "search: Could not find any similar ops to those of yours"),
    ("torchscript/older-file", "error: driver is below the minimum supported version"),
    ("torchscript/mobile-operators", "dlopen failed: library libvision.so not found"),
    (
        "torchscript/traced-input",
        "ValueError: dictionary inputs are supported as inputs or outputs of the service",
    ),
    ("torchscript/type-comment-form", "SyntaxError: syntax error in type annotation of field x"),
    (
        "torch.onnx/no-user",
        "KeyError: 'getpwuid(): uid not found: 1000' File \"/x/site-packages/gradio/a.py\", line 2",
    ),
    (
        "coreml/prediction-shape",
        "AssertionError: The shape of the input(BoolTensor) 3 does not match the shape of the indexed tensor in results_field 3",
    ),
    ("coreml/scalar-array", "TypeError: only length-1 arrays can be converted to Python scalars"),
    ("executorch/backend-missing", "ValueError: Backend flash is not registered."),
    ("onnx/inference", "SchemaInferenceError: Please pass `features` or at least one example"),
    ("onnx/no-model", "DecodeError: Error parsing message: too many levels of nesting."),
    ("onnxruntime/gather-index", "error: Internal error: tile index out of bounds."),
    ("onnxruntime/gather-index", "ERR index out of bounds"),
    ("onnxruntime/nms-boxes", "ValueError: The input_boxes must be a 3D tensor. got 3."),
    ("onnxruntime/no-such-file", "db file doesn't exist; use 'c' or 'n' flag to create a new db"),
    ("onnxruntime/split", "AssertionError: sum of splits should larger than 0.0!"),
    (
        "onnxruntime/broken-graph",
        "terminate called after throwing an instance of 'std::out_of_range' what(): vector::_M_range_check: __n (which is 2) >= this->size() (which is 3)",
    ),
    ("onnxruntime/memory", "terminate called after throwing an instance of 'std::bad_alloc'"),
    (
        "onnxruntime/symbolic-shapes",
        "WARNING - Symbolic shape inference Failed. Exception: Incomplete symbolic shape inference.. Running normal shape inference.",
    ),
    (
        "openvino/element-types",
        "error: Output element type must be i32 vector for i1 vector inputs.",
    ),
    (
        "openvino/npu",
        "torch._inductor.exc.InductorError: RuntimeError: ZE_RESULT_ERROR_INVALID_KERNEL_NAME",
    ),
    ("openvino/onednn-primitive", "RuntimeError: could not create a primitive"),
    ("rknn/node", "NotImplementedError: Unsupported op type: 3"),
    ("tensorrt/assertion", "*** Assertion failed: Reshard table != number of slots"),
    ("tensorrt/concat", "the concatenation axis must match exactly, but along dimension 0"),
    ("tensorrt/data-type", "GpuIndexCagra::copyFrom unsupported data type"),
    (
        "tensorrt/dynamic-norm",
        "The input tensor channel dimension must be 1 or 3 when topk is less than 1",
    ),
    ("tensorrt/einsum", "Transpose of Einsum with multiple linear inputs is not supported."),
    ("tensorrt/int32-range", "Index type only support int32 or int64."),
    (
        "tensorrt/matmul",
        "Inner dimensions must be equal, but received `x1.shape=3` and `x2.shape=4`.",
    ),
    ("tensorrt/memory", "Error allocating aligned memory: out of memory"),
    ("tensorrt/model-file", "Failed to open file: settings.pb"),
    ("tensorrt/operand-types", "Input and output weights must have same type"),
    ("tensorrt/resize", "With align_corners = True, the output can depend on the input size."),
    (
        "tensorrt/too-large",
        "Size of tensor you are trying to allocate is larger than 2^31 elements.",
    ),
    ("torch.export/data-dependent-operator", "Whether the graph contains dynamic shape operators."),
    (
        "torch.onnx/training-mode",
        "ValueError: Cannot pass `adapter_names` when the model is in training mode.",
    ),
    ("torch.onnx/too-large", "RuntimeError: Could not allocate bytes object!"),
    ("torch.onnx/dynamic-axes", "the axes were taken from `dynamic_axes` of the settings"),
    (
        "torch.onnx/per-channel",
        "RuntimeError: clone for quantized Tensor only works for PerTensorAffine scheme right now",
    ),
    (
        "torchscript/undefined-tensor",
        'File "train.py", line 3, in step loss.backward() RuntimeError: sizes() called on an undefined Tensor',
    ),
    ("torchscript/phone-file", "Fatal error: Failed to load model!: MLModel could not be made"),
    ("torch/mps-type", "RuntimeError: Tensor parallelism is not supported on MPS devices."),
    ("torch/checkpoint-metadata", "java.io.FileNotFoundException: /home/me/work/.metadata/.log"),
    ("torchscript/no-attribute", "AttributeError: Module 'scipy' has no attribute 'misc'"),
]


@pytest.mark.parametrize(("kind", "text"), STRANGERS)
def test_near_words_are_not_taken_for_a_message(kind: str, text: str) -> None:
    assert kind not in {each.kind.full_name for each in recognise(unify_text(text))}


@pytest.mark.parametrize("case", parse_toml(APART)["stranger"], ids=lambda case: case["address"])
def test_what_is_of_no_export_is_not_answered_as_one(case: dict[str, str]) -> None:
    text = unify_text(case["text"])
    assert {each.runtime.name for each in recognise(text)} <= {"torch"}
    told = read_class(text)
    assert case.get("whose", "") in (told.kind.cause if told else "")


def test_where_an_exporter_or_a_runtime_is_named_a_build_is_no_stranger() -> None:
    text = "ERROR: Failed building wheel for onnxruntime-gpu"
    told = read_class(unify_text(text))
    assert told is not None
    assert told.kind.name != "no-export"
