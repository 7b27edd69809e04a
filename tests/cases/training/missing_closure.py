import torch


class Fitter:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5)

    def fit(self, x, y):
        self.optimizer.zero_grad()
        torch.nn.functional.mse_loss(self.model(x), y).backward()
        self.optimizer.step()  # hit

    def fit_well(self, x, y):
        def closure():
            self.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            return loss

        self.optimizer.step(closure)


def choose(model, name, x):
    if name == "lbfgs":
        optimizer = torch.optim.LBFGS(model.parameters())
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
