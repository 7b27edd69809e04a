import torch

a, b = torch.ones(3, 2), torch.ones(3, 2)
print(torch.mm(a, b))  # hit
print(a @ b)  # this will error
# the same as a function (won't work)
torch.matmul(a, b)
