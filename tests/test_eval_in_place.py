"""`model.eval()` goes in where the model is there already."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lintorch

HEAD = """import torch
from torch import nn


def measure(folds, weights):
"""
MADE = "model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))"


@pytest.mark.parametrize(
    "lines",
    [
        ("for fold in folds:", f"    {MADE}", "    model.load_state_dict(weights)", "    with torch.no_grad():", "        for x, _ in fold:", "            print(model(x))"),
        (MADE, "model.load_state_dict(weights)", "for fold in folds:", "    with torch.no_grad():", "        for x, _ in fold:", "            print(model(x))"),
    ],
)  # fmt: skip
def test_a_model_is_made_before_its_mode_is_set(tmp_path: Path, lines: tuple[str, ...]) -> None:
    path = tmp_path / "measure.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in lines))
    lintorch("check", "--select=LT222", "--fix", "--unsafe-fixes", cwd=tmp_path)
    rows = [row.strip() for row in path.read_text().splitlines()]
    assert rows[rows.index("model.eval()") - 1] == "model.load_state_dict(weights)"
