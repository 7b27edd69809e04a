"""What has one cause is told once, with all its places, and mended in all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from running import lintorch

LOADS = """import torch

from nets import Net


def build(first, second):
    a, b = Net(), Net()
    a.load_state_dict(torch.load(first))
    b.load_state_dict(torch.load(second))
    return a.cpu(), b


def other(model, path):
    model.load_state_dict(torch.load(path))
    return model
"""


def check(folder: Path, *options: str) -> list[dict[str, Any]]:
    (folder / "load.py").write_text(LOADS)
    done = lintorch("check", "--select=LT214", "--output-format=json", *options, cwd=folder)
    return list(json.loads(done.stdout))


def test_loads_of_one_function_are_one_finding_that_names_the_other_line(tmp_path: Path) -> None:
    first, second = check(tmp_path)
    assert (first["location"], second["location"]) == (
        {"row": 8, "column": 23},
        {"row": 14, "column": 27},
    )
    assert str(first["message"]).endswith("; also in line 9")
    (also,) = first["also"]
    assert also["location"] == {"row": 9, "column": 23}
    assert second["also"] == []


def test_a_fix_of_one_finding_mends_all_its_places(tmp_path: Path) -> None:
    assert check(tmp_path, "--fix", "--unsafe-fixes") == []
    mended = (tmp_path / "load.py").read_text()
    assert mended.count('map_location="cpu"') == 3
