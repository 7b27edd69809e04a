import numpy as np
import torch
from torch import nn


class Buffer:
    def __init__(self, n, length):
        self.states = torch.zeros(n, length, 4)
        self.times = np.zeros((n, length))

    def add(self, state, time):
        self.states[:, 1:] = self.states[:, :-1]  # hit
        self.states[:, 0] = state
        self.times[:, 1:] = self.times[:, :-1]
        self.times[:, 0] = time


class Kept(nn.Module):
    def __init__(self, steps=2):
        super().__init__()
        self.steps = steps
        self.register_buffer("kept", torch.zeros(4, 8))

    def forward(self, x):
        self.kept[:, self.steps :] = self.kept[:, : -self.steps]  # hit
        self.kept[..., 1:] = self.kept[..., :-1]  # hit
        self.kept[:, 1:] = self.kept[:, :-1].clone()
        self.kept[:, 1:] = torch.roll(self.kept, 1, 1)[:, 1:]
        return self.kept.sum() + x


def rows(x: torch.Tensor):
    x[1:] = x[:-1]  # hit
    x[:-1] = x[1:]  # hit
    x[1:, 0] = x[:-1, 0]  # hit
    x[0, 1:] = x[0, :-1]  # hit
    x[:-1, 0] = x[1:, 0]
    x[1:] = x[:-1] * 1
    return x


def pairs():
    x = torch.zeros(2, 4)
    x[1:] = x[:-1]
    x[:, 2:] = x[:, :-2]
    x[:, :2] = x[:, 2:]
    x[:, ::2] = x[:, 1::2]
    return x


def columns(x: torch.Tensor, y: torch.Tensor):
    x[:, :-1] = x[:, 1:]
    x[:, 1:] = y[:, :-1]
    x[:, 1:].copy_(x[:, :-1])  # hit
    x[:, 1:] += x[:, :-1]  # hit
    x[:, 1:] = x[:, 1:]
    x[:, 1:] = x[1:, :-1]
    x[:, 1:] = -x[:, :-1]
    x[:, 1:] = x[:, :-1] + 0
    return x


def one_row():
    x = torch.zeros(1, 6)
    x[:, 1:] = x[:, :-1]  # hit
    return x


class ShiftsBySizes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Conv2d(3, 16, 1)

    def forward(self, image):
        return self.shift(self.linear(image).permute(0, 3, 2, 1))

    def shift(self, x):
        b, w, h, c = x.size()
        x[:, 1:, :, : c // 4] = x[:, : w - 1, :, : c // 4]  # hit
        x[:, : w - 1, :, c // 4 : c // 2] = x[:, 1:, :, c // 4 : c // 2]
        x[:, :, 1:, c // 2 :] = x[:, :, : h - 1, c // 2 :]  # hit
        x[:, :, 1:] = x[:, :, : w - 1]
        return x
