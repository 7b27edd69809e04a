import torch
from torch import nn


def collected(model, loader, prompt):
    found = torch.empty(0)
    for x in loader:
        found = torch.cat([found, model(x)], dim=0)  # hit
    best = None
    for x in loader:
        best = x if best is None else torch.cat([best, x])  # hit
    rows = torch.empty(0)
    while loader:
        rows = torch.vstack((rows, loader.pop()))  # hit
    few = torch.empty(0)
    for _ in range(3):
        few = torch.cat([few, model(few)])
    three = torch.empty(0)
    for x in (1, 2, 3):
        three = torch.cat([three, model(x)])
    tokens = prompt
    for _ in range(100):
        token = model(tokens)
        tokens = torch.cat([tokens, token], dim=1)
    for x in loader:
        both = torch.cat([x, x])
    for x in loader:
        x = torch.cat([x, x.flip(0)])
    parts = []
    for x in loader:
        parts.append(torch.cat([x, x]))
    seen = None
    for x in loader:
        if seen is None:
            seen = x
        else:
            seen = torch.cat([seen, x])  # hit
    late = torch.empty(0)
    for x in range(1000):
        late = torch.cat([late, x])  # hit
    return found, rows, both, late


class Dense(nn.Module):
    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        y = x
        for layer in self.layers:
            y = torch.cat([y, layer(x)], 1)
        return y


@torch.jit._script_if_tracing
def scripted(masks):
    found = torch.zeros(0)
    for i in range(masks.size(0)):
        found = torch.cat((found, masks[i]))
    return found
