import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.tensor([[1.0, -0.2], [0, 1, -0.4]])  # hit
torch.tensor([[1.0, -0.2], [0, 1]])
torch.tensor([[[1, 2], [3, 4]], [[1, 2], [3]]])  # hit
torch.tensor([[1, 2], row])
torch.tensor([[1, 2], [*row]])
np.array([[1, 2], [3]])


def masks(a: torch.Tensor, b: torch.Tensor, n, text: str):
    m = a > b
    x = 1 - m  # hit
    x = m - 1  # hit
    x = m - m  # hit
    x = -m  # hit
    x = 1 - m.float()
    x = 1 - (a > b)  # hit
    x = 1.0 - torch.gt(a, b)  # hit
    x = 1 - torch.isnan(a)  # hit
    x = 1 - a.bool()  # hit
    x = 1 - (n > 3)
    x = 1 - (text in "abc")
    x = 1 - (a is None)
    x = m + 1
    x = m * 2
    k = a > b
    if n:
        k = k.float()
    x = 1 - k
    w = n > 3
    x = 1 - w
    m = m.int()
    return 1 - m


def indices(x: torch.Tensor, i: torch.Tensor, n, items):
    y = x[n / 2]  # hit
    y = x[: n / 2]  # hit
    y = x[n // 2]
    y = x[:, 1 : x.size(1) / 2]  # hit
    y = x[0, i.float()]  # hit
    y = x[0, i.long()]
    y = x[(n / 2)]  # hit
    y = items[n / 2]
    y = x[int(n / 2)]
    return y


def pieces(x: torch.Tensor, sizes):
    a, b = x.chunk(2)
    a, b, c = x.chunk(2, dim=1)  # hit
    a, b, c = torch.chunk(x, 2)  # hit
    a, *b = x.chunk(3)
    a, b = x.chunk(sizes)
    a, b, c = x.split([1, 2])  # hit
    a, b = x.split(3)
    a, b = x.split(sizes, dim=1)
    a, b, c = "a b".split(" ")
    a, b = torch.split(x, [1, 2], dim=-1)
    a, b, c = x.tensor_split(sections=2)  # hit
    a, b, c = torch.tensor_split(x, 2)  # hit
    return a, b, c


def joined(a: torch.Tensor, b: torch.Tensor, parts):
    torch.cat(a, b)  # hit
    torch.stack(a, b)  # hit
    torch.cat((a, b))
    torch.cat([a, b], 1)
    torch.cat(a.chunk(2), 1)
    torch.cat(parts, 1)
    torch.cat(*parts)


def host(a: torch.Tensor, x, y):
    torch.ones(2).item()  # hit
    torch.ones(1).item()
    torch.ones((2, 2)).item()  # hit
    torch.ones(()).item()
    torch.ones(n).item()
    torch.tensor([1, 2]).item()  # hit
    torch.tensor([1]).item()
    F.mse_loss(x, y, reduction="none").item()  # hit
    F.mse_loss(x, y).item()
    F.mse_loss(x, y, reduction="none").mean().item()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3))
        self.fc = nn.Linear(3, 3)
        self.register_buffer("table", torch.zeros(3))

    def weights(self):
        return (
            self.w.numpy(),  # hit
            self.fc.weight.cpu().numpy(),  # hit
            self.fc.weight.detach().numpy(),
            self.fc.weight.data.numpy(),
            self.table.numpy(),
        )


def turned(flags):
    return 1 - flags  # hit


def background(scores: torch.Tensor):
    match scores.dim():
        case 2:
            return turned(scores > 0.5), 1 - scores
        case _:
            return turned(torch.isnan(scores))


def typed(a: torch.Tensor, b: torch.Tensor, kind):
    same, other, unknown = (a > 0).to(a.device), (a > 0).to(b), (a > 0).to(kind)
    return 1 - same, 1 - other, 1 - unknown, 1 - (a > 0).to(b.dtype)  # hit


def middle(size):
    return size / 2


def cut(x: torch.Tensor, n: int, settings):
    half, table = middle(n), {"step": n / 4}
    x[half] = 0  # hit
    y = x[..., : table["step"]]  # hit
    y = x[:, [0, 1]]
    chosen = torch.arange(3).to(torch.float32)
    wanted = chosen.float()
    y = x[wanted]  # hit
    rows = [[1, 2], [3]]
    y = torch.tensor(rows)  # hit
    y = torch.tensor([row + [0] * (2 - len(row)) for row in rows])
    join = torch.cat
    y = join(x, x)  # hit
    y = torch.cat(tensors=(x, x), dim=0)
    many = torch.zeros(4, 2)
    y = many.sum(0).item()  # hit
    return many.sum().item(), y, x[n / 2 :] if settings else many[0]  # hit


class Kernel(nn.Linear):
    def show(self):
        shown = self.weight.cpu()
        return shown.numpy(), self.weight.tolist()  # hit


def total(model, loader, criterion=nn.CrossEntropyLoss()):
    seen = right = 0.0
    for x, y in loader:
        out = model(x)
        loss = criterion(out, y)
        seen += loss.data[0]  # hit
        right += out.argmax(1).eq(y).sum().data[0]  # hit
        seen += out.mean(1).data[0] + criterion(out, y)[None]
    return seen, right


def each(out: torch.Tensor, y):
    loss = torch.nn.functional.mse_loss(out, y, reduction="none")
    best = torch.nn.functional.l1_loss(out, y)
    return loss[0], best[0]  # hit


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        if x.shape[0] > 3:
            return F.log_softmax(self.fc(x), dim=1)
        return self.fc(x)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return torch.distributions.Normal(self.fc(x), 1.0)


def follow(loader, env):
    model, actor = Small(), Actor()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        out = model(x)
        loss = F.nll_loss(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        env.step(actor(x).sample().cpu().numpy())
        print(out.cpu().numpy())  # hit
        out = out.data.cpu().numpy()
        print(out)


follow(rows, games)


class Joined(nn.Module):
    def forward(self, inputs, dim):
        return torch.cat(inputs, dim)


class Paired(nn.Module):
    def forward(self, one: torch.Tensor, other: torch.Tensor):
        return torch.cat(one, other)  # hit


class Beam(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 3)

    def forward(self, scores, words):
        best, place = scores.view(-1).topk(4)
        beam = place / scores.shape[1]  # hit
        word = place % scores.shape[1]
        row = torch.div(place, scores.shape[1], rounding_mode="floor")
        kept = words[beam]  # hit
        kept = words[row]
        kept = words[place // 4]
        kept = words.index_select(0, beam)
        kept = words.index_select(0, beam.long())
        kept = words.gather(0, place / 2)  # hit
        kept = words.gather(0, torch.div(place, 2))  # hit
        kept = self.table(beam)
        kept = self.table(word)
        kept = F.one_hot(scores.argmax(1) / 2)  # hit
        kept = F.one_hot(scores.argmax(1))
        words[beam.int()] = kept
        words[beam] = 0  # hit
        ys = (place / scores.shape[1]).int().float()
        return kept, ys * 0.5


def train(net, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.data[0])  # hit
        print(loss.data)


class Meter:
    def __init__(self):
        self.total = 0.0
        self.each = nn.MSELoss(reduction="none")
        self.mean = nn.MSELoss()

    def update(self, out, y):
        self.total += self.each(out, y).item()  # hit
        self.total += self.mean(out, y).item()


class Words(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.table = nn.Embedding(count, 4)

    def forward(self, ids):
        return self.table(ids[ids != 2].view(2, -1))


def look_up(found):
    model = Words(3)
    return model(torch.as_tensor(found).view(2, 3))


if __name__ == "__main__":
    look_up(input())


def read_one(model, tokenizer, text):
    losses = nn.CrossEntropyLoss(reduction="none")
    tokens = tokenizer(text)
    for at in range(tokens.ids.size(1) - 1):
        out = model(tokens.ids[:, at : at + 1])
        yield losses(out.logits.view(-1, 9), tokens.ids[:, at + 1 : at + 2].view(-1)).item()


def spread(words: torch.Tensor, scores: torch.Tensor, count: int):
    place = scores.view(-1).topk(4)[1]
    beam = place / count  # hit
    word = place - beam * count
    first = torch.gather(words, 1, beam.unsqueeze(-1))
    second = torch.gather(words, 1, word.unsqueeze(-1))
    return first, second, words.gather(1, beam.view(-1, 1).expand_as(words))


def masked(scores: torch.Tensor, y, count, null):
    mask = y.data != null
    chosen = torch.Tensor(2, count).fill_(0).type_as(mask)
    return scores.view(2, 3)[chosen]


def invert(scores: torch.Tensor):
    mask = scores > 0.5
    return scores[~mask], -mask.float()


def halves(x):
    real, imaginary = torch.chunk(x, -1)  # hit
    return real + imaginary


def read_number(loss: torch.Tensor):
    total = loss.sum()
    if hasattr(total, "item"):
        return total.item()
    else:
        return total.data[0]


def read_item(loss: torch.Tensor):
    total = loss.sum()
    return total.data[0]  # hit


def block(x: torch.Tensor, rate):
    drawn = torch.rand(x.shape) < rate
    wide = torch.nn.functional.max_pool2d(drawn, 3, 1, 1)  # hit
    fine = torch.nn.functional.max_pool2d(drawn.float(), 3, 1, 1)
    return x * (1 - wide) * (1 - fine)


def read_either(loss: torch.Tensor):
    total = loss.sum()
    if hasattr(total, "item"):
        return total.item()
    if hasattr(total, "__getitem__"):
        return total[0]
    return total


def read_other(loss: torch.Tensor):
    total, count = loss.sum(), loss.mean()
    if hasattr(count, "item"):
        return count.item()
    return total[0]  # hit


def read_late(loss: torch.Tensor):
    total = loss.sum()
    if hasattr(total, "item"):
        print(total.item())
    return total[0]  # hit


def read_at_the_end(loader, steps, netG, netD, criterion, divergence, unknown):
    for epoch in range(9):
        data_iter = iter(loader)
        step = 0
        while step < steps:
            total, parts = criterion(netG, netD, next(data_iter), unknown)
            divergent = divergence(unknown.mu, unknown.logvar)
            total += divergent
            print(parts, divergent.data[0])  # hit
            total.backward()
            step += 1
        print(epoch, total.data[0])  # hit
        total = unknown(total)
        print(total.data[0])
    return parts.data[0]


def solve(scores, targets):
    numbers = targets.dtype.is_floating_point
    if not numbers:
        targets = F.one_hot(targets, num_classes=3).float()
    return scores @ targets


def solve_floats(scores):
    return solve(scores, torch.rand(3, 2)) + F.one_hot(torch.rand(3), 3)  # hit
