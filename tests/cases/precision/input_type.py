import cv2
import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 1, 1))

    def forward(self, x):
        return self.body(x)


class Labels(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 2)

    def forward(self, x):
        named = nn.functional.one_hot(x.argmax(-1), 4)
        return self.score(named)  # hit


class Rows(Dataset):
    def __init__(self, n):
        self.x = np.random.randn(n, 4)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": torch.from_numpy(self.x[i]), "y": 1.0, "narrow": self.x[i].astype("float32")}


def read(path):
    image = np.array(Image.open(path).convert("RGB").resize((64, 64)))
    return torch.from_numpy(image.transpose(2, 0, 1))[None]


def show(path):
    net = Net().eval()
    print(net(read(path)))  # hit
    print(net(read(path).float() / 255))
    print(net(read(path) / 255))
    scaled = np.asarray(Image.open(path).convert("RGB")) / 255.0
    print(net(torch.tensor(scaled).permute(2, 0, 1)[None]))  # hit
    print(net(torch.tensor(scaled, dtype=torch.float32).permute(2, 0, 1)[None]))
    wide = Net().double()
    print(wide(torch.tensor(scaled).permute(2, 0, 1)[None]))
    drawn = cv2.imread(path)
    print(net(torch.from_numpy(drawn.transpose(2, 0, 1)).unsqueeze(0)))  # hit
    drawn = cv2.cvtColor(drawn, cv2.COLOR_BGR2RGB).astype(np.float32)
    print(net(torch.from_numpy(drawn.transpose(2, 0, 1)).unsqueeze(0)))
    whole = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    print(net(torch.from_numpy(whole.transpose(2, 0, 1)).unsqueeze(0)))


def fit(rows=100):
    net = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 1))
    for batch in DataLoader(Rows(rows), 8, shuffle=True):
        net(batch["x"]).mean().backward()  # hit
        net(batch["narrow"]).mean().backward()
        net(batch["x"].to(torch.float32)).mean().backward()


def draw(kind, device):
    net = nn.Linear(4, 1).to(device, kind)
    print(net(torch.randint(5, (8, 4))))
    plain = nn.Linear(4, 1).to(device)
    print(plain(torch.randint(5, (8, 4))))  # hit
    print(plain(torch.randint(5, (8, 4)).to(plain.weight.dtype)))
    print(plain(torch.randint(5, (8, 4)).type_as(plain.weight)))
    asked = nn.Linear(4, 1, dtype=torch.float64)
    print(asked(torch.from_numpy(np.zeros((3, 4)))))
    mixed = np.zeros((3, 4), np.float32) * 2.0 + np.ones(4, dtype="float32")
    print(plain(torch.from_numpy(mixed)))
    print(plain(torch.from_numpy(mixed + np.linspace(0, 1, 4))))  # hit
    print(plain(torch.Tensor(np.zeros((3, 4)))))
