import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, index):
        h = self.fc(x)
        index = index[:, None].expand_as(h)
        total = torch.zeros(3, 4, device=x.device)
        total = total.scatter_add(0, index, h)  # hit
        kept = torch.zeros(3, 4, dtype=h.dtype).scatter_add(0, index, h)
        like = torch.zeros_like(h).scatter_add(0, index, h)
        return total, kept, like


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, keep):
        out = torch.zeros(6, 4)
        out[keep] = self.fc(x[keep])  # hit
        out[keep] = self.fc(x[keep]).to(out.dtype)
        out[:, 0] = self.fc(x)[:, 0]
        return out


class Trainer:
    def __init__(self):
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 1)
        self.table = torch.randn(3, 4)

    def step(self, x):
        with torch.autocast("cuda"):
            features = torch.relu(self.body(x))
            same = self.head(features)
        wide = self.head(features.float())
        return self.head(features), same, wide  # hit

    def search(self, x):
        names = torch.randn(3, 4)
        with torch.amp.autocast("cpu", dtype=torch.bfloat16):
            features = self.body(x)
        near = features.float() @ names.t()
        return near, features @ names.t()  # hit

    def perhaps(self, x, enabled):
        with torch.autocast("cuda", enabled=enabled):
            features = self.body(x)
        return self.head(features)

    def add(self, x, y, z):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            bias = torch.zeros(4, 4)
            product = torch.mm(x, y)
            torch.mm(x, y, out=torch.empty(4, 4))  # hit
            whole = torch.addmm(bias, product, z)
            bias.addmm_(product, z)  # hit
        return whole


def served():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    model.half()
    x = torch.randn(1, 4)
    model(x)  # hit
    model(x.half())
    return model.float()(x)


def exported():
    model = Pool().half().eval()
    torch.jit.trace(nn.Linear(4, 4).half(), torch.randn(1, 4))  # hit
    torch.onnx.export(model, (torch.randn(1, 4),), "a.onnx", dynamo=True)  # hit
    torch.onnx.export(model, (torch.randn(1, 4).half(),), "a.onnx", dynamo=True)
    torch.onnx.export(model.float(), (torch.randn(1, 4),), "a.onnx", dynamo=True)


def run():
    x = torch.randn(6, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        Pool()(x[:5], torch.tensor([0, 1, 2, 0, 1]))
        Masked()(x, x[:, 0] > 0)


if __name__ == "__main__":
    run()
    served()
    exported()
