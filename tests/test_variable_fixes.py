"""`Variable(x)` as what it does: a tensor without a gradient is not cut off again."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lintorch

WRITTEN = {
    "Variable(torch.ones(1).cuda(device=d))": "torch.ones(1).cuda(device=d)",
    "Variable(x.detach().long())": "x.detach().long()",
    "Variable(torch.zeros(2).float(), requires_grad=True)": "torch.zeros(2).float().requires_grad_()",
    "Variable(torch.ones(2, 3).zero_()).cuda()": "torch.ones(2, 3).zero_().cuda()",
    "Variable(x.long())": "x.long().detach()",
    "Variable(torch.zeros_like(x.data).cuda())": "torch.zeros_like(x.data).cuda()",
    "Variable((torch.rand(2, 1) * 0.9).int())": "(torch.rand(2, 1) * 0.9).int()",
    "Variable(torch.zeros(2) + x)": "(torch.zeros(2) + x).detach()",
    "Variable(x.new_zeros(2, requires_grad=True))": "x.new_zeros(2, requires_grad=True).detach()",
    "Variable(torch.zeros(2, **d))": "torch.zeros(2, **d).detach()",
    "Variable(torch.ones(1, requires_grad=True).to(d))": "torch.ones(1, requires_grad=True).to(d).detach()",
}


@pytest.mark.parametrize("given", WRITTEN)
def test_a_variable_is_cut_off_once(given: str, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    head = "import torch\nfrom torch.autograd import Variable\n\n\ndef f(x, d):\n    return "
    path.write_text(f"{head}{given}\n")
    lintorch("check", str(path), "--isolated", "--select", "LT606", "--fix", cwd=tmp_path)
    assert path.read_text().partition("    return ")[2] == f"{WRITTEN[given]}\n"


MADE = {
    "torch.cuda.FloatTensor(2, 3).fill_(0)": 'torch.zeros(2, 3, dtype=torch.float32, device="cuda")',
    "torch.LongTensor(2, 3).fill_(1)": "torch.ones(2, 3, dtype=torch.int64)",
    "torch.Tensor(2, 3).zero_().add_(1)": "torch.zeros(2, 3).add_(1)",
    "torch.Tensor(2, 3).fill_(d)": "torch.empty(2, 3).fill_(d)",
    "torch.Tensor(2, 3).fill_(2.5)": "torch.empty(2, 3).fill_(2.5)",
    "Variable(torch.Tensor(2, 3).fill_(2.5))": "torch.empty(2, 3).fill_(2.5)",
    "Variable(torch.Tensor(2, 3).fill_(d))": "torch.empty(2, 3).fill_(d).detach()",
    "torch.ones(2).new(2, 3).zero_()": "torch.ones(2).new_zeros(2, 3)",
    "torch.ones(2).new(2, 3).normal_()": "torch.ones(2).new_empty(2, 3).normal_()",
    "torch.Tensor([0, -1])": "torch.tensor([0.0, -1.0])",
    "torch.LongTensor([0, -1])": "torch.tensor([0, -1], dtype=torch.int64)",
    "torch.Tensor([[0, 1e3]])": "torch.tensor([[0, 1e3]])",
}


@pytest.mark.parametrize("given", MADE)
def test_a_tensor_is_made_with_what_fills_it(given: str, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    head = "import torch\nfrom torch.autograd import Variable\n\n\ndef f(x, d):\n    return "
    path.write_text(f"{head}{given}\n")
    lintorch("check", str(path), "--isolated", "--select", "LT606", "--fix", cwd=tmp_path)
    assert path.read_text().partition("    return ")[2] == f"{MADE[given]}\n"
