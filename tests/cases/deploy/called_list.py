from torch import nn


class Named(nn.Module):
    def __init__(self, deep):
        super().__init__()
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 4)})
        self.body = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.either = nn.ModuleList([nn.Linear(4, 4)]) if deep else nn.Linear(4, 4)
        self.later = nn.ModuleList([nn.Linear(4, 4)])
        self.later = nn.Sequential(*self.later)

    def forward(self, x, key):
        x = self.heads[key](x)
        for each in self.body:
            x = each(x)
        x = self.later(x) + self.either(x)
        return self.heads(x)  # hit


def by_name(x):
    rows = nn.ModuleList([nn.Linear(2, 2)])
    line = nn.Sequential(nn.Linear(2, 2))
    return rows(x), line(x)  # hit
