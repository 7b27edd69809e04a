"""What an error says that a program lacks, in whatever words: operators and opsets, with what the tables know of them."""

from __future__ import annotations

import time

import pytest

from lintorch.messages import (
    Recognised,
    describe_support,
    read_refused,
    recognise,
    sharpen,
    unify_text,
)
from lintorch.messages.operator_groups import GROUPS
from lintorch.messages.refused_operators import find_refused
from lintorch.messages.refused_opset import RefusedOpset, find_refused_opset

OPERATORS = [
    ("Unsupported ONNX ops of type: Shape,Gather,Cast,Floor", ("Shape", "Gather", "Cast", "Floor")),
    ("W The follow op is not support : ['ConstantOfShape']", ("ConstantOfShape",)),
    ("Unsupported ONNX operation(s): SequenceAt (node 'sequenceat1')", ("SequenceAt",)),
    ("[ERROR] unsupported primitive of type: Gather name: lookup", ("Gather",)),
    ("MNN Converter NOT_SUPPORTED_OP: [ Clip ]", ("Clip",)),
    ("no converter was registered for op type ScatterND", ("ScatterND",)),
    ("Node type 'NonZero' is not supported by this chip", ("NonZero",)),
    ("'GatherND' is not yet implemented", ("GatherND",)),
    ("Unsupported function types ['frac.default']", ("frac.default",)),
    ("Lowering not found: aten.normal_functional.default", ("aten.normal_functional.default",)),
    ("aten::grid_sampler is not implemented for this backend", ("aten::grid_sampler",)),
    ("Unsupported model IR version: 9", ()),
    ("unsupported data type in Add", ()),
    ("node 'encoder' not found in graph", ()),
    ("The layer has not been initialized", ()),
    ("Shape mismatch: Expand is not possible", ()),
]


@pytest.mark.parametrize(("text", "names"), OPERATORS)
def test_operators_are_found_in_whatever_words(text: str, names: tuple[str, ...]) -> None:
    assert find_refused(text) == names


OPSETS = [
    ("unsupported opset [:8]", RefusedOpset(8)),
    ("Unsupported ONNX opset version. Requires opset 16 or higher.", RefusedOpset(0, 16)),
    ("opset 21 is not supported, maximum supported opset: 19", RefusedOpset(21, 0, 19)),
    ("opset_version=17 was used", None),
]


@pytest.mark.parametrize(("text", "opset"), OPSETS)
def test_opsets_are_found_in_whatever_words(text: str, opset: RefusedOpset | None) -> None:
    assert find_refused_opset(text) == opset


def tell(text: str) -> Recognised:
    found = read_refused(unify_text(text))
    assert found is not None
    return found


def test_where_an_operator_comes_from_is_told() -> None:
    assert "left axes open" in tell("Error: unsupported op: ConstantOfShape").kind.cause
    assert "opset_version=13" in tell("Error: Unsupported operator Upsample").kind.remedy
    assert "torch.einsum" in tell("Error: operator Einsum is not supported").kind.cause
    assert "missing-eval" in tell("Error: unsupported op: RandomUniformLike").kind.rules
    assert "ONNX Runtime itself" in tell("Error: unsupported op: SkipLayerNormalization").kind.cause


def test_a_type_that_an_operator_lacks_is_told() -> None:
    told = tell("RuntimeError: The Conv operator does not support int8")
    assert "Conv for int8" in told.kind.cause


def test_the_tables_of_the_program_that_speaks_are_asked() -> None:
    told = tell("E rknn-toolkit2: RuntimeError: unsupported op: GridSample")
    assert (told.runtime.name, told.operator) == ("rknn", "GridSample")
    assert "GridSample" in describe_support(told)


def test_an_error_of_the_users_own_is_none_of_a_program() -> None:
    raised = 'File "net.py", line 3, in forward NotImplementedError: operator Add is not supported'
    assert read_refused(raised) is None


def test_groups_hold_names_of_both_worlds() -> None:
    (chance,) = [group for group in GROUPS if group.holds("Bernoulli")]
    assert chance.holds("aten::rand.default")
    assert not chance.holds("aten::random_walk_of_mine")
    assert not chance.holds("Range")


def test_long_texts_take_no_long_time() -> None:
    for piece in ("unsupported op ", "operator Add ", "['Add', ", "no kernel for ", "opset 1 "):
        begun = time.process_time()
        find_refused((piece * 600)[:600])
        find_refused_opset((piece * 600)[:600])
        assert time.process_time() - begun < 5


STATE = "RuntimeError: Error(s) in loading state_dict for Net: "
SIZES = "size mismatch for {}: copying a param with shape torch.Size({}) from checkpoint, the shape in current model is torch.Size({}). "


def tell_known(text: str) -> str:
    unified = unify_text(text)
    return sharpen(recognise(unified)[0], unified).kind.cause


def test_parts_of_a_model_that_was_spread_are_told_from_other_classes() -> None:
    flat = SIZES.format("a.weight", [65536], [256, 256]) + SIZES.format(
        "b.weight", [32768], [256, 256]
    )
    assert "flattened weights" in tell_known(STATE + flat)
    half = SIZES.format("embed.weight", [16032, 4096], [32064, 4096])
    assert "one of 2 shards" in tell_known(STATE + half)
    classes = SIZES.format("fc.weight", [500, 256], [1000, 256]) + SIZES.format(
        "fc.bias", [500], [1000]
    )
    assert "another number of classes" in tell_known(STATE + classes)
    spread = SIZES.format("shared.weight", [100, 8], [0])
    assert "spread over processes" in tell_known(STATE + spread)


def test_another_vocabulary_is_told_from_another_model() -> None:
    table = SIZES.format("decoder.embedding.weight", [38, 16], [83, 16])
    rows = SIZES.format("decoder.linear.weight", [16, 38], [16, 83])
    outputs = SIZES.format("decoder.out.bias", [38], [83])
    assert "another vocabulary" in tell_known(STATE + table + rows + outputs)
    wider = SIZES.format("decoder.out.weight", [38, 16], [38, 32])
    assert "another vocabulary" not in tell_known(STATE + table + wider + outputs)


def test_another_head_is_told_from_none() -> None:
    missing = 'Missing key(s) in state_dict: "heads.0.layers.0.weight", "heads.0.layers.0.bias". '
    other = 'Unexpected key(s) in state_dict: "heads.0.rpn.conv.weight". '
    assert "another head in this place" in tell_known(STATE + missing + other)
    decoder = 'Unexpected key(s) in state_dict: "decoder_embed.weight". '
    assert "never trained" in tell_known(STATE + missing + decoder)


KEYS = [
    ("<", "page of HTML"),
    ("v", "Git LFS"),
    (r"\xd8", "safetensors"),
    (r"\x1f", "gzip"),
]


@pytest.mark.parametrize(("key", "said"), KEYS)
def test_the_first_byte_says_what_file_it_is(key: str, said: str) -> None:
    assert said in tell_known(f"_pickle.UnpicklingError: invalid load key, '{key}'.")


REFUSED = "Exporting the operator {} to ONNX opset version {} is not supported."


@pytest.mark.parametrize(("name", "opset"), [("silu", 12), ("'aten::amax'", 13)])
def test_an_opset_at_which_the_exporter_writes_the_operator_is_not_blamed(
    name: str, opset: int
) -> None:
    assert "older than its translation" in tell_known(REFUSED.format(name, opset))


@pytest.mark.parametrize(
    ("name", "opset"), [("grid_sampler", 12), ("'aten::fft_rfft'", 17), ("'mylib::scan'", 17)]
)
def test_an_operator_that_no_lower_opset_has_is_left_to_the_opset(name: str, opset: int) -> None:
    assert "older than its translation" not in tell_known(REFUSED.format(name, opset))
