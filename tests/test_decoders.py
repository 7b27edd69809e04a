"""Decoders of language models: found, taken apart, exported and held against eager as they generate."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch
from running import lintorch
from torch import nn

from lintorch.guest.decoding.find_form import find_form
from lintorch.guest.decoding.subject import choose_subject
from lintorch.guest.decoding.try_decoder import try_decoder
from lintorch.record.models import Input, Model

IDS = Input("ids", "int64", ("batch", "sequence"), 0, 20)
GIVEN = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.place = nn.Embedding(64, 8)
        self.head = nn.Linear(8, 20)

    def forward(self, ids, past=None):
        before = {before}
        x = self.embed(ids) + self.place(torch.arange(before, before + ids.shape[1]))
        keys = x if past is None else torch.cat([past[0], x], 1)
        total, length = keys.shape[1], x.shape[1]
        hidden = torch.arange(total) > torch.arange(total - length, total)[:, None]
        score = (x @ keys.transpose(1, 2)).masked_fill(hidden, float("-inf"))
        return self.head(score.softmax(-1) @ keys), [keys]
"""
"""A decoder of one layer; `before` is how many tokens its cache holds."""
RIGHT = "0 if past is None else past[0].shape[1]"
"""No size is baked."""


def make_decoder(before: str) -> nn.Module:
    scope: dict[str, Any] = {}
    exec(textwrap.dedent(GIVEN.replace("{before}", before)), scope)
    torch.manual_seed(0)
    return scope["Decoder"]().eval()


def export(folder: Path, before: str, *options: str) -> dict[str, Any]:
    (folder / "net.py").write_text(GIVEN.replace("{before}", before))
    found = lintorch("export", ".", "--output-format", "json", *options, cwd=folder)
    trials = json.loads(found.stdout)["trials"]
    return {f"{each['half']} {each['exporter']}": each for each in trials}


@pytest.mark.parametrize(("before", "agrees"), [(RIGHT, True), ("0", False)])
def test_a_decoder_is_known_by_a_cache_that_grows(before: str, agrees: bool) -> None:
    subject = choose_subject(make_decoder(before), (IDS,))
    assert subject is not None
    found = find_form(subject)
    assert found is not None
    assert found.layout is not None
    assert (found.form.cache, found.form.part, found.form.agrees) == ("past", 1, agrees)
    assert found.layout.shapes == (("batch", "past", 8),)


class Recurrent(nn.Module):  # type: ignore[misc]
    """What it gives back is taken back, and does not grow."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.cell = nn.Embedding(20, 8), nn.GRU(8, 8, batch_first=True)

    def forward(self, ids: torch.Tensor, state: torch.Tensor | None = None) -> Any:
        return self.cell(self.embed(ids), state)


def test_a_state_that_does_not_grow_is_no_cache() -> None:
    subject = choose_subject(Recurrent().eval(), (IDS,))
    assert subject is not None
    assert find_form(subject) is None


def test_halves_are_rows_and_generate_as_eager_does(tmp_path: Path) -> None:
    trials = export(tmp_path, RIGHT, "--to", "torch.export", "--to", "torchscript-trace")
    for exporter in ("torch.export", "torchscript-trace"):
        assert trials[f"prefill {exporter}"]["model"].endswith("Decoder (prefill)")
        step = trials[f"step {exporter}"]
        assert (step["status"], len(step["generated"])) == ("ok", 3)
        assert {at["past"] for at in step["compared"]} == {6, 9, 3}
        for text in step["generated"]:
            assert all(each["amount"] <= each["tolerance"] for each in text["steps"])


def test_a_length_that_is_made_a_number_is_told_at_its_line(tmp_path: Path) -> None:
    baked = "0 if past is None else int(past[0].shape[1])"
    trials = export(tmp_path, baked, "--to", "torch.export", "--to", "torchscript-trace")
    assert trials["prefill torch.export"]["status"] == "ok"
    assert trials["step torch.export"]["status"] == "failed"
    traced = trials["step torchscript-trace"]
    assert traced["status"] == "wrong"
    rows = {f["location"]["row"] for f in traced["findings"]}
    assert GIVEN.splitlines().index("        before = {before}") + 1 in rows


def test_a_decoder_that_forgets_its_past_is_told_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(GIVEN.replace("{before}", "0"))
    options = ("--trace", "--select", "LT818", "--output-format", "json")
    (finding,) = json.loads(lintorch("check", ".", *options, cwd=tmp_path).stdout)
    row = GIVEN.splitlines().index(
        "        x = self.embed(ids) + self.place(torch.arange(before, before + ids.shape[1]))"
    )
    assert finding["location"]["row"] == row + 1


class Kept(nn.Module):  # type: ignore[misc]
    """Keeps what it has read in a buffer, at the places that it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(20, 8), nn.Linear(8, 20)
        self.register_buffer("read", torch.zeros(4, 64, 8))

    def forward(self, ids: torch.Tensor, input_pos: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        self.read[: ids.shape[0], input_pos] = x
        seen = torch.arange(64) <= input_pos[:, None]
        score = (x @ self.read[: ids.shape[0]].transpose(1, 2)).masked_fill(~seen, -1e9)
        return self.head(score.softmax(-1) @ self.read[: ids.shape[0]])


def test_a_decoder_that_keeps_its_past_goes_on_with_the_buffers_of_the_prompt(
    tmp_path: Path,
) -> None:
    torch.manual_seed(0)
    inputs = (IDS, Input("input_pos", "int64", ("sequence",), 0, 40))
    subject = choose_subject(Kept().eval(), inputs)
    assert subject is not None
    found = find_form(subject)
    assert found is not None
    assert (found.layout, found.form.positions_are) == (None, "range")
    _, step = try_decoder(
        "torch.export",
        found,
        subject,
        Model("net.py", "Kept", 1, inputs=inputs),
        (tmp_path, tmp_path),
        opset=None,
        user_file=lambda path: None,
    )
    assert (step.status, step.detail) == ("ok", "")
    assert all(text.first_apart is None for text in step.greedy)
