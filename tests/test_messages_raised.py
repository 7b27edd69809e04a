"""Messages that the installed torch raises itself are answered by their cause."""

from __future__ import annotations

import pytest

from lintorch.messages import recognise, unify_text

HEAD = """
import copy, io, multiprocessing, sys, types
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, default_collate
"""
RAISED = {
    "saved-changed": "x = torch.ones(3, requires_grad=True); y = x.exp(); y.add_(1); y.sum().backward()",
    "leaf-changed": "torch.ones(3, requires_grad=True).add_(1)",
    "view-changed": "[row.abs_() for row in torch.ones(2, 2, requires_grad=True) * 1]",
    "backward-twice": "x = (torch.ones(3, requires_grad=True) ** 2).sum(); x.backward(); x.backward()",
    "no-gradient": "torch.ones(3).sum().backward()",
    "scalar-backward": "torch.ones(3, requires_grad=True).exp().backward()",
    "numpy-of-tensor": "torch.ones(3, requires_grad=True).numpy()",
    "deepcopy-graph": "copy.deepcopy(torch.ones(3, requires_grad=True) * 2)",
    "unused-in-graph": "x = torch.ones(2, 1, requires_grad=True); torch.autograd.grad(x[0].sum(), [x.clone()])",
    "scaler-without-gradient": "w = nn.Linear(2, 2); s = torch.amp.GradScaler('cpu'); s.scale(torch.ones(1)); s.step(torch.optim.SGD(w.parameters(), 0.1))",
    "unscale-half": "w = nn.Linear(2, 2).half(); s = torch.amp.GradScaler('cpu'); s.scale(w(torch.ones(1, 2).half()).float().sum()).backward(); s.unscale_(torch.optim.SGD(w.parameters(), 0.1))",
    "half-overflow": "torch.zeros(1, dtype=torch.half).masked_fill(torch.tensor([True]), -1e9)",
    "target-type": "F.cross_entropy(torch.rand(2, 3), torch.zeros(2))",
    "target-type of classes": "F.cross_entropy(torch.rand(2, 3), torch.zeros(2, 3, dtype=torch.long))",
    "target-type in place": "x = torch.ones(2, dtype=torch.long); x += 0.5",
    "target-shape": "F.nll_loss(torch.rand(2, 3), torch.zeros(2, 3, dtype=torch.long))",
    "target-shape of BCE": "F.binary_cross_entropy_with_logits(torch.rand(2, 1), torch.rand(2))",
    "target-range": "F.cross_entropy(torch.rand(2, 3), torch.tensor([0, 5]))",
    "probability-range": "F.binary_cross_entropy(torch.tensor([2.0]), torch.tensor([1.0]))",
    "probability-range of nan": "torch.multinomial(torch.tensor([float('nan'), 0.5]), 1)",
    "truth-of-many": "bool(torch.ones(2))",
    "truth-of-many as a number": "torch.ones(3).item()",
    "index-range": "nn.Embedding(3, 2)(torch.tensor([5]))",
    "one-value-norm": "nn.BatchNorm1d(3)(torch.rand(1, 3))",
    "empty-optimizer": "torch.optim.SGD([], 0.1)",
    "nonleaf-optimizer": "torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], 0.1)",
    "parameter-groups": "w = nn.Linear(2, 2).weight; torch.optim.SGD([{'params': [w]}, {'params': [w]}], 0.1)",
    "before-init": "class M(nn.Module):\n    def __init__(self): self.l = nn.Linear(2, 2)\nM()",
    "no-forward": "class M(nn.Module): pass\nM()(torch.ones(1))",
    "assigned-parameter": "nn.Linear(2, 2).weight = torch.ones(2, 2)",
    "collate-sizes": "default_collate([torch.ones(2), torch.ones(3)])",
    "collate-type": "default_collate([object()])",
    "empty-dataset": "DataLoader([], shuffle=True)",
    "no-process-group": "torch.distributed.get_rank()",
    "class-gone": "m = types.ModuleType('gone'); sys.modules['gone'] = m; m.Net = type('Net', (), {'__module__': 'gone'}); b = io.BytesIO(); torch.save(m.Net(), b); del m.Net; b.seek(0); torch.load(b, weights_only=False)",
    "kernel-size": "nn.Conv2d(1, 1, 5)(torch.rand(1, 1, 2, 2))",
    "kernel-size of a pool": "nn.MaxPool2d(4)(torch.rand(1, 1, 2, 2))",
    "dimensions": "nn.Conv2d(1, 1, 1)(torch.rand(1, 1))",
    "expanded-size": "torch.ones(2, 3).expand(4, 3)",
    "axis-range": "torch.ones(3).sum(1)",
    "axis-range of an index": "torch.ones(3)[5]",
    "recurrent-sizes": "nn.LSTM(10, 20)(torch.rand(1, 2, 5))",
    "attention-sizes": "nn.MultiheadAttention(10, 3)",
    "batched-product": "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(4, 5))",
    "norm-shape": "nn.LayerNorm(4)(torch.rand(2, 3))",
    "padding-size": "F.pad(torch.rand(1, 1, 2, 2), (3, 3, 3, 3), mode='reflect')",
    "empty-list": "torch.cat([])",
    "integer-mean": "torch.ones(3, dtype=torch.long).mean()",
    "index-type": "torch.ones(3)[torch.tensor([0.5])]",
    "numpy-kind": "import numpy; torch.from_numpy(numpy.arange(3)[::-1])",
}


@pytest.mark.parametrize("name", RAISED)
def test_what_torch_raises_is_answered_by_its_cause(name: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - of any kind
        exec(HEAD + RAISED[name], {"__name__": "raised"})
    text = f"{type(raised.value).__name__}: {raised.value}"
    (first, *_) = recognise(unify_text(text))
    assert first.kind.full_name == f"torch/{name.partition(' ')[0]}", text
