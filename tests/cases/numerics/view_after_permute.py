import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.fc = nn.Linear(3, 8)
        self.act = nn.ReLU()

    def forward(self, x):
        b, c, h, w = x.shape
        a = x.permute(0, 2, 3, 1).view(-1, c)  # hit
        a = x.permute(0, 2, 3, 1).view(b, -1, c)
        a = x.permute(0, 2, 3, 1).contiguous().view(-1, c)
        a = x.permute(0, 2, 3, 1).reshape(-1, c)
        a = torch.permute(x, (0, 2, 3, 1)).view(-1)  # hit
        a = x.transpose(1, 2).view(b, -1)  # hit
        a = x.transpose(1, 2).view(b, h, c * w)  # hit
        a = x.transpose(1, 2).view(b, 2, -1, c)
        a = x.transpose(1, 2).view(torch.int32)
        a = x.transpose(1, 2).view(a.shape)
        a = x.transpose(1, 2).view(*shape)
        a = x.transpose(0, 1).view(-1, w)  # hit
        a = x.transpose(0, 1).view(-1)  # hit
        a = x.transpose(-1, -2).view(-1)  # hit
        a = x.transpose(1, -1).view(b, -1)  # hit
        y = x.permute(1, 0, 2, 3)
        z = y.view(c, -1)  # hit
        y = y.contiguous()
        z = y.view(c, -1)
        x.permute(1, 0, 2, 3).view((c, -1))  # hit
        q = self.fc(x).view(b, h, 4, w).transpose(1, 2)
        q = q.view(b, h, -1)  # hit
        q = self.conv(x).permute(0, 2, 3, 1).view(-1, 8)
        q = self.other(x).permute(0, 2, 3, 1).view(-1, 8)
        r = self.act(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2).view(b, -1)
        s = x.unsqueeze(1).transpose(0, 1).view(-1, c)
        s = x.view(b, 1, c, -1).transpose(1, 2).view(b, c, -1)
        t = torch.randn(3, 4).t().view(-1)  # hit
        t = torch.randn(3, 4).T.view(-1)  # hit
        x = x.permute(0, 2, 3, 1)
        x = x.view(-1, c)  # hit
        u = self.conv(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1).view(-1, c)
        if self.training:
            x = x.contiguous()
        return x.view(-1)

    def branches(self, x, flip):
        y = x.permute(1, 0, 2) if flip else x
        y = y.view(-1)
        x = x.permute(0, 1, 2)
        x = x.view(-1)
        x = np.array(x).transpose(1, 0, 2).view(-1)
        return x.view()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.proj = nn.Linear(8, 8)

    def forward(self, x, mask):
        B, N, C = x.shape
        q = self.q(x).view(B, N, 4, -1).transpose(1, 2)
        k = self.k(x).view(B, N, 4, -1).transpose(1, 2)
        v = self.v(x).view(B, N, 4, -1).transpose(1, 2)
        attn = (q @ k.transpose(-2, -1)).softmax(dim=-1)
        y = (attn @ v).transpose(1, 2).view(B, N, C)  # hit
        y = (attn @ v).transpose(1, 2).view(B, N, 4, 2, -1)
        y = (attn @ v).transpose(1, 2).contiguous().view(B, N, C)
        y = torch.matmul(attn, v).transpose(1, 2).view(B, N, C)  # hit
        y = (attn @ mask).transpose(1, 2).view(B, N, C)
        y = (mask @ mask).transpose(1, 2).view(B, N, C)
        y = (attn + v).transpose(1, 2).view(B, N, C)
        y = self.proj(attn @ v).transpose(1, 2).view(B, N, C)
        z = x.transpose(1, 2).view(B, C, N)
        z = x.transpose(1, -1).view(B, -1)  # hit
        z = x.transpose(-2, -1).view(B, -1)  # hit
        return x.transpose(1, 2).view(B, C, 2, -1), y, z


def turn(x):
    return x.permute(0, 2, 1)


class Helped(nn.Module):
    axes = (0, 2, 1)

    def flat(self, x, *sizes):
        match sizes:
            case _:
                return x.view(*sizes)  # hit

    def forward(self, x):
        order = {"axes": self.axes}
        y = torch.permute(x, dims=order["axes"]).view(size=(x.size(0), -1))  # hit
        y = turn(x).view(x.size(0), -1)  # hit
        y = turn(x).clone(memory_format=torch.contiguous_format).view(x.size(0), -1)
        view = torch.transpose(x, 1, 2).view
        y = view(-1)  # hit
        return self.flat(turn(x), -1), y


def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum(0) for k in topk]  # hit


def accuracy_of_one(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum(0) for k in topk]


def accuracy_compared(output, target, k):
    pred = output.topk(k)[1].t()
    correct = pred.eq(target.view(1, -1))
    return correct[:k].view(-1).float().sum(), correct[:k].reshape(-1), correct[:1].view(-1)  # hit


def evaluate(model, loader):
    for x, y in loader:
        accuracy(model(x), y, topk=(1, 5))
        accuracy_of_one(model(x), y)


class Attended(nn.Module):
    def forward(self, x, mask):
        b, t, d = x.shape
        heads = x.view(b, t, 4, d // 4).transpose(1, 2)
        weights = heads.softmax(-1)
        whole = weights.view(b, -1)
        return weights.transpose(1, 2).view(b, t, d), whole  # hit
