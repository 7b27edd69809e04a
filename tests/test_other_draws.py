"""An export that is right on its example, held against eager on other numbers of the same sizes."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

from running import lintorch

NETS = """\
import torch
from torch import nn


class Longest(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)

    def forward(self, ids, lengths):
        taken = self.table(ids)[:, : lengths.max()]
        return taken.sum(1)


class Fixed(Longest):
    def forward(self, ids, lengths):
        most = int(lengths.max())
        return self.table(ids)[:, :most].sum(1)


class Inside(nn.Module):
    def forward(self, x):
        return x + x[x > 0].sum()


class Plain(nn.Module):
    def forward(self, x):
        return x + 1
"""
INPUTS = {
    "Longest": '["int64[2, 8] in 0..8", "int64[2] down from 8"]',
    "Fixed": '["int64[2, 8] in 0..8", "int64[2] down from 8"]',
    "Inside": '["float32[batch, 8]"]',
    "Plain": '["float32[batch, 8]"]',
}


def test_draws_are_counted_where_data_chooses(tmp_path) -> None:  # type: ignore[no-untyped-def]
    tables = (
        f'[models.{name}]\nfactory = "nets.py:{name}"\ninputs = {given}\n'
        for name, given in INPUTS.items()
    )
    tmp_path.joinpath("nets.py").write_text(NETS, encoding="utf-8")
    tmp_path.joinpath("lintorch.toml").write_text("\n".join(tables), encoding="utf-8")
    asked = ("export", "nets.py", "--to", "torchscript-trace")
    trials = json.loads(lintorch(*asked, "--output-format", "json", cwd=tmp_path).stdout)["trials"]
    told = {each["model"].rpartition(":")[2]: (each["status"], each["draws"]) for each in trials}
    assert told == {
        "Longest": ("ok", 2),
        "Fixed": ("wrong", 2),
        "Inside": ("ok", 2),
        "Plain": ("ok", 1),
    }
    (wrong,) = (each for each in trials if each["status"] == "wrong")
    assert [finding["location"]["row"] for finding in wrong["findings"]] == [17]
    text = lintorch(*asked, "--model", "nets.py:Inside", cwd=tmp_path).stdout
    assert "ok at batch 2, 3, two draws" in text
