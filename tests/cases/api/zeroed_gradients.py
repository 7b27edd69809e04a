import torch


class Trainer:
    def __init__(self, model):
        self.optimizer = torch.optim.Adam(model.parameters())

    def step(self, model, loss, keep):
        self.optimizer.zero_grad(set_to_none=False)  # hit
        model.zero_grad(set_to_none=False)  # hit
        model.zero_grad(set_to_none=True)
        model.zero_grad(set_to_none=keep)
        self.optimizer.zero_grad()
        model.prepare(set_to_none=False)
        loss.backward()
