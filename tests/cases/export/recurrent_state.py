import torch
from torch import nn
from torch.nn.utils import rnn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Net(nn.Module):
    def __init__(self, first, **options):
        super().__init__()
        self.lstm = nn.LSTM(8, 8)
        self.gru = nn.GRU(8, 8, batch_first=True)
        self.rnn = nn.RNN(8, 8, batch_first=True)
        self.projected = nn.LSTM(8, 8, batch_first=True, proj_size=4)  # hit
        self.cell = nn.LSTMCell(8, 8)
        self.any = nn.GRU(8, 8, batch_first=first)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)  # hit
        out, _ = self.gru(packed)
        out, lengths = pad_packed_sequence(out, batch_first=True)
        packed = rnn.pack_sequence([x[0], x[1]])  # hit
        h = x.new_zeros(1, x.size(0), 8)
        return self.lstm(out, (h, h))[0]  # hit


class CTCLoss(nn.Module):
    def forward(self, x, target):
        return pack_padded_sequence(x, target)


def collate(batch):
    return rnn.pack_sequence(batch)


layer = nn.LSTM(8, 8)


def make_layer(width, kind=nn.LSTM):
    return kind(width, width)  # hit


class Base(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.layer = nn.GRU(**options)  # hit


class Spelled(Base):
    def __init__(self, width=8):
        super().__init__({"input_size": width, "hidden_size": width})
        self.other = make_layer(width)
        settings = {"batch_first": True}
        self.first = nn.LSTM(width, width, **settings)
        self.smaller = nn.LSTM(width, width, proj_size=width // 2, **settings)  # hit
        self.pack = pack_padded_sequence

    def forward(self, x, lengths):
        packed = self.pack(x, lengths, enforce_sorted=False)  # hit
        return self.first(packed)[0], self.sort(x)

    def sort(self, parts):
        return rnn.pack_sequence(sequences=[parts[0], parts[1]])  # hit


class Windowed(nn.Module):
    """Settings fix the length of what it runs over."""

    def __init__(self, settings):
        super().__init__()
        self.window = settings.window
        self.conv = nn.Conv2d(1, 8, (settings.kernel, 4))
        self.rnn = nn.GRU(8, 8)
        self.steps = nn.GRU(8, 8)

    def forward(self, x, sequence):
        maps = self.conv(x.view(-1, 1, self.window, 4)).squeeze(3)
        steps, _ = self.steps(sequence.view(sequence.size(0), -1, 8))  # hit
        return self.rnn(maps.permute(2, 0, 1))[1], steps


class Packed(nn.Module):
    """What is packed is refused there, whatever the layout of the layer."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths)  # hit
        return pad_packed_sequence(self.rnn(packed)[0])


class Stepped(nn.Module):
    """One step at a time, over a batch."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8)
        self.first = nn.LSTM(8, 8, batch_first=True)
        self.turned = nn.LSTM(8, 8)

    def forward(self, x, inner):
        state = None
        for step in range(4):
            out, state = self.rnn(inner(x[:, step]).unsqueeze(0), state)
        turned, _ = self.turned(inner(x[:, 0]).unsqueeze(1))  # hit
        return out, turned, self.first(x[:, 0].unsqueeze(1))


class Shown(nn.Module):
    """What another method runs it over is exported by nobody."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths)  # hit
        return pad_packed_sequence(self.rnn(packed)[0])

    def show(self, x):
        return self.rnn(x)[0]


def show_all():
    return Shown().show(torch.ones(5, 2, 8))


show_all()


class StepByStep(nn.Module):
    """Each call takes one step, however many there are: measured right at other batch sizes."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(28, 100)

    def forward(self, seq):
        state, outs = torch.zeros(1, seq.size(1), 100), []
        for i in range(seq.size(0)):
            out, state = self.rnn(seq[i].unsqueeze(0), state)
            outs.append(out)
        return torch.cat(outs)


class Sliced(nn.Module):
    """One step at a time, as a slice."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 16)
        self.first = nn.LSTM(8, 16)
        self.last = nn.LSTM(8, 16)
        self.row = nn.LSTM(8, 16)
        self.chunks = nn.LSTM(8, 16)

    def forward(self, seq, n: int):
        state = None
        for i in range(n):
            out, state = self.rnn(seq[i : i + 1], state)
            step = seq[i : i + 1, :, :]
            first, _ = self.first(step)
        for t in range(1, n):
            last, _ = self.last(seq[t - 1 : t])
        for each in seq:
            row, _ = self.row(each[None])
        for i in range(0, n, 4):
            part, _ = self.chunks(seq[i : i + 4])  # hit
        return out, first, last, row, part


class Stepper(nn.Module):
    """One word at a time, beside what it attends to."""

    def __init__(self, words, wide):
        super().__init__()
        self.embed = nn.Embedding(words, wide)
        self.rnn = nn.GRU(2 * wide, wide)

    def forward(self, word, hidden, context):
        step = self.embed(word).unsqueeze(0)
        taken = torch.cat([step, context.transpose(0, 1)], 2)
        return self.rnn(taken, hidden)


class StepperWithDropout(nn.Module):
    """The same, thinned out on the way."""

    def __init__(self, words, wide, rate=0.2):
        super().__init__()
        self.embed = nn.Embedding(words, wide)
        self.dropout = nn.Dropout(rate, inplace=True)
        self.rnn = nn.GRU(2 * wide, wide)
        self.whole = nn.GRU(wide, wide)

    def forward(self, word, hidden, context):
        step = self.embed(word).unsqueeze(0)
        step = self.dropout(step)
        taken = torch.cat([step, context.transpose(0, 1)], 2)
        return self.rnn(torch.relu(taken).contiguous(), hidden), self.whole(self.dropout(context))  # hit


class OfPacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.rnn = nn.LSTM(4, 3)

    def forward(self, packed):
        rows = nn.utils.rnn.PackedSequence(self.embed(packed.data), packed.batch_sizes)
        return self.rnn(rows)[1][0]


class Slots(nn.Module):
    """One step for each layer that the state has."""

    def __init__(self, wide):
        super().__init__()
        self.rnn = nn.GRU(wide, wide)
        self.whole = nn.GRU(wide, wide)

    def forward(self, step, hidden, context):
        for _ in range(4):
            step, hidden = self.rnn(step.expand_as(hidden), hidden)
        return step, self.whole(context.expand_as(step), hidden)  # hit


class Trainer:
    def __init__(self, device):
        self.rnn = nn.LSTM(8, 8).to(device)

    def step(self, x):
        return self.rnn(x)[0].mean()


class Agent(nn.Module):
    """Methods that nothing here calls."""

    def __init__(self, wide):
        super().__init__()
        self.steps = nn.LSTM(wide, wide)
        self.whole = nn.LSTM(wide, wide)  # hit

    def look(self, rows, state):
        for row in rows:
            row, state = self.steps(row.unsqueeze(0), state)
        return self.whole(rows)[0], state


class OfStackedSteps(nn.Module):
    """As many steps as settings say."""

    def __init__(self, kinds, width, steps):
        super().__init__()
        self.steps = steps
        self.query = nn.Embedding(kinds, width)
        self.lstm = nn.LSTM(width, width)

    def forward(self, kind):
        asked = torch.stack([kind] * (self.steps - 1) + [torch.ones_like(kind)], dim=0)
        out, _ = self.lstm(self.query(asked))
        return out[-1]


class OfStackedBatch(nn.Module):
    """The steps are another axis than that of the list."""

    def __init__(self, width, steps):
        super().__init__()
        self.steps = steps
        self.lstm = nn.LSTM(width, width)

    def forward(self, x):
        out, _ = self.lstm(torch.stack([x] * self.steps, dim=1))  # hit
        return out[-1]
