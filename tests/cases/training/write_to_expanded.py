import torch


def expanded(z, i, n):
    e = z.expand(3, n)
    e[0, i] = 1  # hit
    e = z.expand(3, n)
    e[i] = 2  # hit
    e[:, 0] = 1
    f = z.expand_as(e).clone()
    f[0, 0] = 1
    g = torch.broadcast_to(z, (3, n))
    g.add_(1)  # hit
    h = z.expand(3, n).contiguous()
    h += 1
    z[0] = e[0]
    k = z.expand(3, n)
    k = k + 1
    k[0, 0] = 1
    other = n.expand()
    return f, g, h, k, other


def known():
    first = torch.zeros(3, 1)
    table = first.expand(3, 4)
    table[0] = 5
    table[0, 1] = 5  # hit
    rows = torch.zeros(4).expand(3, 4)
    rows[0] = 5  # hit
    again = rows.repeat(2, 1)
    again[0] = 1
    return table, rows, again


def mark(table):
    table[0, 0] = 1  # hit


def helped(first):
    mark(torch.zeros(3, 1).expand(3, 4))
    mark(torch.zeros(3, 4))
    return first


def fill(found):
    mask = (found == 0).unsqueeze(1).expand(2, 5, 3)
    mask[:, :, 0].fill_(0)
    mask[0, 0].zero_()  # hit
    return mask
