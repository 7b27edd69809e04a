"""Checkpoints of the older form, which tracers refuse, in the form that they follow."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_rewrites import IN_USE, build, settle_twice  # noqa: E402

from lintorch.catalog import build_catalog  # noqa: E402
from lintorch.core.dispatch import index_detectors, lint_subject  # noqa: E402
from lintorch.core.finding import Evidence, Finding  # noqa: E402
from lintorch.source import Source  # noqa: E402

RULES = index_detectors([build_catalog().rules["LT115"]], Evidence.SOURCE)
HEAD = """from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

{above}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def run(self, x):
        return self.fc(x).relu()

    def forward(self, x):
"""


def find(text: str) -> list[Finding]:
    return list(lint_subject(Source("model.py", text, IN_USE), RULES))


def write(*lines: str, above: str = "") -> str:
    return HEAD.format(above=above) + "".join(f"        {line}\n" for line in lines)


LENT = {
    "plain": (write("return checkpoint(self.run, x + 1)"), "checkpoint(self.run, x + 1, use_reentrant=False)"),
    "set": (write("return checkpoint(self.run, x, use_reentrant=True)"), "use_reentrant=False)"),
    "partial": (write("run = partial(checkpoint, self.run)", "return run(x)"), "partial(checkpoint, self.run, use_reentrant=False)"),
    "top": (write("return saved(lambda x: self.run(x), x)", above="saved = partial(checkpoint)\n\n"), "saved = partial(checkpoint, use_reentrant=False)"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LENT)
def test_a_checkpoint_is_traced_in_the_form_that_is_not_reentrant(name: str) -> None:
    text, wanted = LENT[name]
    after = settle_twice(text, find)
    assert wanted in after
    model: Any = build(after)
    traced = torch.jit.trace(model, torch.ones(2, 4))
    rows = torch.randn(5, 4)
    assert torch.equal(traced(rows), model(rows))


@pytest.mark.parametrize(
    "lines",
    [
        ("one, two = partial(checkpoint, self.run), partial(checkpoint, self.fc)", "return one(two(x))"),
        ("flags = {'use_reentrant': True}", "return checkpoint(self.run, x, **flags)"),
    ],
)  # fmt: skip
def test_a_setting_that_stands_elsewhere_is_left(lines: tuple[str, ...]) -> None:
    text = write(*lines)
    assert find(text)
    assert settle_twice(text, find) == text
