"""`--verify` of fixes in code that trains, and in notebooks: it is called, or run, with and without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from running import lintorch
from test_verify import NET, RULE

EPOCH = """import torch
from absent_package import progress


def train_one_epoch(model, criterion, data_loader, optimizer, device, epoch, scaler=None):
    model.train()
    total = 0.0
    for i, (image, target) in enumerate(progress(data_loader)):
        output = torch.mul(model(image.to(device)), 1)
        loss = torch.clone(criterion(output, target.to(device)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += torch.square(loss.detach())
        if i % options.log_interval == 0 and i // options.save_freq >= i % warmup_index:
            print(i)
    return total


def prepare(path):
    return torch.mul(torch.load(path), 2)


def train_from(path, optimizer):
    data = torch.mul(torch.load(path), 2)
    data.backward()
    optimizer.step()


def resume(path, optimizer):
    state = torch.load(path)
    optimizer.load_state_dict(state["optimizer"])
    for group in optimizer.param_groups:
        lr = torch.mul(torch.tensor(group["lr"]), 2)
    return lr


def sample(x, count):
    batch, places, channels = x.shape
    chosen = torch.zeros(batch, count, dtype=torch.long)
    for i in range(count):
        chosen[:, i] = i
    return torch.mul(chosen, 2)


def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
    return torch.mul(correct.float().sum(), 2)


def describe(cfg):
    if "WEIGHTS" in cfg.CONST and cfg.DATASET.TEST_DATASET.upper():
        size = cfg.CONST.IMG_H
    return torch.mul(torch.ones(cfg.CONST.IMG_W), 2)


class Layers(torch.nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(depth))
        self.scale = torch.nn.Parameter(torch.ones(width))

    def begin(self):
        for name in self._modules:
            for layer in self._modules[name]:
                layer.weight.data.copy_(torch.mul(torch.ones_like(layer.weight), 2))
        self.scale.data.copy_(torch.mul(torch.ones_like(self.scale), 2))
"""
TRAINER = """import torch


class Trainer:
    def __init__(self, settings):
        self.model = absent(settings)

    def train_step(self, batch):
        output = torch.mul(self.model(batch["image"].cuda()), 1)
        loss = self.loss_fn(output, batch["label"].cuda())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.logger.info("%s", loss)


if __name__ == "__main__":
    for epoch in range(options.epochs):
        for real, _ in loader:
            optimizer_G.zero_grad()
            fake = torch.mul(generator(real), 2)
            fake = torch.sin(fake)
            loss = adversarial_loss(discriminator(fake), torch.ones(real.size(0), 1))
            loss.backward()
            optimizer_G.step()
"""


def _verify(folder: Path) -> dict[tuple[str, int], tuple[str, bool | None, str]]:
    """By file and row, what is said of each fix: its kind, whether it is verified, and why."""
    (folder / "mine").mkdir()
    (folder / "mine" / "another.py").write_text(RULE)
    (folder / "pyproject.toml").write_text("")
    done = lintorch(
        "check", "net", "--rules", "mine", "--verify",
        "--output-format", "json", cwd=folder,
    )  # fmt: skip
    assert done.stdout, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return {
        (Path(f["filename"]).name, f["location"]["row"]): (
            f["fix"]["applicability"],
            f["fix"]["verified"],
            f["fix"]["verification"],
        )
        for f in found
        if f["fix"] and f["code"] == "XY001"
    }


def test_functions_that_train_are_called_with_both_texts(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "engine.py").write_text(EPOCH)
    (tmp_path / "net" / "trainer.py").write_text(TRAINER)
    told = _verify(tmp_path)
    assert {place: each[:2] for place, each in told.items()} == {
        ("engine.py", 9): ("safe", True),
        ("engine.py", 10): ("display", False),
        ("engine.py", 14): ("display", False),
        ("engine.py", 21): ("safe", None),
        ("engine.py", 25): ("safe", None),
        ("engine.py", 34): ("safe", True),
        ("engine.py", 43): ("safe", True),
        ("engine.py", 49): ("safe", True),
        ("engine.py", 55): ("safe", True),
        ("engine.py", 67): ("safe", True),
        ("trainer.py", 9): ("safe", True),
        ("trainer.py", 21): ("safe", True),
        ("trainer.py", 22): ("unsafe", False),
    }
    assert "optimizers step 3 times: weights, gradients" in told["engine.py", 9][2]
    assert "train_one_epoch: the call in training mode raises" in told["engine.py", 10][2]
    assert "raises AttributeError" in told["engine.py", 14][2]
    assert "train_from could not be called" in told["engine.py", 25][2]
    assert "loop 1: state discriminator." in told["trainer.py", 22][2]


def test_fixes_of_notebooks_are_tried_on_what_their_cells_define(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    texts = ["import torch\nprint(undefined)", NET.replace("from helpers import halve\n", "")]
    texts[1] = texts[1].replace("halve(x)", "x").replace("        x = torch.square(x)\n", "")
    cells = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": 1}
        for text in texts
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "net" / "demo.ipynb").write_text(json.dumps(book))
    told = _verify(tmp_path)
    assert {row: each[:2] for (_, row), each in told.items()} == {
        11: ("safe", True),
        12: ("display", False),
        13: ("unsafe", False),
        18: ("safe", True),
    }
