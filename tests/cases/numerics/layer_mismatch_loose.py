import torch


class Collected:
    def __init__(self):
        self.kept = []

    def add(self, batch):
        self.kept.append(batch)

    def compute(self):
        return torch.cat(self.kept)
