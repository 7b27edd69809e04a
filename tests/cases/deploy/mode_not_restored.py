import torch
from torch import nn


def at_the_end_of_an_epoch(model, loader, held_out, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        model.eval()  # hit
        with torch.no_grad():
            print(model(held_out).mean())


def now_and_then(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0:
            model.eval()  # hit
            with torch.no_grad():
                print(model(held_out).mean())


def validate(net, held_out):
    net.eval()  # hit
    with torch.no_grad():
        return net(held_out).mean()


def through_a_helper(model, loader, held_out, optimizer):
    model.train()
    for _ in range(10):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        print(validate(model, held_out))


def restored_at_the_start(model, loader, held_out, optimizer):
    for _ in range(10):
        model.train()
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        model.eval()
        print(model(held_out).mean())


def restored_at_the_end(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0:
            model.eval()
            print(model(held_out).mean())
            model.train()


def scored(model, held_out):
    was_training = model.training
    model.eval()
    score = model(held_out).mean()
    model.train(was_training)
    return score


def restored_by_the_helper(model, loader, held_out, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        print(scored(model, held_out))


def train_one_epoch(model, loader, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def by_epochs(model, loader, held_out, optimizer):
    for _ in range(10):
        train_one_epoch(model, loader, optimizer)
        model.eval()
        print(model(held_out).mean())


def by_phases(model, loaders, optimizer):
    model.train()
    for _ in range(10):
        for phase in ("train", "val"):
            if phase == "train":
                model.train()
            else:
                model.eval()
            for batch in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    loss = model(batch).mean()
                    if phase == "train":
                        loss.backward()
                        optimizer.step()


def with_a_teacher(model, teacher, loader, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        teacher.eval()


def in_eval_mode_on_purpose(model, loader, optimizer):
    for _ in range(10):
        model.eval()
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def stops_after_it(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step == 100:
            model.eval()
            return model(held_out)


def unseen(model, loader, held_out, optimizer, evaluate):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        model.eval()
        evaluate(model, held_out)


def ahead_of_the_steps(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        if step % 100 == 0:
            model.eval()  # hit
            with torch.no_grad():
                print(model(held_out).mean())
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def with_frozen_statistics(model, loader, optimizer, freeze):
    for batch in loader:
        if freeze:
            model.eval()
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def asked(model, held_out):
    was_training = model.training
    model.eval()
    score = model(held_out).mean()
    if was_training:
        model.train()
    return score


def restored_where_it_was_training(model, loader, held_out, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        print(asked(model, held_out))


class Trainer:
    def train_epoch(self):
        self.model.train()
        for step, batch in enumerate(self.loader):
            if step % 100 == 0:
                self.validate()
            self.optimizer.zero_grad()
            self.model(batch).mean().backward()
            self.optimizer.step()

    def validate(self):
        training = self.model.training
        self.model.eval()
        with torch.no_grad():
            print(self.model(self.held_out))
        if training:
            self.model.train()


def by_function(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0:
            back = model.train if model.training else model.eval
            model.eval()
            print(model(held_out).mean())
            back()


def part_by_part(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0:
            modes = {part: part.training for part in model.modules()}
            model.eval()
            print(model(held_out).mean())
            for part, mode in modes.items():
                part.training = mode


def in_the_end(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0:
            mode = model.training
            try:
                model.eval()
                print(model(held_out).mean())
            finally:
                model.train(mode=mode) if mode else None


def saved_and_forgotten(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0:
            was_training = model.training
            print(was_training)
            model.eval()  # hit
            print(model(held_out).mean())


def told_before(model, loader, held_out, optimizer):
    model.train()
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        if step % 100 == 0 and model.training:
            model.eval()  # hit
            print(model(held_out).mean())


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)

    def forward(self, x):
        return self.norm(x)


def of_its_own_making(loader, held_out):
    model = Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        model.train(False)  # hit
        print(model(held_out).mean())


class Runner:
    def __init__(self, loader):
        self.model, self.loader = Network(), loader
        self.optimizer = torch.optim.SGD(params=self.model.parameters(), lr=0.1)

    def evaluate(self):
        self.model.train(mode=False)  # hit
        return self.model(torch.rand(4, 2))

    def fit(self):
        self.model.train()
        for _ in range(10):
            for batch in self.loader:
                self.step(batch)
            print(self.evaluate())

    def step(self, batch):
        self.optimizer.zero_grad()
        self.model(batch).mean().backward()
        self.optimizer.step()


class Restoring(Runner):
    def evaluate(self):
        net = self.model
        net.eval()
        score = net(torch.rand(4, 2))
        net.train()
        return score

    def fit(self):
        self.model.train()
        for _ in range(10):
            for batch in self.loader:
                self.step(batch)
            print(self.evaluate())


def with_an_average(model, loader, held_out):
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.Adam(model.parameters())
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        average.update_parameters(model)
        average.eval()
        print(average(held_out))


def of_two(first, second, loader, held_out):
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()])
    for batch in loader:
        for model in (first, second):
            model.train()
        optimizer.zero_grad()
        second(first(batch)).mean().backward()
        optimizer.step()
        first.eval()
        second.eval()
        print(second(first(held_out)))


class Plain(torch.nn.Module):
    """Does the same in both modes."""

    def __init__(self, wide, kind=torch.nn.ReLU):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, wide), kind())
        self.rnn = torch.nn.GRU(wide, 8, batch_first=True)

    def forward(self, x):
        return self.rnn(self.layers(x))[0]


class Dropping(Plain):
    def __init__(self, wide):
        super().__init__(wide)
        self.rnn = torch.nn.GRU(wide, 8, 2, dropout=0.1)


class Asking(Plain):
    def forward(self, x):
        return super().forward(x) if self.training else x


def of_a_dropping_model(loader, held_out, epochs):
    model = Dropping(16)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        model.eval()  # hit
        print(model(held_out).mean())


def of_an_asking_model(loader, held_out, epochs, layer):
    model = Asking(16)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        model.eval()  # hit
        print(model(held_out).mean())


def of_a_model_of_unknown_layers(loader, held_out, epochs, layer):
    model = Plain(16, layer)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        model.eval()  # hit
        print(model(held_out).mean())


model = Plain(16)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(10):
    for batch in torch.rand(10, 4, 8):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    model.eval()
    print(model(torch.rand(4, 8)).mean())

dropping = Dropping(16)
optimizer = torch.optim.Adam(dropping.parameters())
for _ in range(10):
    for batch in torch.rand(10, 4, 8):
        optimizer.zero_grad()
        dropping(batch).mean().backward()
        optimizer.step()
    dropping.eval()  # hit
    print(dropping(torch.rand(4, 8)).mean())


def train_sharded(model, loader, optimizer, criterion):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


def validate_sharded(model, loader, criterion):
    model.eval()
    total = 0.0
    with torch.inference_mode():
        for x, y in loader:
            total += criterion(model(x), y).item()
    return total


def run_sharded(rank, cfg, a, b):
    model = unknown_net()
    params = model.parameters()
    if cfg.backend == "fsdp":
        model = torch.distributed.fsdp.FullyShardedDataParallel(model, use_orig_params=True)
    else:
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.AdamW(params, lr=1e-3)
    criterion = torch.nn.MSELoss()
    for epoch in range(1, cfg.epochs):
        train_sharded(model, a, optimizer, criterion)
        if epoch % cfg.every == 0:
            print(validate_sharded(model, b, criterion))


def choose_mode(model, train):
    def run(x):
        if not train:
            model.eval()
            return model(x)
        else:
            model.train()
            return model(x)

    return run


def fit_by_mode(model, loader, held_out, optimizer):
    for step, x in enumerate(loader):
        optimizer.zero_grad()
        choose_mode(model, train=True)(x).mean().backward()
        optimizer.step()
        if step % 10 == 0:
            with torch.no_grad():
                print(choose_mode(model, train=False)(held_out).mean())


def fit_a_row(loader, held_out):
    row = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    drop = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Dropout(0.1))
    optimizer = torch.optim.SGD([*row.parameters(), *drop.parameters()], lr=0.1)
    of_row, of_drop = torch.optim.SGD(row.parameters()), torch.optim.SGD(drop.parameters())
    for x in loader:
        optimizer.zero_grad()
        (row(x).mean() + drop(x).mean()).backward()
        of_row.step()
        of_drop.step()
        row.eval()
        drop.eval()  # hit
        with torch.no_grad():
            print(row(held_out).mean(), drop(held_out).mean())


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.norm(x))


def train_once(loader, net, criterion, optimizer):
    for x, y in loader:
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def look_at(loader, net):
    net.eval()  # hit
    with torch.no_grad():
        return sum((net(x) - y).abs().mean() for x, y in loader)


def in_groups(loader, held_out):
    net = Normed()
    optimizer = torch.optim.Adam([{"params": net.parameters()}], lr=0.1)
    for _ in range(10):
        train_once(loader, net, nn.MSELoss(), optimizer)
        print(look_at(held_out, net))
