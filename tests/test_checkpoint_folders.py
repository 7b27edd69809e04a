"""`lintorch checkpoint` of what is several files, or a folder."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import torch
import torch.distributed.checkpoint as dcp
from running import lintorch

from lintorch.checkpoint.checkpoint import measure_bytes, read_checkpoint
from lintorch.checkpoint.limits import CheckpointError

STATE = {
    "body.weight": torch.ones(2, 3),
    "body.bias": torch.zeros(2),
    "head.weight": torch.ones(4, 2),
}
NAMES = "pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"


def write_shards(folder: Path, **changed: torch.Tensor) -> Path:
    """An index and two files as transformers writes them, the last key in the second one."""
    folder.mkdir(exist_ok=True)
    state = {**STATE, **changed}
    places = {key: NAMES[key.startswith("head")] for key in state}
    for name in NAMES:
        torch.save(
            {key: value for key, value in state.items() if places[key] == name}, folder / name
        )
    index = folder / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": places}))
    return index


@pytest.mark.parametrize("name", ["", "pytorch_model.bin.index.json"])
def test_shards_are_read_as_one(name: str, tmp_path: Path) -> None:
    write_shards(tmp_path)
    found = read_checkpoint(str(tmp_path / name))
    assert found.is_fine
    assert found.chosen is not None
    assert {key for key, _ in found.chosen.tensors} == set(STATE)
    assert measure_bytes(found.chosen.tensors) == 4 * (6 + 2 + 8)
    assert "2 shards" in found.raw.format


def test_a_shard_that_is_not_there_is_told(tmp_path: Path) -> None:
    write_shards(tmp_path)
    (tmp_path / NAMES[1]).unlink()
    found = read_checkpoint(str(tmp_path))
    assert found.problems == (f"{NAMES[1]} is named by the index, and is not there",)
    told = lintorch("checkpoint", ".", cwd=tmp_path).stdout
    assert "fetch what is not there" in told
    assert "reads them all" not in told


def test_numbers_of_each_shard_are_looked_at(tmp_path: Path) -> None:
    write_shards(tmp_path, **{"head.weight": torch.full((4, 2), float("nan"))})
    ran = lintorch("checkpoint", ".", "--values", cwd=tmp_path)
    assert ran.returncode == 1
    assert "8 numbers of head.weight are NaN" in ran.stdout


def test_the_lines_that_load_shards_run(tmp_path: Path) -> None:
    write_shards(tmp_path / "shards")
    net = tmp_path / "net.py"
    net.write_text(
        "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.body = nn.Linear(3, 2)\n        self.tail = nn.Linear(2, 2)\n\n    def forward(self, x):\n        return self.tail(self.body(x))\n"
    )
    ran = lintorch("checkpoint", str(tmp_path / "shards"), f"{net}:Net", cwd=tmp_path)
    lines = [
        line.strip() for line in ran.stdout.splitlines() if line.startswith("    checkpoint = ")
    ]
    scope = {"torch": torch}
    exec(lines[0], scope)
    assert set(scope["checkpoint"]) == set(STATE)


def test_one_shard_says_that_it_is_one(tmp_path: Path) -> None:
    write_shards(tmp_path)
    assert read_checkpoint(str(tmp_path / NAMES[0])).raw.about["part"].startswith("1 of 2")


def test_an_index_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "../../etc/passwd"}}))
    with pytest.raises(CheckpointError, match="no file beside it"):
        read_checkpoint(str(index))


def test_a_distributed_checkpoint_is_named_with_what_joins_it(tmp_path: Path) -> None:
    dcp.save({"model": STATE}, checkpoint_id=tmp_path / "dcp", no_dist=True)
    for name in "dcp", "dcp/__0_0.distcp":
        with pytest.raises(CheckpointError, match="dcp_to_torch"):
            read_checkpoint(str(tmp_path / name))


def test_an_unpacked_file_says_how_to_pack_it(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "net.pth")
    zipfile.ZipFile(tmp_path / "net.pth").extractall(tmp_path / "net")
    with pytest.raises(CheckpointError, match="make_archive"):
        read_checkpoint(str(tmp_path / "net"))


def test_any_other_folder_names_its_files(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "net.pth")
    with pytest.raises(CheckpointError, match=r"name one of its files: net\.pth"):
        read_checkpoint(str(tmp_path))


def test_a_file_without_weights_says_so(tmp_path: Path) -> None:
    weights = torch.nn.Linear(2, 2)
    optimizer = torch.optim.Adam(weights.parameters())
    weights(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    torch.save(optimizer.state_dict(), tmp_path / "optimizer.pt")
    torch.save({"epoch": 3}, tmp_path / "plain.pt")
    for name, said in ("optimizer.pt", "no weights of a model"), ("plain.pt", "holds no tensors"):
        assert said in lintorch("checkpoint", name, cwd=tmp_path).stdout
