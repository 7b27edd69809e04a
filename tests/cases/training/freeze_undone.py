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
