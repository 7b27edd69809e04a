import torch
import torch.nn.functional as F
from torch import nn


class Agent(nn.Module):
    """What is gathered between two steps is there when it learns."""

    def __init__(self):
        super().__init__()
        self.data = []
        self.fc = nn.Linear(4, 2)

    def pi(self, x):
        return F.softmax(self.fc(x), dim=1)

    def put(self, item):
        self.data.append(item)

    def make_batch(self):
        states, actions = [], []
        for state, action in self.data:
            states.append(state)
            actions.append([action])
        self.data = []
        return torch.tensor(states, dtype=torch.float), torch.tensor(actions)

    def learn(self):
        states, actions = self.make_batch()
        return self.pi(states).gather(1, actions)


class Levels(nn.Module):
    """How many maps there are is not known, so neither is which layer is next."""

    def __init__(self, channels=(512, 1024, 2048), levels=3):
        super().__init__()
        self.levels = levels
        self.inputs = nn.ModuleList(nn.Conv2d(c, 256, 1) for c in channels)

    def forward(self, maps):
        found = [self.inputs[i](each) for i, each in enumerate(maps)]
        if self.levels > len(found):
            for i in range(len(found), self.levels):
                found.append(self.inputs[i](found[-1]))
        return found


class Coder(nn.Module):
    """Another input for each thing it is asked for."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3)
        self.last = nn.Conv2d(4, 3, 3)

    def forward(self, x, task):
        if task == "encode":
            return self.first(x)
        if task == "decode":
            return self.last(x)
        raise NotImplementedError


class Unmade(nn.Module):
    """Its constructor raises: of what comes afterwards nothing is said."""

    def __init__(self, scale=2):
        super().__init__()
        self.first = nn.Conv2d(3, 32 / scale, 3)
        self.last = nn.Conv2d(32, 8, 3)

    def forward(self, x):
        return self.last(self.first(x))


class Fed(nn.Module):
    def forward(self, x, extra, label):
        return torch.cat([x, extra], dim=1) * label.unsqueeze(-1)


class Smoothed(nn.Module):
    def __init__(self):
        super().__init__()
        self.criterion = nn.KLDivLoss(size_average=False, reduce=False)

    def forward(self, x, target):
        x = x.reshape(-1, x.size(-1))
        return self.criterion(x, torch.zeros_like(x)).sum(1) * target


if __name__ == "__main__":
    Fed()(torch.rand(2, 3, 8), torch.rand(2, 16))


class FewShot(nn.Module):
    """What is empty at first, and set before anything is asked of it."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.prototypes = torch.tensor(())
        self.labels = torch.zeros(0)

    def process(self, images, labels):
        self.prototypes = self.backbone(images)
        self.labels = labels

    def forward(self, images):
        found = self.backbone(images)
        scores = torch.cdist(found, self.prototypes)
        near = nn.functional.normalize(self.prototypes, dim=1)
        return scores, found @ near.T, scores.mm(self.labels)


class Sizes:
    batch_size = -1


class Stateful(nn.Module):
    """A setting that everybody is to make."""

    def __init__(self, sizes: Sizes = Sizes()):
        super().__init__()
        self.state = torch.zeros(sizes.batch_size, 8)
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x) + self.state
