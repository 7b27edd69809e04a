import argparse

import torch
from torch import nn


class Devices(nn.Module):
    def forward(self, x, y):
        mask = torch.zeros(x.shape[0], 1).cuda()  # hit
        x = x.cuda(non_blocking=True)  # hit
        y = y.to("cuda")  # hit
        pos = torch.arange(x.shape[1], device="cuda:0")  # hit
        dev = torch.device("cuda")  # hit
        eye = torch.eye(3, device=x.get_device())  # hit
        z = y.to(x.get_device())  # hit
        new = x.new_zeros(3, device="cuda")  # hit
        return self.shifted(x), mask, pos, dev, eye, z, new

    def shifted(self, x):
        return x + torch.ones(3).to(device="cuda")  # hit


class Harmless(nn.Module):
    def __init__(self, device="cuda"):
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.anchor = torch.zeros(3).cuda()
        self.layer = nn.Linear(3, 3).cuda()

    def forward(self, x):
        if x.is_cuda:
            x = x + torch.ones(3).cuda()
        if x.get_device() >= 0:
            x = x + 1
        dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        pos = torch.arange(3, device=x.device).to(x.device)
        if x.device.type == "cuda":
            torch.cuda.synchronize()
        with torch.autocast("cuda"), torch.autocast(device_type="cuda"):
            x = x * 2
        print(x.get_device(), x.device == torch.device("cpu"))
        return x.cpu(), x.to("cpu"), pos, dev

    def deploy(self):
        return self.layer.cuda()


def main():
    model = Harmless().cuda()
    return model(torch.zeros(1, 3, device="cuda").cuda())


def put_on(x, where):
    return x.to(where)


class Asked(nn.Module):
    def forward(self, x, y):
        where = x.get_device()  # hit
        made = {"device": torch.Tensor.get_device(y)}  # hit
        move = x.cuda
        with torch.no_grad():
            match y:
                case _:
                    return put_on(y, where), torch.ones(3, **made), move()  # hit


def make_ones(on_gpu=False):
    ones = torch.ones(1)
    if on_gpu:
        ones = ones.to("cuda")
    return ones


class OnGpu(nn.Module):
    def forward(self, x):
        asked = x.is_cuda
        scale = torch.linspace(0, 1, 4)
        if asked:
            scale = scale.to("cuda")
        return x * scale * make_ones(asked)


class Settled(nn.Module):
    """Whoever builds it says on which device it is."""

    def __init__(self, args):
        super().__init__()
        self.device = args.device
        self.items = nn.Embedding(4, 4)

    def forward(self, rows):
        return self.items(torch.tensor(rows).to(self.device))


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    Settled(parser.parse_args())(np.zeros((2, 3)))


class Kernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.zeros(x.size(0), 4, device="cuda")
        other = torch.zeros(4).cuda()
        extension.run(x, out, other)
        return out


class CallsKernel(nn.Module):
    def forward(self, x):
        return Kernel.apply(x) + torch.zeros(4).cuda()  # hit


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
options = parser.parse_args()


class Chosen(nn.Module):
    def forward(self, x):
        return x + torch.zeros(3, device=options.device) + torch.ones(3).to(options.device)


class Queue(nn.Module):
    """It compares samples of training with those before them, and is deployed by nobody."""

    def __init__(self, width, length):
        super().__init__()
        self.register_buffer("memory", torch.rand(length, width))
        self.length = length
        self.head = 0

    def forward(self, query, key):
        scores = torch.cat([(query * key).sum(1, keepdim=True), query @ self.memory.t()], 1)
        with torch.no_grad():
            rows = (torch.arange(len(key)).cuda() + self.head) % self.length
            self.memory.index_copy_(0, rows, key)
            self.head = (self.head + len(key)) % self.length
        return scores


class Buffered(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("memory", torch.rand(8, width))

    def forward(self, query):
        with torch.no_grad():
            rows = torch.arange(len(query)).cuda()  # hit
            kept = self.memory.index_select(0, rows)
        return query + kept


def make_row(x, device):
    return torch.zeros(x.shape[1], device=device)


def make_steps(count, *, device):
    return torch.arange(count).to(device)


def make_ones(x, device="cuda"):
    return torch.ones(x.shape[1], device=device)  # hit


class Helped(nn.Module):
    """The device is an argument of what makes the tensors."""

    def __init__(self, device):
        super().__init__()
        self.device = device

    def place(self, x, device):
        return x.to(device)

    def forward(self, x):
        row = make_row(x, self.device) + make_row(x, x.device)
        return self.place(x, self.device) + row + make_steps(3, device=self.device).sum()


class Helping(nn.Module):
    def __init__(self):
        super().__init__()
        self.helped = Helped("cuda")

    def forward(self, x):
        return self.helped(x) + make_ones(x)


class Switched(nn.Module):
    def __init__(self, cuda, do_cuda):
        super().__init__()
        self.cuda, self.do_cuda = cuda, do_cuda

    def forward(self, x):
        row = torch.zeros(x.shape[1])
        if self.cuda:
            row = row.cuda()
        if self.do_cuda:
            row = row.cuda()
        return x + row


class InfoNCE(nn.Module):
    def forward(self, query, key):
        return torch.eye(len(query)).cuda() - query @ key.t()


class Beside(nn.Module):
    def forward(self, x):
        return x + torch.ones(3).cuda(x.device)  # hit


class Kernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        return x * w


class Mixer(nn.Module):
    def forward(self, x):
        y = x * 2
        return Kernel.apply(x, y.cuda()) + y.cuda()  # hit


class OfItsOwnGpu(nn.Module):
    def forward(self, x):
        with torch.cuda.device(x.device):
            y = torch.empty(x.shape, device="cuda")
        with torch.no_grad():
            y = y + torch.zeros(x.shape, device="cuda")  # hit
        return x + y


class Placed(nn.Module):
    """The device of the input under a name of its own, and as an argument."""

    def forward(self, x):
        device = x.device
        return x + torch.ones(4).cuda(device) + self.place(x.device)  # hit

    def place(self, device):
        return torch.ones(4).cuda(device)  # hit
