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
