import torch


def epochs(model, loader, optimizer, criterion, n):
    for epoch in range(n):
        running_loss = 0.0
        correct = 0
        for images, labels in loader:
            optimizer.zero_grad()
            outputs = model(images)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
            running_loss += loss * images.size(0)  # hit
            correct += (outputs.argmax(1) == labels).sum()
        print(epoch, running_loss, correct)


def numbers(model, loader, optimizer):
    total = 0
    seen = []
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
        total += loss.detach()
        total += float(loss)
        seen.append(loss.item())
    return total / len(loader), seen


def listed(model, loader, optimizer):
    losses = []
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss)  # hit
    return torch.stack(losses).mean()


def written_out(model, loader, optimizer):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        total = total + loss  # hit
    return total


def scaled(model, loader, optimizer, scaler):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        total += loss  # hit
    return total


def meant_to_run_backward(model, loader, optimizer):
    for batch in loader:
        loss = 0.0
        for part in batch:
            loss += model(part).mean()
        loss.backward()
        optimizer.step()


def of_parts(model, loader, optimizer, criteria):
    for batch in loader:
        total = 0.0
        for criterion in criteria:
            loss = criterion(model(batch))
            total += loss
        total.backward()
        optimizer.step()


def kept_on_purpose(model, loader, optimizer):
    total = 0.0
    for batch in loader:
        loss = model(batch).mean()
        loss.backward(retain_graph=True)
        total += loss
    total.backward()
    optimizer.step()


def quiet(model, loader, optimizer):
    total = 0.0
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            total += loss
    return total


def reduced(model, loader, optimizer, reduce):
    total = 0.0
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        loss = reduce(loss)
        total += loss
    return total


def evaluate(model, loader, criterion):
    total = 0.0
    with torch.no_grad():
        for images, labels in loader:
            loss = criterion(model(images), labels)
            total += loss
    return total


def windows(model, loader, optimizer):
    window = 0.0
    for i, batch in enumerate(loader):
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        window += loss
        if i % 100 == 99:
            print(window / 100)
            window = 0.0


START = 0.0


def under_other_names(net, data, solver):
    so_far = START
    for item in data:
        solver.zero_grad()
        error = net(item).mean()
        again = error
        error.backward()
        solver.step()
        so_far += again  # hit
    return so_far


def taken_off(net, data, solver):
    so_far = START
    for item in data:
        solver.zero_grad()
        error = net(item).mean()
        error.backward()
        solver.step()
        error = error.detach()
        so_far += error
    return so_far


class Scaled:
    """What is not known may be a multiple of itself."""

    def measure(self, *parts, **settings):
        weight = settings["weight"]
        penalty = sum(parts)
        for part in parts:
            weight = -weight * weight
            penalty += weight
        return penalty

    def fit(self, data, solver):
        for item in data:
            solver.zero_grad()
            self.measure(*item).backward()
            solver.step()


class Searching:
    """A sum of what nobody knows is no sum of the loss, of which no more is known."""

    def fit(self, data, solver, estimator):
        total = 0
        for item in data:
            solver.zero_grad()
            loss = self.measure(item)[0] if self.is_short else self.measure(item)[1]
            loss.backward()
            solver.step()
            total += estimator.price(item)[0] if self.is_short else estimator.price(item)[1]
        return total


def sum_up(losses, backward=False):
    total = 0
    for loss in losses:
        total += loss
        if backward:
            loss.backward()
    return total


def run_all(model, batches, optimizer):
    for batch in batches:
        optimizer.zero_grad()
        sum_up([model(batch).mean(), model(batch).std()], backward=True)
        optimizer.step()


class Runner:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())
        self.total = 0
        self.clean = 0
        self.losses = []
        self.window = 0

    def step(self, x, y):
        self.window = 0
        self.optimizer.zero_grad()
        loss = (self.net(x) - y).square().mean()
        loss.backward()
        self.optimizer.step()
        self.total += loss  # hit
        self.losses.append(loss)  # hit
        self.clean += loss.item()
        self.window += loss

    def report(self):
        print(float(self.total), len(self.losses), self.clean)
        self.total = 0


class Accumulator:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())
        self.waiting = 0

    def step(self, x, y):
        loss = (self.net(x) - y).square().mean()
        loss.backward()
        self.waiting += loss

    def finish(self):
        self.waiting.backward()
        self.optimizer.step()


class Recorder:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())
        self.kept = {"loss": [], "clean": []}

    def step(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = (self.net(x) - y).square().mean()
            loss.backward()
            self.optimizer.step()
            self.kept["loss"].append(loss)  # hit
            self.kept["clean"].append(loss.item())


def recorded(net, optimizer, batches):
    kept = {"loss": [], "last": []}
    for x, y in batches:
        kept["last"] = []
        optimizer.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        kept["loss"].append(loss)  # hit
        kept["last"].append(loss)
    return kept


def averaged(model, batches, optimizer):
    mean = 0.0
    smooth = 0
    for x in batches:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        mean = 0.9 * mean + 0.1 * loss  # hit
        smooth = smooth * 0.99 + loss.item() * 0.01
        both = 0.5 * mean + 0.5 * loss
        print(both)
    return mean, smooth


def several_critics(loader, generator, critics, optimizers, criterion):
    for real, noise in loader:
        fake = generator(noise)
        total = 0
        for i in range(len(critics)):
            optimizers[i].zero_grad()
            loss = criterion(critics[i](real), critics[i](fake[i].detach()))
            loss.backward()
            optimizers[i].step()
            total += loss
        print(total.item())


def several_critics_by_next(loader, generator, critics, optimizers, criterion, n):
    step = 0
    while step < n:
        loader_iter = iter(loader)
        real, noise = next(loader_iter)
        fake = generator(noise)
        total = 0
        for i in range(len(critics)):
            optimizers[i].zero_grad()
            loss = criterion(critics[i](real), critics[i](fake[i].detach()))
            loss.backward()
            optimizers[i].step()
            total += loss
        step += 1
        print(total.item())


def several_epochs(loader, model, optimizer, criterion):
    for _ in range(10):
        total = 0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss  # hit
        print(total)


def of_each_agent(agents, sample, n_agents):
    losses = []
    for i in range(n_agents):
        loss = agents[i](sample).mean()
        loss.backward()
        losses.append(loss)
    return losses


def of_each_turn(model, samples, turns):
    losses = []
    for i in range(turns):
        loss = model(samples[i]).mean()
        loss.backward()
        losses.append(loss)  # hit
    return losses
