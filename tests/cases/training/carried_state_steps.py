"""What a training loop takes from one step to the next, with its graph."""

import torch
import torch.nn.functional as F
from torch import nn


def average(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for x in batches:
        z = body(x)
        bank = 0.9 * bank + 0.1 * z.mean(0)  # hit
        F.mse_loss(z, bank.expand(2, 4)).backward()


def average_detached(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for x in batches:
        z = body(x)
        bank = 0.9 * bank + 0.1 * z.mean(0).detach()
        F.mse_loss(z, bank.expand(2, 4)).backward()


def average_cut(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for x in batches:
        z = body(x)
        bank = 0.9 * bank + 0.1 * z.mean(0)
        F.mse_loss(z, bank.expand(2, 4)).backward()
        bank = bank.detach()


def average_aside(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for x in batches:
        z = body(x)
        bank = 0.9 * bank + 0.1 * z.mean(0)
        z.mean().backward()
    return bank


def average_now_and_then(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for i, x in enumerate(batches):
        z = body(x)
        bank = bank + z.mean(0)
        if i % 4 == 3:
            bank.mean().backward()
            bank = torch.zeros(4)


def average_quiet(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for x in batches:
        z = body(x)
        with torch.no_grad():
            bank = 0.9 * bank + 0.1 * z.mean(0)
        F.mse_loss(z, bank.expand(2, 4)).backward()


def summed(batches):
    body = nn.Linear(4, 4)
    for parts in batches:
        total = torch.zeros(())
        for x in parts:
            total = total + body(x).mean()
        total.backward()


def once(batches):
    body = nn.Linear(4, 4)
    bank = torch.zeros(4)
    for x in batches:
        bank = bank + body(x).mean(0)
        bank.mean().backward()
        break


def unroll(batches, steps=3):
    body, mix = nn.Linear(4, 4), nn.Linear(4, 4)
    state = torch.zeros(2, 4)
    for x in batches:
        state = torch.tanh(body(x) + mix(state))  # hit
        state.square().mean().backward()


class Trainer:
    def __init__(self):
        self.body = nn.Linear(4, 4)
        self.bank = torch.zeros(4)
        self.queue = torch.randn(8, 4)
        self.mean = torch.zeros(4)

    def fit(self, batches):
        for x in batches:
            self.step(x)

    def step(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)  # hit
        loss = (z - self.bank).square().mean() + (z @ self.queue.t()).mean()
        self.queue = torch.cat([self.queue, z])[-8:]  # hit
        self.mean = 0.9 * self.mean + 0.1 * z.mean(0)
        loss.backward()


class CarefulTrainer(Trainer):
    def step(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        loss = (z - self.bank).square().mean() + (z @ self.queue.t()).mean()
        self.queue = torch.cat([self.queue, z.detach()])[-8:]
        loss.backward()
        self.bank = self.bank.detach()


class ClearedTrainer(Trainer):
    def fit(self, batches):
        for x in batches:
            self.clear()
            self.step(x)

    def clear(self):
        self.bank = torch.zeros(4)
        self.queue = torch.randn(8, 4)
