"""What a message's own words and numbers tell, and which program it is of."""

from __future__ import annotations

import pytest

from lintorch.messages import describe_class, read_class, recognise, sharpen, unify_text

STATE = "RuntimeError: Error(s) in loading state_dict for Net: "
SHAPES = (
    "size mismatch for fc.{}: copying a param with shape torch.Size([{}]) from checkpoint, "
    "the shape in current model is torch.Size([{}])."
)
KEYS = [
    (
        'Missing key(s) in state_dict: "a.weight". Unexpected key(s) in state_dict: "a.weight_orig", "a.weight_u", "a.weight_v".',
        "saved with torch.nn.utils.spectral_norm on its weights, as `a.weight`",
    ),
    (
        'Missing key(s) in state_dict: "a.weight_orig", "a.weight_u", "a.weight_orig", "a.weight_v". Unexpected key(s) in state_dict: "a.weight".',
        "The model has torch.nn.utils.spectral_norm",
    ),
    (
        'Missing key(s) in state_dict: "a.weight". Unexpected key(s) in state_dict: "a.weight_orig", "a.weight_mask".',
        'state.pop("a.weight_orig") * state.pop("a.weight_mask")',
    ),
    (
        'Missing key(s) in state_dict: "weight". Unexpected key(s) in state_dict: "parametrizations.weight.original", "parametrizations.weight.0._u", "parametrizations.weight.0._v".',
        "torch.nn.utils.parametrizations.spectral_norm on its weights, as `weight`",
    ),
    (
        'Missing key(s) in state_dict: "a.weight_g", "a.weight_v". Unexpected key(s) in state_dict: "a.parametrizations.weight.original0", "a.parametrizations.weight.original1".',
        "original0 and original1 there are weight_g and weight_v here",
    ),
    (
        'Missing key(s) in state_dict: "a.weight". Unexpected key(s) in state_dict: "a.parametrizations.weight.original".',
        "saved with a parametrization",
    ),
    (
        'Missing key(s) in state_dict: "b.weight". Unexpected key(s) in state_dict: "a.weight_g".',
        "The checkpoint is of another model",
    ),
    (
        " ".join(SHAPES.format(f"{n}.weight", "96, 1, 11, 11", "96, 1, 9, 9") for n in range(3)),
        "(size of kernels): `fc.0.weight` is [96, 1, 11, 11] in the file",
    ),
    (
        'Missing key(s) in state_dict: "a.weight", "b.weight". '
        'Unexpected key(s) in state_dict: "module.a.weight", "module.b.weight".',
        'k.removeprefix("module.")',
    ),
    (
        'Missing key(s) in state_dict: "net.a.weight". Unexpected key(s) in state_dict: "a.weight".',
        '"net." + k',
    ),
    ('Unexpected key(s) in state_dict: "model", "optimizer", "epoch".', 'checkpoint["model"]'),
    ('Unexpected key(s) in state_dict: "bn1.num_batches_tracked".', "since 0.4.1"),
    ('Missing key(s) in state_dict: "e.position_ids".', "no weight is missing"),
    ('Missing key(s) in state_dict: "head.weight".', "the file does not have, as `head.weight`"),
    ('Unexpected key(s) in state_dict: "head.weight".', "which has more, as `head.weight`"),
    ('Unexpected key(s) in state_dict: "fc.weight", "fc.bias".', "a model that gives features"),
    ('Unexpected key(s) in state_dict: "a.bias", "b.bias".', "made with bias=False"),
    ('Missing key(s) in state_dict: "a.bias", "b.bias".', "have one in the model and none"),
    (
        'Missing key(s) in state_dict: "a.3.1.weight". Unexpected key(s) in state_dict: "a.3.weight".',
        "the same layers under other names",
    ),
    (
        SHAPES.format("weight", "1000, 512", "10, 512") + " " + SHAPES.format("bias", 1000, 10),
        "has 1000 rows in the file and 10 in the model",
    ),
    (SHAPES.format("weight", "10, 512", "10, 256"), "The checkpoint is of another model"),
    (
        'Missing key(s) in state_dict: "a.b". Unexpected key(s) in state_dict: "c.d".',
        "is of another",
    ),
]


@pytest.mark.parametrize(("said", "told"), KEYS)
def test_keys_tell_what_the_checkpoint_is(said: str, told: str) -> None:
    assert told in tell_cause(STATE + said)


FACTS = [
    ("No Op registered for AddV2 with domain_version of 11", "No opset of ONNX has an operator AddV2"),
    ("No Op registered for Gelu with domain_version of 11", "came with a later opset"),
    (
        "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : something new",
        "no kernel of an operator of the file",
    ),
    ("Attempting to broadcast an axis by a dimension other than 1. 80 by 81", "by rounding"),
    ("Attempting to broadcast an axis by a dimension other than 1. 0 by 1", "nothing was found"),
    (
        "OnnxRuntimeException: '[ErrorCode:InvalidArgument] Failed to load model with error: core/graph/",
        "The file itself is not taken",
    ),
    ("AttributeError: 'ONNXProgram' object has no attribute 'save_diagnostics'", "went with torch 2.6"),
    ("[TensorRT] ERROR: (Unnamed Layer* 7) [New]: is odd\n[TensorRT] ERROR: Network must have at least one output", "not known here"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), FACTS)
def test_words_and_numbers_tell_more_than_their_kind(text: str, told: str) -> None:
    assert told in tell_cause(text)


def test_sizes_that_are_far_apart_are_no_rounding() -> None:
    assert "rounding" not in tell_cause(
        "Attempting to broadcast an axis by a dimension other than 1. 9 by 505"
    )


def test_words_of_another_program_are_not_taken_for_its_own() -> None:
    web = "Error: unsupported data type: FLOAT16 at ort-wasm-simd.wasm"
    assert recognise(unify_text(web)) == ()


OWN_WORDS = [
    ("PyTorch convert function for op 'lift_fresh' not implemented.", "coreml/no-convert-function"),
    ("layer Conv not exists or registered", "ncnn/layer-not-registered"),
    ("No importer registered for op: PRelu", "tensorrt/no-plugin"),
    ("Unsupported function types ['mm.default']", "tvm/torch-operator"),
]


@pytest.mark.parametrize(("text", "kind"), OWN_WORDS)
@pytest.mark.parametrize("noise", ["onnxruntime==1.16.0\ntensorrt==8.6\nopenvino==2023.1\n", ""])
def test_a_message_by_its_own_words_is_known_beside_names_of_other_programs(
    text: str, kind: str, noise: str
) -> None:
    log = f"{noise}{text}\nI tried onnxruntime and trtexec, too.\n"
    assert recognise(unify_text(log))[0].kind.full_name == kind


def test_an_error_in_a_file_of_yours_is_of_no_program() -> None:
    traceback = (
        'File "/home/me/onnxruntime_demo/main.py", line 63, in main\n'
        "AttributeError: 'NoneType' object has no attribute 'lower'"
    )
    found = read_class(unify_text(traceback))
    assert found
    assert found.runtime.name == "any"
    assert "ends in a file of yours" in found.kind.cause


def tell_cause(text: str) -> str:
    unified = unify_text(text)
    return sharpen(recognise(unified)[0], unified).kind.cause


COMPILE = "torch._dynamo.exc.Unsupported: Attempted to call function marked as skipped"
SPEAKERS = [
    (f"{COMPILE}\nfrom user code: File 'net.py'", "torch.compile", "@torch.compiler.disable"),
    (
        "torch._dynamo.exc.UserError: Constraints violated (height)! For more information, run with TORCH_LOGS",
        "torch.export",
        "Suggested fixes",
    ),
    (
        "torch/_dynamo/guards.py ConstraintViolationError: Constraints violated (L['x'].size()[0])!",
        "torch.compile",
        "Suggested fixes",
    ),
    (f"ep = torch.export.export(net, args)\n{COMPILE}", "torch.export", "strict=False"),
]


@pytest.mark.parametrize(("text", "title", "remedy"), SPEAKERS)
def test_compile_and_export_are_told_apart(text: str, title: str, remedy: str) -> None:
    unified = unify_text(text)
    found = sharpen(recognise(unified)[0], unified)
    assert found.runtime.title == title
    assert remedy in found.kind.remedy


def test_a_package_that_is_not_loaded_is_of_no_program() -> None:
    said = (
        "python test_qnn_delegate.py: ImportError: cannot import name 'Constraint' from "
        "'torch._dynamo.eval_frame' (/site-packages/torch/_dynamo/eval_frame.py)"
    )
    text = unify_text(said)
    found = describe_class(recognise(text)[0], text)
    assert found.runtime.name == "any"
    assert found.kind.name == "package-release"


def test_short_words_of_a_program_stand_at_the_head_of_a_word() -> None:
    found = read_class(unify_text("at OnnxModelScorer.Load: System.InvalidOperationException: no"))
    assert found is None or found.runtime.name != "vitis"


def test_a_marked_line_is_told_before_the_check_that_follows() -> None:
    log = (
        "I 00:00:00.1 executorch:runner.cpp:1] begun\n"
        "E 00:00:00.2 executorch:data.cpp:9] file not found: x.bin\n"
        "F 00:00:00.3 executorch:result.h:170] In function CheckOk(), assert failed: hasValue_\nAborted"
    )
    found = read_class(unify_text(log))
    assert found
    assert found.kind.name == "file-missing"


ADAPTER = "size mismatch for q.lora_{}.weight: copying a param with shape torch.Size([{}]) from checkpoint, the shape in current model is torch.Size([{}])."


def test_adapters_of_another_rank_are_told() -> None:
    shapes = ADAPTER.format("A", "16, 64", "8, 64") + " " + ADAPTER.format("B", "64, 16", "64, 8")
    assert "of rank 16 in the file and 8 in the model" in tell_cause(STATE + shapes)


def test_words_behind_what_are_told_before_the_abort_that_follows() -> None:
    ended = "terminate called\n  what():  Model config doesn't exist\nAborted (core dumped)"
    found = read_class(unify_text(ended))
    assert found
    assert found.kind.name == "file-missing"


SYMPTOMS = [
    "[E] Error[4]: [network.cpp::validate::2671] Error Code 4: Internal Error (Network must have at least one output)",
    "deserialize_cuda_engine(): incompatible function arguments. Invoked with: <tensorrt.Runtime object>, None",
    "AttributeError: 'NoneType' object has no attribute 'num_io_tensors'",
]


@pytest.mark.parametrize("text", SYMPTOMS)
def test_what_only_follows_from_another_error_is_said_to(text: str) -> None:
    assert "only follows from" in tell_cause(text)


@pytest.mark.parametrize(
    "text",
    [
        "subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 1.",
        "concurrent.futures.process.BrokenProcessPool: A process was terminated abruptly",
        "ONNX: export failure 0.5s: see above",
    ],
)
def test_a_line_of_a_tool_without_a_reason_is_a_symptom(text: str) -> None:
    found = read_class(unify_text(text))
    assert found
    assert "A symptom only" in found.kind.cause


def test_the_mode_of_an_instance_norm_is_harmless_and_of_a_batch_norm_not() -> None:
    said = "ONNX export mode is set to TrainingMode.EVAL, but operator '{}' is set to train=True."
    (instance,) = recognise(unify_text(said.format("instance_norm")))
    assert instance.kind.rank == "note"
    both = recognise(unify_text(said.format("instance_norm") + said.format("batch_norm")))
    assert [each.kind.rank for each in both] == ["cause", "note"]


NUMPY = "Module 'Net' has no attribute 'n' (This attribute exists on the Python module, but we failed to convert Python type: '{}' to a TorchScript type. Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced functions, but instead got value of type {}..)"


@pytest.mark.parametrize(
    "types", [("numpy.int64", "int64"), ("list", "int64"), ("numpy.float32", "float32")]
)
def test_a_number_of_numpy_is_told_from_other_attributes(types: tuple[str, str]) -> None:
    found = recognise(unify_text(NUMPY.format(*types)))
    assert [each.kind.name for each in found] == ["numpy-attribute"]
    other = recognise(unify_text(NUMPY.format("Config", "Config")))
    assert [each.kind.name for each in other] == ["no-attribute"]


OWN_OPERATORS = [
    "Fatal error: com.microsoft:MatMulNBits(-1) is not a registered function/op",
    "onnxruntime: Error No Op registered for SimplifiedLayerNormalization with domain_version of 14",
]


@pytest.mark.parametrize("text", OWN_OPERATORS)
def test_an_operator_of_onnx_runtime_itself_wants_another_build(text: str) -> None:
    assert "an operator of ONNX Runtime itself" in tell_cause(text)


def test_an_operator_of_another_domain_wants_its_library() -> None:
    said = "Fatal error: mmdeploy:grid_sampler(-1) is not a registered function/op"
    assert "one that a library registers" in tell_cause(said)


def test_an_app_that_reads_past_an_output_is_told_of_its_own_numbers() -> None:
    found = read_class(unify_text("java.lang.ArrayIndexOutOfBoundsException: length=9; index=10"))
    assert found
    assert found.kind.name == "bounds"


def test_a_layer_behind_axes_that_were_not_flattened_is_told_so() -> None:
    said = "RuntimeError: mat1 and mat2 shapes cannot be multiplied ({})"
    assert "x.flatten(1)" in tell_cause(said.format("3584x7 and 25088x4096"))
    assert "not flattened" not in tell_cause(said.format("1x131072 and 25088x512"))
    assert "not flattened" not in tell_cause(said.format("863x1 and 11x5120"))


def test_torch_of_a_checkout_is_no_file_of_yours() -> None:
    raised = """File "/src/pytorch/torch/_ops.py", line 186, in resolve_key\n{}"""
    told = read_class(unify_text(raised.format("NotImplementedError: no kernel of lib::op here")))
    assert told is not None
    assert "file of yours" not in told.kind.cause
