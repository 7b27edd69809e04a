import torch
from torch.cuda.amp import GradScaler


class Trainer:
    """The optimizer is made by whoever derives from it."""

    def __init__(self):
        self.optimizer = None
        self.scaler = None
        self.network = None

    def prepare(self):
        pass

    def run(self, batches):
        self.prepare()
        self.scaler = GradScaler()
        for batch in batches:
            self.step(batch)

    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.network(batch)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
