import torch
import torch.nn.functional as F
from torch import Tensor, nn


class States(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.cell = nn.GRUCell(8, 16)
        self.pos = nn.Embedding(64, 8)
        self.attn = nn.MultiheadAttention(8, 2)

    def forward(self, x: Tensor):
        h = torch.zeros(1, x.size(0), 16)
        c = torch.zeros(1, x.size(0), 16)
        y, _ = self.lstm(x, (h, c))  # hit
        z = self.cell(x[:, 0], torch.zeros(x.size(0), 16))  # hit
        p = self.pos(torch.arange(x.size(1)))  # hit
        m = torch.full((x.size(0), x.size(0)), float("-inf")).triu(1)
        a, _ = self.attn(x, x, x, attn_mask=m)  # hit
        return y, z, p, a


class Met(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 16)

    def forward(self, x: Tensor):
        y = self.fc(x)
        wide = torch.cat([y, torch.zeros(y.size(0), 4)], 1)  # hit
        both = torch.stack((y, torch.ones(y.size(0), 16)))  # hit
        turned = y @ torch.eye(16)  # hit
        hidden = y.masked_fill(torch.ones(16, 16).triu(1).bool(), 0.0)  # hit
        kept = torch.where(y > 0, y, torch.zeros(1, 16))  # hit
        half = torch.index_select(y, 1, torch.arange(0, 16, 2))  # hit
        steps = torch.linspace(-1, 1, 4)
        grid = torch.stack(torch.meshgrid(steps, steps, indexing="ij"), -1)[None]
        looked = F.grid_sample(y.view(1, -1, 4, 4), grid, align_corners=False)  # hit
        return wide, both, turned, hidden, kept, half, looked


class Beside(nn.Module):
    """Where nothing of the model is met, or it is where that is."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 16)
        self.lstm = nn.LSTM(8, 16)

    def forward(self, x: Tensor, lengths: Tensor):
        y = self.fc(x)
        out = torch.zeros(y.size(0), 20)
        out[:, :16] = y
        picked = y[:, torch.arange(4)]
        ones = torch.cat([torch.ones(3), torch.zeros(3)])
        table = torch.stack([torch.arange(3), torch.arange(3)]) * 2
        some = torch.where(y > 0, y, torch.tensor(0.0))
        state = torch.zeros(1, x.size(1), 16, device=x.device)
        late = torch.zeros(1, x.size(1), 16).to(x)
        seen, _ = self.lstm(x, (state, late))
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.full((x.size(1),), 3))
        joined = torch.cat([y.cpu(), torch.zeros(y.size(0), 4)], 1)
        like = torch.cat([y, torch.zeros(y.size(0), 4).type_as(y)], 1)
        return out, picked, ones, table, some, seen, packed, joined, like


class Asking(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 16)

    def forward(self, x: Tensor):
        filters = torch.zeros(16, 4)
        if x.is_cuda:
            filters = filters.to("cuda")
        return torch.matmul(self.fc(x), filters)


class Scored(nn.Module):
    """Rows of the model are copied into a tensor of the CPU: what is worked out of it is there too."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 16)
        self.soft = nn.Softmax(dim=1)

    def forward(self, x: Tensor):
        y = self.fc(x)
        seen = torch.empty(3, x.size(0), 16).float()
        for i in range(3):
            seen[i] = y
        total = torch.mm(seen[0], seen[1].t())
        right = torch.eq(self.soft(total).argmax(0), torch.arange(0, x.size(0)))
        wrong = torch.eq(self.soft(y).argmax(1), torch.arange(0, x.size(0)))  # hit
        return right, wrong
