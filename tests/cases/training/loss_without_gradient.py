import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())

    def compare(self, x, y):
        guess = self.net(x).argmax(dim=1).float()
        return F.mse_loss(guess, y.float())

    def compare_well(self, x, y):
        return F.cross_entropy(self.net(x), y)

    def step(self, x, y):
        loss = self.compare(x, y)
        self.optimizer.zero_grad()
        loss.backward()  # hit
        self.optimizer.step()

    def step_well(self, x, y):
        loss = self.compare_well(x, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def dice(logits, target):
    guess = (torch.sigmoid(logits) > 0.5).float()
    return 1 - (guess * target).sum() / (guess.sum() + target.sum())


def train_by_threshold(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for image, mask in loader:
        optimizer.zero_grad()
        loss = dice(model(image), mask)
        loss.backward()  # hit
        optimizer.step()


def train_on_numbers(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        losses = torch.tensor([F.cross_entropy(out, y) for out in model(x)])
        losses.mean().backward()  # hit
        optimizer.step()


def train_on_stack(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        losses = torch.stack([F.cross_entropy(out, y) for out in model(x)])
        losses.mean().backward()
        optimizer.step()


def train_without_recording(model, loader, train=True):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        with torch.no_grad():
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()  # hit
        optimizer.step()


def train_as_told(model, loader, train=True):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        with torch.set_grad_enabled(train):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def distill(model, teacher, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for x, _ in loader:
        with torch.no_grad():
            wanted = teacher(x)
        loss = F.mse_loss(model(x), wanted.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def attack(model, x, y):
    x = x.detach().requires_grad_()
    with torch.no_grad():
        guess = model(x).argmax(1)
    loss = (x - guess).square().mean()
    loss.backward()
    return x.grad


def stop_one_side(p, z):
    loss = (p - z.detach()).square().mean()
    loss.backward()


def train_in_disguise(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x).argmax(1).float(), y.float())
        loss.requires_grad_()  # hit
        loss.backward()
        optimizer.step()


def train_in_old_disguise(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss = Variable(loss.data, requires_grad=True)  # hit
        loss.backward()
        optimizer.step()


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(4, 2))

    def forward(self, x):
        made = torch.zeros(x.size(0), 2)
        made[:, 0] = self.rows[x.argmax(1), 0]
        return made


def train_table(loader):
    table = Table()
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        table(x).sum().backward()
        optimizer.step()


def measure(model, x):
    with torch.no_grad():
        return model(x)


def train_and_measure(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        before = measure(model, x)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y) + before.mean()
        loss.backward()
        optimizer.step()


class ErrorLoss(nn.Module):
    def forward(self, guess, target):
        error = (guess - target).square()
        if not len(error):
            return torch.tensor(0.0, requires_grad=True)
        return torch.tensor(error.mean(), requires_grad=True)  # hit


def start_loss():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def leaf(picture):
    return torch.tensor(picture.mean(), requires_grad=True)


def complex_weights(steps):
    weight = nn.Parameter(((0.0 + 1.0j) * torch.randn(3, 3)).to(torch.cfloat))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(steps):
        loss = torch.view_as_real(weight * weight.conj()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def handed_a_loss(model, loader, opt, criterion):
    for x, y in loader:
        with torch.no_grad():
            scores = model.head(model.body(x))
        loss = criterion(scores, y)
        opt.zero_grad()
        loss.backward()  # hit
        opt.step()


def handed_a_head(model, head, loader, opt, criterion):
    for x, y in loader:
        with torch.no_grad():
            found = model.body(x)
        loss = criterion(head(found), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


class Single(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(x)


class Quantiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)

    def forward(self, x, count):
        return self.body(x).view(x.shape[0], count, 1), torch.rand(x.shape[0], count, 1)


class Agent:
    def __init__(self, wide: bool):
        self.critic = Quantiles() if wide else Single()
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def learn(self, batch):
        states, rewards, following = batch
        with torch.no_grad():
            after, _ = self.critic(following, 8)
            wanted = rewards + 0.9 * after
        now, places = self.critic(states, 8)
        error = wanted - now.cpu()
        loss = (abs(places.cpu() - (error.detach() < 0).float()) * error.pow(2)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def reduce_all(losses):
    if torch.distributed.get_world_size() < 2:
        return losses
    with torch.no_grad():
        values = []
        for key in sorted(losses.keys()):
            values.append(losses[key])
        values = torch.stack(values)
        torch.distributed.all_reduce(values)
        return dict(zip(sorted(losses), values))


def logged_after(model, criterion, loader, optimizer):
    for x, y in loader:
        loss = criterion(model(x), y, 1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print({name: value.item() for name, value in reduce_all({"loss": loss}).items()})


class Features(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(3, 3, 1) for _ in range(size)])
        self.layers = (1, 3)

    def forward(self, x):
        output = []
        for i, block in enumerate(self.convs):
            x = block(x)
            if i in self.layers:
                output.append(x)
            if i == max(self.layers):
                break
        return output


def match_features(generator, targets, size):
    judge, optimizer = Features(size), torch.optim.Adam(generator.parameters())
    for _ in range(9):
        with torch.no_grad():
            real = judge(targets)
        fake = judge(generator(torch.randn(1, 3, 8, 8)))
        loss = sum([F.l1_loss(a, b) for a, b in zip(fake, real)]) / len(fake)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_behind_a_name(loader):
    net = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        chosen = net(x).argmax(dim=1).float()
        loss = F.mse_loss(chosen, y.float())
        loss.requires_grad_(True)  # hit
        loss.backward()
        optimizer.step()


def train_by_attribute(loader):
    net = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        chosen = net(x).argmax(dim=1).float()
        loss = F.mse_loss(chosen, y.float())
        loss.requires_grad = True  # hit
        loss.backward()
        optimizer.step()


def move_the_input(x):
    net = nn.Linear(4, 4)
    x.requires_grad = True
    loss = net(x).square().mean()
    loss.backward()
    return x.grad
