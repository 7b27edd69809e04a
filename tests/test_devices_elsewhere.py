"""What other files of the project say of devices: a constructor's, a launcher's, or none at all."""

from __future__ import annotations

import json
from pathlib import Path

from running import lintorch

PART = """import torch
from torch import nn


class Feed(nn.Module):
    def __init__(self, width=8, device="cuda"):
        super().__init__()
        self.device = device
        self.lin = nn.Linear(width, 8)

    def forward(self, x):
        return self.lin(x.to(self.device))


def make_steps(count, device="cuda"):
    return torch.linspace(0, 1, count, device=device)


def make_mask(count):
    return torch.ones(count, device="cuda")
"""
WHOLE = """import torch
from part import Feed, make_mask, make_steps
from torch import nn


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.feed, self.device = Feed(8), "cuda"

    def forward(self, x):
        steps = make_steps(8, self.device) * make_mask(8)
        return self.feed(x) + steps + torch.zeros(8).cuda()
"""


def test_a_device_of_a_part_in_another_file_is_left_to_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(PART)
    (tmp_path / "whole.py").write_text(WHOLE)
    assert rows_of("LT112", tmp_path) == [("part.py", 20), ("whole.py", 13)]


LOADS = """import torch


def restore(model, path):
    model.load_state_dict(torch.load(path))
"""
SAVES = """import torch


def keep(model, path):
    torch.save(model.state_dict(), path)
"""


def test_weights_of_a_project_that_knows_no_device_are_read_where_they_were_saved(
    tmp_path: Path,
) -> None:
    (tmp_path / "loads.py").write_text(LOADS)
    (tmp_path / "saves.py").write_text(SAVES)
    assert not rows_of("LT214", tmp_path)
    (tmp_path / "moves.py").write_text("def put(model):\n    return model.cuda()\n")
    assert rows_of("LT214", tmp_path) == [("loads.py", 5)]


def test_weights_that_a_project_takes_to_the_cpu_first_are_read_anywhere(tmp_path: Path) -> None:
    (tmp_path / "loads.py").write_text(LOADS)
    (tmp_path / "moves.py").write_text("def put(model):\n    return model.cuda()\n")
    (tmp_path / "saves.py").write_text(SAVES.replace("model.state", "model.cpu().state"))
    assert not rows_of("LT214", tmp_path)
    (tmp_path / "others.py").write_text(SAVES)
    assert rows_of("LT214", tmp_path) == [("loads.py", 5)]


RESUMES = """import torch
from torch import nn


def main(args):
    def create_model():
        return nn.Linear(2, 2).cuda()

    model = create_model()
    model.load_state_dict(torch.load(args.resume))
"""
CALLED = """import torch
from torch import nn


def restore(model, path):
    model.load_state_dict(torch.load(path))


def main(path):
    model = nn.Linear(2, 2).cuda()
    restore(model, path)
"""


def test_a_program_that_asks_for_a_gpu_in_a_helper_of_its_own_needs_no_other_device(
    tmp_path: Path,
) -> None:
    (tmp_path / "main.py").write_text(RESUMES)
    (tmp_path / "calls.py").write_text(CALLED)
    done = lintorch("check", "--output-format=json", "--no-cache", cwd=tmp_path)
    assert json.loads(done.stdout) == []


PARSER = """import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", default=-1, type=int)
args = parser.parse_args()
import torch.distributed
"""


def test_a_rank_that_another_file_reads_from_the_environment_needs_no_option(
    tmp_path: Path,
) -> None:
    (tmp_path / "main.py").write_text(PARSER)
    assert rows_of("LT413", tmp_path) == [("main.py", 4)]
    (tmp_path / "start.py").write_text("import os\n\nrank = int(os.environ['LOCAL_RANK'])\n")
    assert not rows_of("LT413", tmp_path)
    (tmp_path / "use.py").write_text("def use(args):\n    return args.local_rank\n")
    assert rows_of("LT413", tmp_path) == [("main.py", 4)]


def rows_of(code: str, folder: Path) -> list[tuple[str, int]]:
    done = lintorch("check", f"--select={code}", "--output-format=json", "--no-cache", cwd=folder)
    return [(each["filename"], each["location"]["row"]) for each in json.loads(done.stdout)]


BEST = """import torch
from nets import Net

model = Net().cuda()
best = 0


def train(epoch):
    model(epoch).backward()


for epoch in range(3):
    train(epoch)
    torch.save(model.state_dict(), "{}.pt".format(epoch))
model.load_state_dict(torch.load("{}.pt".format(best)))
"""


def test_a_script_that_has_trained_reads_its_own_weights(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BEST)
    assert not rows_of("LT214", tmp_path)
    (tmp_path / "train.py").write_text(BEST.replace("train(epoch)\n    torch.save", "torch.save"))
    assert not rows_of("LT214", tmp_path)
    (tmp_path / "train.py").write_text(BEST.replace('"{}.pt".format(best)', '"start.pt"'))
    assert not rows_of("LT214", tmp_path)
    resumed = BEST.replace('"{}.pt".format(best)', '"start.pt"').replace("    train(epoch)\n", "")
    (tmp_path / "train.py").write_text(resumed)
    assert rows_of("LT214", tmp_path) == [("train.py", 14)]
