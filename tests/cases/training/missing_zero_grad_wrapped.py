import torch
from torch import nn


class Transparent(nn.DataParallel):
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def score(self, x):
        return self.fc(x).mean()


class Trainer:
    def __init__(self, model, gpus=None):
        self.model = model
        self.optimizer = torch.optim.Adam(self.model.parameters())
        if gpus is not None:
            self.model = Transparent(self.model, device_ids=gpus)

    def train(self, batches):
        self.model.train(True)
        for x in batches:
            self.model.zero_grad()
            self.model.score(x).backward()
            self.optimizer.step()

    def train_uncleared(self, batches):
        self.model.train(True)
        for x in batches:
            self.model.score(x).backward()
            self.optimizer.step()  # hit


def main(args, batches):
    trainer = Trainer(Net(), gpus=args.gpus)
    trainer.train(batches)
    trainer.train_uncleared(batches)
