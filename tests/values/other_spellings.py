from torch.autograd.function import Function
from torch.nn.modules.module import Module
from torch.nn.modules import Linear
from torch.nn.parameter import Parameter


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        return x.flatten(1)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Net(Module):
    def __init__(self):
        super().__init__()
        self.fc = Linear(8, 4)
        self.scale = Parameter(self.fc.weight[0])

    def forward(self, x):
        x = self.fc(x.view(-1, 2, 8))
        y = Square.apply(x)  # value: tensor[?(s1), 8]
        return y
