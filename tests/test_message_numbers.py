"""What the numbers in a message tell: the status of a runtime, the length of a table of positions."""

from __future__ import annotations

import pytest

from lintorch.messages import load_runtimes, recognise, sharpen, unify_text
from lintorch.messages.message_kinds import parse_toml
from lintorch.messages.read_status import _TABLE

SIZE = "size mismatch for {}: copying a param with shape torch.Size({}) from checkpoint, the shape in current model is torch.Size({}). "
STATE = "RuntimeError: Error(s) in loading state_dict for VisionTransformer: "


def tell_cause(text: str) -> str:
    unified = unify_text(text)
    return sharpen(recognise(unified)[0], unified).kind.cause


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Failed to run forward on the torch module, error code: 18", "18 is InvalidArgument"),
        ("executorch: Init failed for backend CoreMLBackend: 0x23", "0x23 is InvalidProgram"),
        ("Resize error for 405, code=3", "code 3 is COMPUTE_SIZE_ERROR"),
        ("ncnn: vkQueueSubmit failed -4", "-4 is VK_ERROR_DEVICE_LOST"),
        ("ncnn: vkBeginCommandBuffer failed -1", "VK_ERROR_OUT_OF_HOST_MEMORY"),
    ],
)
def test_the_number_of_a_status_is_read(text: str, said: str) -> None:
    assert said in tell_cause(text)


def test_a_number_that_is_not_known_says_nothing() -> None:
    assert tell_cause("Resize error for 405, code=77").startswith("MNN works out")


def test_statuses_are_of_kinds_whose_patterns_have_a_code() -> None:
    kinds = {kind.full_name: kind for runtime in load_runtimes() for kind in runtime.kinds}
    for status in parse_toml(_TABLE)["status"]:
        assert all("(?P<code" in kinds[name].written for name in status["of"])
        assert all(str(int(number)) == number for number in status["meanings"])


def test_a_table_of_positions_tells_the_size_of_the_picture() -> None:
    told = tell_cause(STATE + SIZE.format("pos_embed", [1, 1370, 384], [1, 257, 384]))
    assert "37×37 patches in the file, and 16×16 in the model" in told
    assert "img_size=518" in told
    assert "img_size=256" in tell_cause(STATE + SIZE.format("pos_embed", [1, 257, 8], [1, 197, 8]))


def test_a_table_of_positions_tells_patches_tokens_and_what_else_differs() -> None:
    positions = SIZE.format("pos_embed", [1, 50, 768], [1, 197, 768])
    patches = SIZE.format("patch_embed.proj.weight", [768, 3, 32, 32], [768, 3, 16, 16])
    assert "32 pixels wide in the file and 16 in the model" in tell_cause(
        STATE + positions + patches
    )
    told = tell_cause(STATE + SIZE.format("pos_embed", [1, 198, 768], [1, 197, 768]))
    assert "1 more in the file" in told
    head = SIZE.format("head.weight", [1000, 768], [2, 768])
    assert "Beside it `head.weight` differs" in tell_cause(STATE + positions + head)
    long = SIZE.format("pos_embedding", [1, 3137, 16], [1, 1569, 16])
    assert "3137 positions in the file" in tell_cause(STATE + long)


def test_a_window_of_attention_is_read_off_its_tables() -> None:
    key = "layers.0.blocks.0.attn.relative_position_bias_table"
    assert "(12 in the file, 7 in the model)" in tell_cause(
        STATE + SIZE.format(key, [529, 4], [169, 4])
    )


def test_a_table_of_words_is_no_table_of_positions() -> None:
    told = tell_cause(STATE + SIZE.format("fc.weight", [257, 8], [197, 8]))
    assert "patches" not in told
