import torch
from torch import zeros


def made(n, device, x, dtype, args):
    a = torch.zeros(n).to(device)  # hit
    a = zeros(n, 3).to(x.device)  # hit
    a = torch.ones(n, dtype=torch.bool).to("cuda:0")  # hit
    a = torch.full((n,), 3.0).cuda()  # hit
    a = torch.arange(n).to(device=self.device)  # hit
    a = torch.eye(n).to(torch.device("cuda"))  # hit
    a = torch.zeros(n).to(dtype)
    a = torch.zeros(n).to(torch.float16)
    a = torch.zeros(n).to(x)
    a = torch.zeros(n).to(device, dtype)
    a = torch.zeros(n).to(device, non_blocking=True)
    a = torch.zeros(n, requires_grad=True).to(device)
    a = torch.zeros(n, device="cpu").to(device)
    a = torch.zeros(n, pin_memory=True).to(device)
    a = torch.zeros(*args).to(device)
    a = torch.randn(n).to(device)
    a = torch.tensor(n).to(device)
    a = torch.zeros(n, device=device)
    a = torch.zeros(n).cuda(1)
    a = torch.jit.trace(lambda: torch.ones([]).to(torch.device(device)), example_inputs=[])
    a = (
        torch.zeros(  # hit
            n,
        )
        .to(device)  # the rest
    )
    a = torch.zeros(n).to()
    return a


once = torch.zeros(1, 3, 8, 8).to("cuda")
for n in range(3):
    again = torch.zeros(1, 3, n, n).to("cuda")  # hit
