# profile: torch.export onnx
"""Python orders numbers that were read from tensors."""

from torch import nn


class Ordered(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(8, 3) for _ in range(3)])
        self.names = ["a", "b", "c"]

    def forward(self, x):
        outs = [head(x) for head in self.heads]
        scores = [out.max().item() for out in outs]
        best = outs[scores.index(max(scores))]  # hit
        rows = sorted(outs, key=lambda out: out.mean().item())  # hit
        rows.sort(key=lambda out: float(out.sum()))  # hit
        most = max(outs, key=score)  # hit
        scaled = x / max(x.abs().max().item(), 1.0)  # hit
        first = sorted(self.names)[0], self.names.index("b"), max(x.shape[0], 1)
        longest = max(outs, key=lambda out: out.dim())
        return best, rows, most, scaled, first, longest, max([scores[0]])


def score(out):
    return out.sum().item()
