"""What the class of an error, and the place that it comes from, tell where its words are not known."""

from __future__ import annotations

import pytest

from lintorch.messages import (
    Recognised,
    describe_class,
    describe_support,
    read_class,
    recognise,
    sharpen,
    unify_text,
)
from lintorch.messages.name_raiser import find_raiser
from lintorch.messages.read_converter import find_converted
from lintorch.messages.read_node import find_named

CONVERTERS = [
    (
        '  File "/site-packages/torch/onnx/symbolic_opset9.py", line 9, in repeat_interleave\nTypeError: x',
        "repeat_interleave",
    ),
    (
        '  File "/opt/coremltools/converters/mil/frontend/torch/ops.py", line 5, in convert_nodes\n'
        '  File "/opt/coremltools/converters/mil/frontend/torch/ops.py", line 99, in upsample_nearest2d\nTypeError: x',
        "upsample_nearest2d",
    ),
    ('  File "/lib/onnx2tf/ops/Gather.py", line 7, in make_node\nTypeError: x', "Gather"),
    (
        '  File "/lib/onnx_tf/handlers/backend/reduce_mean.py", line 7, in f\nKeyError: 1',
        "ReduceMean",
    ),
    ("~/lib/torch/onnx/symbolic_opset9.py in flatten(g, x)\nIndexError: x", "flatten"),
    ("File ~/lib/onnx2tf/ops/TopK.py:70, in make_node\nValueError: x", "TopK"),
    ('  File "/site-packages/torch/nn/modules/linear.py", line 7, in forward\nTypeError: x', ""),
]


@pytest.mark.parametrize(("text", "name"), CONVERTERS)
def test_the_operator_whose_converter_failed_is_read_off_the_frames(text: str, name: str) -> None:
    assert find_converted(unify_text(text)) == name


def test_an_unknown_error_of_a_converter_names_the_operator() -> None:
    text = unify_text(
        'File "/lib/site-packages/onnx2tf/ops/Gather.py", line 7, in make_node\nTypeError: bad operand'
    )
    told = describe_class(recognise(text)[0], text)
    assert told.operator == "Gather"
    assert "converted Gather" in told.kind.cause
    assert "operator-missing" in told.kind.rules


CLASSES = [
    ("run.py: error: argument --execution-provider: invalid choice: 'directml'", "command-line"),
    ("main.py: error: unrecognized arguments: --dynamic", "command-line"),
    (
        "Faulting module name: cudnn64_8.dll, version: 6.14, Exception code: 0xc0000409",
        "crash-module",
    ),
    (
        "#00 pc 000000000014b924  /vendor/lib64/hw/vulkan.adreno.so signal 11 (SIGSEGV)",
        "crash-module",
    ),
    ("error C2039: 'load': is not a member of 'torch::jit'", "compiling"),
    (
        "java.lang.NoSuchMethodError: no static method Lorg/pytorch/executorch/NativePeer",
        "java-release",
    ),
    ("zeInitDrivers called first, but not supported by driver", "device"),
    (
        "Exception thrown at 0x00007FF9C8CA58F0 (nvcuda64.dll) in main.exe: 0xC0000005: Access violation",
        "crash-module",
    ),
    (
        "System.NullReferenceException: Object reference not set to an instance of an object.",
        "object-kind",
    ),
    ("TypeError: '>' not supported between instances of 'str' and 'int'", "open-size-name"),
    (
        "Schema mismatch for score column 'Score': expected Single, got Vector<Single, 1, 1>",
        "record-schema",
    ),
]


def tell_class(text: str) -> Recognised:
    found = read_class(unify_text(text))
    assert found
    return found


@pytest.mark.parametrize(("text", "kind"), CLASSES)
def test_a_class_is_told_by_the_statement(text: str, kind: str) -> None:
    assert tell_class(text).kind.name == kind


def test_a_check_in_c_is_not_said_to_be_of_the_users_own_file() -> None:
    text = 'File "net.py", line 98, in <module>\n ... [15:47:10] /src/data_layout.cc:273: Check failed: a == b (0 vs. 4)'
    assert "file of yours" not in tell_class(text).kind.cause


def test_a_plain_error_of_a_known_program_says_how_to_learn_more_of_it() -> None:
    found = tell_class("onnxruntime: ort.InferenceSession\nRuntimeError: something odd")
    assert found.kind.name == "value"
    assert found.kind.remedy.startswith(found.runtime.more)


def test_words_of_the_standard_library_are_read_of_the_program_that_speaks() -> None:
    told = recognise(unify_text("[03/08/2024] [E] [TRT] 1: Unexpected exception _Map_base::at"))
    assert [each.kind.full_name for each in told] == ["tensorrt/unexpected-exception"]
    told = recognise(unify_text("torch.onnx.export(m, x, f)\nRuntimeError: unordered_map::at"))
    assert told[0].kind.full_name == "torch.onnx/lost-value"


def test_where_a_warning_comes_from_is_no_part_of_an_error() -> None:
    told = tell_class(
        "TypeError: Cannot read properties of undefined (reading 'apply')\n"
        "[W:onnxruntime:, session_state.cc:1169 VerifyEachNodeIsAssignedToAnEp] Some nodes were not assigned"
    )
    assert told.runtime.name == "onnxruntime"
    assert "external data" not in told.kind.cause


def test_a_translation_of_the_exporter_speaks_of_its_own_arguments() -> None:
    ends = "in _parse_arg\nValueError: only one element tensors can be converted to Python scalars"
    kinds = {
        path: recognise(unify_text(f'File "{path}", line 73, {ends}'))[0].kind.name
        for path in ("/lib/torch/onnx/symbolic_helper.py", "/home/me/net.py")
    }
    assert kinds == {
        "/lib/torch/onnx/symbolic_helper.py": "argument-of-many",
        "/home/me/net.py": "truth-of-many",
    }


def test_what_yields_to_something_yields_only_where_that_is_told() -> None:
    log = "torch._dynamo hit config.recompile_limit (8)\ntorch._dynamo.exc.FailOnRecompileLimitHit: recompile_limit reached with fullgraph=True"
    assert [each.kind.name for each in recognise(unify_text(log))] == ["recompiled"]


def test_a_type_in_a_printed_graph_is_no_error() -> None:
    log = (
        "torch.onnx: graph(%x : Float(1, 3)): %5 : ComplexFloat(4) = aten::linalg_eigvals(%4)\n"
        "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::linalg_eigvals' "
        "to ONNX opset version 20 is not supported"
    )
    assert recognise(unify_text(log))[0].kind.name == "unsupported-operator"


CUT = 'Traceback (most recent call last):\n  File "/lib/site-packages/torch/onnx/utils.py", line 9, in _export\n    proto = graph.export()\n'


def test_a_traceback_that_ends_before_its_error_is_told_as_such() -> None:
    told = read_class(unify_text(CUT))
    assert told is not None
    assert told.kind.name == "cut-traceback"
    assert "_export in torch/onnx/utils.py" in told.kind.cause


def test_a_cut_traceback_names_the_operator_and_a_name_that_went() -> None:
    head = "Traceback (most recent call last):\n"
    add = (
        head
        + '  File "/lib/site-packages/onnx2tf/ops/Add.py", line 9, in make_node\n    tf.math.add(\n'
    )
    told = read_class(unify_text(add))
    assert told is not None
    assert (told.kind.name, told.operator) == ("cut-traceback", "Add")
    gone = "File /lib/site-packages/gs/export.py:134\n--> 134  onnx.helper.float32_to_bfloat16\n"
    told = read_class(unify_text("AttributeError  Traceback (most recent call last)\n" + gone))
    assert told is not None
    assert "went with onnx 1.20" in told.kind.cause


NAMED = [
    ("compiler error: failed at /blocks/0/attn/MatMul_1", ("MatMul", "/blocks/0/attn/MatMul_1")),
    ("conversion failed for 'Reshape_448': bad shape", ("Reshape", "Reshape_448")),
    ("error: cannot read /home/me/models/Net", ("", "")),
    ("error: No such file /data/Add/Add_1.bin", ("", "")),
    ("failed to open C:/Users/Me/Split", ("", "")),
]


@pytest.mark.parametrize(("said", "named"), NAMED)
def test_a_node_is_told_by_the_form_of_its_name(said: str, named: tuple[str, str]) -> None:
    assert find_named(said) == named


def test_what_says_no_more_than_its_node_is_told_by_it() -> None:
    told = read_class("Execution aborting: giving up, failed near /blocks/0/attn/Softmax")
    assert told is not None
    assert told.operator == "Softmax"


@pytest.mark.parametrize("error", ["KeyError: 1", "AssertionError", "cv2.error: x", "_queue.Empty"])
def test_a_traceback_with_its_error_is_whole(error: str) -> None:
    told = read_class(unify_text(CUT + error))
    assert told is None or told.kind.name != "cut-traceback"


CRASHES = [
    ("signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0000000000000000", "null pointer"),
    ("signal 11 (SIGSEGV), code 2 (SEGV_ACCERR), fault addr 0x6e66cfe000", "may only be read"),
    ('comm=".acetrace" exe="/system/bin/app_process64" sig=7 res=1', "SIGBUS"),
    ("Fatal signal 6 (SIGABRT), code -6 in tid 12345", "Abort message"),
    ("[1] 36482 segmentation fault yolo export model=yolov8n.pt format=onnx", "while it exported"),
    ("executor_runner --model_path=m.pte\nAborted", "only if it was built with logging"),
    ("Segmentation fault (core dumped)", "can be tested"),
]


@pytest.mark.parametrize(("text", "told"), CRASHES)
def test_a_crash_is_told_by_its_signal_and_by_what_ran(text: str, told: str) -> None:
    assert told in tell_class(text).kind.cause


ASSERTIONS = [
    ('0 INTERNAL ASSERT FAILED at "torch/csrc/jit/ir/ir.cpp":518. 114 not in scope', "value 114"),
    (
        'r INTERNAL ASSERT FAILED at "../aten/src/ATen/core/jit_type_base.h":545',
        "in many ways",
    ),
    (
        'outputs_[i]->uses().empty()INTERNAL ASSERT FAILED at "../torch/csrc/jit/ir/ir.cpp":1286',
        "still used",
    ),
    (
        'curPos <= kUpperBound INTERNAL ASSERT FAILED at "../torch/csrc/jit/ir/ir.cpp":698',
        "most frequent first",
    ),
]


@pytest.mark.parametrize(("text", "told"), ASSERTIONS)
def test_an_assertion_of_torch_is_told_by_its_condition_and_file(text: str, told: str) -> None:
    text = unify_text(f"RuntimeError: {text}, please report a bug to PyTorch.")
    assert told in sharpen(recognise(text)[0], text).kind.cause


def test_a_log_that_ends_where_an_export_starts_tells_how_to_find_the_package() -> None:
    text = unify_text("ONNX: starting export with onnx 1.15.0 opset 17...\n")
    assert [each.kind.name for each in recognise(text)] == ["export-ends"]
    assert not recognise(unify_text(f"{text}\nONNX: export success 1.5s"))


RAISERS = [
    (
        'File "/v/lib/python3.11/site-packages/onnxruntime/quantization/calibrate.py", line 739, in collect\nTypeError: x',
        "collect (onnxruntime/quantization/calibrate.py, line 739)",
    ),
    (
        "C:\\v\\lib\\site-packages\\onnx\\helper.py:497: in make_tensor\nValueError: x",
        "make_tensor (onnx/helper.py, line 497)",
    ),
    (
        "~/v/lib/python3.8/site-packages/onnx/helper.py in make_node(op)\nValueError: x",
        "make_node (onnx/helper.py)",
    ),
    (
        'File "/v/site-packages/onnx/helper.py", line 7, in make_node\nFile "/home/me/net.py", line 3, in f\nValueError: x',
        "",
    ),
]


@pytest.mark.parametrize(("text", "raiser"), RAISERS)
def test_the_function_of_a_package_that_raised_is_read_off_the_last_frame(
    text: str, raiser: str
) -> None:
    unified = unify_text(text)
    assert find_raiser(unified, unified.index("Error: x")) == raiser


def test_an_unknown_error_of_a_package_tells_its_part_and_the_function() -> None:
    told = tell_class(RAISERS[0][0])
    assert told.runtime.name == "onnxruntime"
    assert "the calibration of static quantization" in told.kind.cause
    assert "raised in collect (onnxruntime/quantization/calibrate.py, line 739)" in told.kind.cause


def test_an_error_of_any_program_is_not_said_to_be_of_torch() -> None:
    assert tell_class("RuntimeError: the licence has run out").runtime.name == "any"
    assert tell_class("RuntimeError: a tensor of nobody was refused").runtime.name == "torch"


def test_a_library_whose_name_begins_like_a_program_is_another() -> None:
    assert tell_class("RuntimeError: quantized engine QNNPACK refused it").runtime.name != "qnn"


def test_a_checkout_of_a_known_program_is_no_file_of_the_users() -> None:
    text = "File \"/src/onnxruntime/python/tools/quantization/calibrate.py\", line 152, in f\nKeyError: 'a'"
    assert "file of yours" not in tell_class(text).kind.cause


def test_an_error_in_a_packages_code_is_not_laid_on_the_part_that_was_imported() -> None:
    told = tell_class(
        'File "/v/site-packages/executorch/backends/xnnpack/__init__.py", line 7, in <module>\n'
        "TypeError: 'staticmethod' object is not callable"
    )
    assert "newer Python" in told.kind.cause
    assert "partitioner" not in told.kind.cause


def test_a_check_of_any_program_asks_for_no_file_of_a_model() -> None:
    told = tell_class("AssertionError: the two lists have to be sorted")
    assert told.runtime.name == "any"
    assert "onnxsim" not in told.kind.remedy


def test_a_node_of_an_unknown_message_brings_what_the_tables_tell_of_its_operator() -> None:
    text = unify_text("[E] [TRT] odd state of node /encoder/layer.3/GridSample_1 error")
    told = describe_class(recognise(text)[0], text)
    assert told.operator == "GridSample"
    assert "tensorrt takes it since 8.5" in describe_support(told)


WORDS = [
    # casper-hansen/AutoAWQ/issues/370
    (
        "AssertionError: Marlin kernels are not installed. Please install AWQ compatible Marlin kernels from AutoAWQ_kernels.",
        "ask for the kernels `Marlin`",
    ),
    # openvinotoolkit/nncf/issues/3033
    (
        "RuntimeError: CUDA is available for PyTorch, but NNCF could not compile GPU quantization extensions.",
        "NNCF brings sources of C++ and CUDA",
    ),
    # openvinotoolkit/nncf/issues/2018
    (
        "RuntimeError: More than one node in NNCFGraph matches name Constant_9789",
        "have the name `Constant_9789`",
    ),
    # vllm-project/vllm/pull/13119
    (
        "ValueError: Weight input_size_per_partition = 10944 is not divisible by min_thread_k = 128. Consider reducing tensor_parallel_size",
        "has to be a multiple of min_thread_k = 128",
    ),
    # AutoGPTQ/AutoGPTQ/issues/584
    (
        "ValueError: `infeatures` must be divisible by 128 and `outfeatures` by 256.",
        "infeatures has to be a multiple of 128",
    ),
    # AutoGPTQ/AutoGPTQ/issues/581
    (
        "ValueError: QuantLinear() does not have a parameter or a buffer named g_idx.",
        "holds a tensor `g_idx` for a `QuantLinear`",
    ),
    # ModelCloud/GPTQModel/issues/1361
    ("RuntimeError: Invalid MNK = [0, 1408, 2048]", "called with no rows"),
    # huggingface/optimum/issues/1190
    ("TypeError: object of type 'property' has no len()", "len() was given a `property`"),
]


@pytest.mark.parametrize(("text", "told"), WORDS)
def test_the_words_of_an_unknown_error_say_more_than_its_class(text: str, told: str) -> None:
    assert told in tell_class(text).kind.cause


def test_a_status_that_alone_is_known_is_told_by_its_words() -> None:
    text = unify_text(
        "ORT_RUNTIME_EXCEPTION - message: Exception during initialization: unordered_map::at: key not found"
    )
    (found,) = recognise(text)
    assert found.kind.full_name == "onnxruntime/status"
    assert "looked a name or number up" in sharpen(found, text).kind.cause


TYPES = [
    ("filter->type != kTfLiteFloat32 (10 != 1)", "are float16"),
    ("input->type != kTfLiteFloat32 (4 != 1)", "is int64 or bool"),
    ("input->type != kTfLiteFloat32 (9 != 1)", "is quantized"),
]


@pytest.mark.parametrize(("check", "told"), TYPES)
def test_the_type_of_a_tensor_is_read_off_its_number(check: str, told: str) -> None:
    text = unify_text(
        f"fully_connected.cc:105 {check}\nNode number 155 (FULLY_CONNECTED) failed to prepare."
    )
    (found,) = recognise(text)
    assert found.operator == "FULLY_CONNECTED"
    assert told in sharpen(found, text).kind.cause


LOGGED = [
    (
        "op_index_put.cpp:168] Special case in-place index_put does not support accumulate",
        "aten::index_put",
        "the kernel of one operator",
    ),
    ("repeat_util.cpp:44] The dimension of out shall equal size of repeats", "", "kernels"),
    ("method_meta.cpp:230] internal value index 4 out of range", "", "reads the .pte"),
    ("XNNExecutor.cpp:43] Internal Error: 3 != 2", "", "a backend on the device"),
    ("op_sdpa.cpp:44] expected 4d", "", "language models"),
]


@pytest.mark.parametrize(("line", "operator", "told"), LOGGED)
def test_a_line_of_executorchs_log_is_told_by_its_file(line: str, operator: str, told: str) -> None:
    found = tell_class(f"E 00:00:00.001234 executorch:{line}")
    assert found.runtime.name == "executorch"
    assert found.operator == operator
    assert told in found.kind.cause


OF_MNN = [
    ("Resize error for type = Convolution, name = /c1/Conv_output_0", "layer-resize"),
    ("Convolution Input ERROR!", "converter-form"),
    ("Vulkan don't support for /a/Add, type=BinaryOp, Special case", "backend-form"),
    ("MNN_QNN: Not supported Binary type.", "backend-form"),
]


@pytest.mark.parametrize(("text", "kind"), OF_MNN)
def test_what_mnn_prints_is_known_for_its_own(text: str, kind: str) -> None:
    (found,) = recognise(unify_text(text))
    assert found.kind.full_name == f"mnn/{kind}"


SAID = [
    (
        "ValueError: Unknown model type: mistral. Available ones: ['llama']",
        "models of the kind `mistral`",
    ),
    ("ValueError: Model type mistral3 not supported.", "models of the kind `mistral3`"),
    ("Exception: ERROR: Unsupported layer type: QConv2D", "operator or layer `QConv2D`"),
    (
        "ValueError: Unsupported mode: 'area', expected one of ['linear', 'nearest']",
        "it lists those that it does: ['linear', 'nearest']",
    ),
    ("ValueError: Expected 4D tensor for q, got 3D", "expected 4D tensor for q, and got 3D"),
    (
        "ValueError: damp must be between 0 and 1, got 2",
        "damp must be between 0 and 1; it got 2",
    ),
    (
        "ValueError: backend only supports quantize to 4 bits.",
        "in which: backend only supports quantize to 4 bits.",
    ),
    (
        "RuntimeError: The observer has not been initialized.",
        "another order than the program wants, or one is missing",
    ),
    (
        "AssertionError: assert torch.isnan(w).sum() == 0",
        "values that are no numbers",
    ),
]


@pytest.mark.parametrize(("text", "told"), SAID)
def test_the_sentence_of_an_error_is_read_where_no_kind_is_known(text: str, told: str) -> None:
    assert told in tell_class(text).kind.cause


UNSAID = [
    ("KeyError: No calibration dataset defined for this run.", "no entry No"),
    (
        "System.FormatException: bytes in what should have been an encoded integer.",
        "A check of the program",
    ),
    ("NotImplementedError: This method must be implemented in subclasses.", "A check of"),
]


@pytest.mark.parametrize(("text", "untold"), UNSAID)
def test_a_sentence_that_asks_for_nothing_is_not_taken_for_a_condition(
    text: str, untold: str
) -> None:
    assert untold not in tell_class(text).kind.cause


def test_what_an_error_advises_stands_first_in_the_remedy() -> None:
    text = "GraphNotReadyException: The opened graph must be quantized. Run the aquant command."
    advised = tell_class(text).kind.remedy
    assert advised.startswith("as the message itself says: Run the aquant command;")


@pytest.mark.parametrize(
    "advice", ["Please report a bug to the project.", "Please see the log for more information."]
)
def test_advice_that_changes_nothing_is_not_repeated(advice: str) -> None:
    remedy = tell_class(f"ValueError: the lr is odd. {advice}").kind.remedy
    assert "as the message itself says" not in remedy
