import torch
from torch import nn


class Words(nn.Module):
    def __init__(self, count=10, width=8):
        super().__init__()
        self.width = width
        self.embed = nn.Embedding(count, width)
        self.rnn = nn.GRU(width, width)
        self.out = nn.Linear(width, count)

    def begin(self, batch):
        return torch.zeros(1, batch, self.width)

    def forward(self, x, state):
        y, state = self.rnn(self.embed(x), state)
        return self.out(y), state


class Kept(Words):
    def forward(self, x, state):
        y, state = self.rnn(self.embed(x), state)
        return self.out(y), state.detach()


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 4)
        self.seen = None

    def forward(self, x):
        self.seen = self.cell(x, self.seen)  # hit
        return self.seen[0]


class OwnReset(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.reset()

    def reset(self):
        self.memory = torch.zeros(2, 4)

    def forward(self, x):
        self.memory = self.cell(x, self.memory)
        return self.memory


def train_own(batches):
    model, other = Own(), OwnReset()
    for x in batches:
        model(x).mean().backward()
        other.reset()
        other(x).mean().backward()


def train(model: nn.Module, batches, optimizer, criterion=nn.CrossEntropyLoss()):
    state = model.begin(2)
    for x, y in batches:
        optimizer.zero_grad()
        output, state = model(x, state)  # hit
        criterion(output.view(-1, 10), y.view(-1)).backward()
        optimizer.step()


def train_kept(batches, criterion=nn.CrossEntropyLoss()):
    model = Kept()
    state = model.begin(2)
    for x, y in batches:
        output, state = model(x, state)
        criterion(output.view(-1, 10), y.view(-1)).backward()


def train_detached(batches, criterion=nn.CrossEntropyLoss()):
    model = Words()
    state = model.begin(2)
    for x, y in batches:
        state = state.detach()
        output, state = model(x, state)
        criterion(output.view(-1, 10), y.view(-1)).backward()


def train_begun(batches, criterion=nn.CrossEntropyLoss()):
    model = Words()
    for x, y in batches:
        state = model.begin(2)
        output, state = model(x, state)
        criterion(output.view(-1, 10), y.view(-1)).backward()


def detach(state):
    return tuple(each.detach() for each in state)


class Trainer:
    def __init__(self):
        self.rnn = nn.LSTM(4, 4)
        self.optimizer = torch.optim.SGD(self.rnn.parameters(), lr=0.1)

    def fit(self, batches):
        hidden = None
        for batch in batches:
            out, hidden = self.rnn(batch, hidden)  # hit
            self.step(out.mean())

    def step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def fit_well(self, batches):
        hidden = None
        for batch in batches:
            out, hidden = self.rnn(batch, hidden)
            hidden = detach(hidden)
            self.step(out.mean())

    def fit_in_parts(self, batches):
        hidden, total = None, 0.0
        for i, batch in enumerate(batches):
            out, hidden = self.rnn(batch, hidden)
            total = total + out.mean()
            if i % 4 == 3:
                self.step(total)
                hidden, total = detach(hidden), 0.0

    def look(self, batches):
        hidden = None
        for batch in batches:
            out, hidden = self.rnn(batch, hidden)
        return out


class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8)
        self.clear()

    def clear(self):
        self.h = torch.zeros(1, 2, 8)
        self.c = torch.zeros(1, 2, 8)

    def forward(self, x):
        out, (self.h, self.c) = self.rnn(x, (self.h, self.c))  # hit
        return out


class Forgets(Remembers):
    def forward(self, x):
        out, (self.h, self.c) = self.rnn(x, (self.h.detach(), self.c.detach()))
        return out


class Cleared(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 8)
        self.clear()

    def clear(self):
        self.h = torch.zeros(1, 2, 8)
        self.c = torch.zeros(1, 2, 8)

    def forward(self, x):
        out, (self.h, self.c) = self.rnn(x, (self.h, self.c))
        return out


def train_remembering(batches):
    model = Remembers()
    for batch in batches:
        model(batch).mean().backward()


def train_forgetting(batches):
    model = Forgets()
    for batch in batches:
        model(batch).mean().backward()


def train_cleared(batches):
    model = Cleared()
    for batch in batches:
        model.clear()
        model(batch).mean().backward()


if __name__ == "__main__":
    batches = [(torch.randint(10, (5, 2)), torch.randint(10, (5, 2)))] * 3
    words = Words()
    train(words, batches, torch.optim.Adam(words.parameters()))


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 8)
        self.state = None

    def forward(self, x, state):
        y, self.state = self.rnn(x, state)
        return y, self.state


def train_keeping(batches, epochs):
    model = Keeps()
    optimizer = torch.optim.Adam(model.parameters())
    state = None
    for _ in range(epochs):
        for x in batches:
            if state is not None:
                if isinstance(state, tuple):
                    state = (state[0].detach(), state[1].detach())
                else:
                    state = state.detach()
            y, state = model(x, state)
            optimizer.zero_grad()
            y.mean().backward()
            optimizer.step()


class Speaker:
    def __init__(self, reset=False):
        self.net = Recall()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.hidden = torch.zeros(1, 2, 4)
        self.clean = torch.zeros(1, 2, 4)

    def step(self, x):
        self.optimizer.zero_grad()
        out, self.hidden = self.net(x, self.hidden)  # hit
        out.square().mean().backward()
        self.optimizer.step()

    def step_well(self, x):
        self.optimizer.zero_grad()
        self.clean = self.clean.detach()
        out, self.clean = self.net(x, self.clean)
        out.square().mean().backward()
        self.optimizer.step()

    def run(self, batches):
        for x in batches:
            self.step(x)
        for x in batches:
            self.step_well(x)


class Recall(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4)

    def forward(self, x, h):
        out, h = self.rnn(x, h)
        return out, h

    def look(self, x, h):
        out, h = self.rnn(x, h)
        return out, h


def train_on_top(recall, top, batches, optimizer):
    for x in batches:
        begun = torch.zeros(1, x.size(1), 4)
        out, begun = recall.look(x, begun)
        optimizer.zero_grad()
        top(out).square().mean().backward()
        optimizer.step()
