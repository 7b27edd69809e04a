"""What every worker of a loader would copy matters where some loader of the project has workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import codes

DATASET = """
import random

from torch.utils.data import Dataset


class Drawn(Dataset):
    def __init__(self, items):
        self.items = items
        self.rng = random.Random(911)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[self.rng.randint(0, len(self.items) - 1)]
"""


@pytest.mark.parametrize(
    ("given", "told"),
    [("num_workers=0", []), ("shuffle=True", []), ("num_workers=4", ["LT503"])],
)
def test_copies_of_a_generator_are_told_of_workers(
    tmp_path: Path, given: str, told: list[str]
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "drawn.py").write_text(DATASET)
    loader = f"from torch.utils.data import DataLoader\n\nloader = DataLoader(drawn, {given})\n"
    (tmp_path / "train.py").write_text(f"from drawn import drawn\n{loader}")
    assert codes("drawn.py", "--isolated", cwd=tmp_path) == told
