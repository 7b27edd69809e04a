"""A refused export is told at the line that asked for what is refused, where only the exporter's records know it."""

from __future__ import annotations

from pathlib import Path

from running import findings

TIED = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, 2, 1)
        self.down = nn.MaxPool2d(2)
        self.twice = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, image):
        stem = self.stem(image)
        low = self.twice(self.down(stem))
        return stem + low
"""
PACKED = """import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True)

    def forward(self, tokens, lengths):
        words = self.words(tokens)
        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        return last[-1]
"""


def list_refusals(
    folder: Path, text: str, exporter: str, code: str = "LT904"
) -> list[tuple[int, str]]:
    """The row and source line of each failed trial of a file."""
    (folder / "net.py").write_text(text)
    found = findings("--export", exporter, "--select", f"LT904,{code}", cwd=folder)
    rows = [each["location"]["row"] for each in found if each["code"] == code]
    return [(row, text.splitlines()[row - 1].strip()) for row in rows]


def test_sizes_that_cannot_be_solved_for_are_told_where_two_have_to_be_one(tmp_path: Path) -> None:
    found = list_refusals(tmp_path, TIED, "torch.export", "LT138")
    assert found == [(15, "return stem + low")]


def test_a_packed_sequence_that_is_never_padded_is_told_where_it_is_packed(tmp_path: Path) -> None:
    found = list_refusals(tmp_path, PACKED, "onnx-legacy", "LT120")
    assert [line.partition(" ")[0] for _, line in found] == ["packed"]


def test_what_is_packed_is_not_sent_to_an_exporter_that_takes_no_pack_either(
    tmp_path: Path,
) -> None:
    (tmp_path / "net.py").write_text(PACKED)
    for exporter, said in (("onnx-legacy", "out[rows"), ("torch.export", "padded batch")):
        options = ("--export", exporter, "--select", "LT120,LT904")
        messages = [each["message"] for each in findings(*options, cwd=tmp_path)]
        assert messages
        assert all(said in each and "dynamo" not in each for each in messages)


ASKED = """import torch.nn.functional as F
from torch import nn


def pair(size):
    if isinstance(size, int):
        return size, size
    return tuple(size)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, image):
        return F.interpolate(self.conv(image), size=pair(2 * image.shape[2]))
"""


def test_a_size_that_is_taken_for_a_tuple_is_told_where_its_class_is_asked_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "net.py").write_text(ASKED)
    asked = "assert isinstance(image.shape[2], int)\n        return self.conv(image)"
    whole = ASKED.partition("        return F.interpolate")[0]
    (tmp_path / "asserts.py").write_text(f"{whole}        {asked}\n")
    for exporter in ("torch.export", "onnx-legacy"):
        (asserted, found) = findings("--export", exporter, "--select", "LT137,LT904", cwd=tmp_path)
        assert (asserted["code"], asserted["location"]["row"]) == ("LT137", 17)
        assert (found["code"], found["location"]["row"]) == ("LT137", 6)
        assert {asserted["evidence"], found["evidence"]} == {"export"}
