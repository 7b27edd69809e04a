import torch
from torch import nn

image = torch.rand(10, 32, 28, 28)
conv = nn.Conv2d(64, 32, 3)  # hit
fine = nn.Conv2d(32, 64, 3)


def main():
    print(conv(image).shape, fine(image).shape)


narrow = conv(image)
wide = fine(image)
main()
