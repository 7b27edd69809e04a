from torch import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
        for weight in self.body.parameters():
            weight.requires_grad = False

    def forward(self, x):
        return self.head(self.body(x))


def train(batches):
    model = Net()
    for weight in model.parameters():
        weight.requires_grad = True  # hit
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def train_head(batches):
    model = Net()
    for weight in model.head.parameters():
        weight.requires_grad = True
    optimizer = optim.SGD(model.head.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def train_by_and_by(batches):
    model = Net()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    for weight in model.parameters():
        weight.requires_grad = True
    return model


def train_asked(batches, whole):
    model = Net()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    if whole:
        for weight in model.parameters():
            weight.requires_grad = True
    optimizer.step()
    return model


def build():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    model.requires_grad_(True)  # hit
    return model


def build_well():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    model.requires_grad_(True)
    model[0].requires_grad_(False)
    model.requires_grad_(False)
    model[1].requires_grad_(True)
    return model


if __name__ == "__main__":
    train([])
    train_head([])
    train_by_and_by([])
    train_asked([], whole=open("whole"))


def handed_over(model, other):
    for p in model.body.parameters():
        p.requires_grad = False
    for p in other.parameters():
        p.requires_grad = True
    for p in model.head.parameters():
        p.requires_grad = True
    for p in model.parameters():
        p.requires_grad = True  # hit


def freeze_norm(module):
    if module.__class__.__name__.find("BatchNorm") != -1:
        module.eval()


def freeze_first(module):
    if isinstance(module, nn.Conv2d):
        nn.init.zeros_(module.weight)


def tune(loader, optimizer):
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
    model.apply(freeze_norm)
    for _ in range(3):
        tune_once(model, loader, optimizer)


def tune_once(model, loader, optimizer):
    model.train()  # hit
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def tune_given(model, loader, optimizer):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()
    for _ in range(3):
        model.train()  # hit
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()


def tune_well(model, loader, optimizer):
    model.apply(freeze_norm)
    for _ in range(3):
        model.train()
        model.apply(freeze_norm)
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()


def tune_all(model, loader, optimizer):
    model.apply(freeze_first)
    for module in model.modules():
        module.eval()
    for _ in range(3):
        model.train()
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))

    def train(self, mode=True):
        super().train(mode)
        self.apply(freeze_norm)
        return self


def tune_frozen(loader, optimizer):
    model = Frozen()
    model.apply(freeze_norm)
    for _ in range(3):
        model.train()
        for x in loader:
            optimizer.zero_grad()
            model.body(x).sum().backward()
            optimizer.step()
