import time
from time import perf_counter

import numpy as np
import torch
from torch import nn

device = torch.device("cuda")


class Net(nn.Module):
    def forward(self, x):
        return x


def timed(x, other):
    model = Net().cuda()
    start = time.time()
    y = model(x)
    print(time.time() - start)  # hit
    start = perf_counter()
    with torch.no_grad():
        for _ in range(10):
            y = model(x)
    took = perf_counter() - start  # hit
    return y, took


def waiting(x, other):
    model = Net().to(device)
    start = time.time()
    y = model(x).cpu()
    took = time.time() - start
    begin = time.time()
    y = model(x)
    torch.cuda.synchronize()
    took += time.time() - begin
    third = time.time()
    y = other(x)
    took += time.time() - third
    fourth = time.time()
    y = model(x)
    synchronize()
    took += time.time() - fourth
    return y, took, time.time() - x, 3 - start


def synchronize():
    torch.cuda.synchronize()


def of_what_is_given(network, x, n):
    network, x, took = network.cuda().eval(), x.cuda(), []
    with torch.inference_mode():
        for _ in range(n):
            begun = perf_counter()
            network(x)
            took.append(perf_counter() - begun)  # hit
    return sum(took) / n


class Choosing(nn.Module):
    """How many items a mask picks, the CPU waits to hear."""

    def forward(self, x):
        y = x * 2
        return y[y > 0]


class Counting(nn.Module):
    def forward(self, x, lengths):
        return x[:, : int(lengths.max())]


class Picking(nn.Module):
    def forward(self, x, index):
        return x[index] * 2


def timed_inside(x, lengths):
    first, second, third = Choosing().cuda(), Counting().cuda(), Picking().cuda()
    begun = time.time()
    y = first(x)
    took = time.time() - begun
    begun = time.time()
    second(y, lengths)
    took += time.time() - begun
    begun = time.time()
    third(x, lengths)
    return took, time.time() - begun  # hit


def timed_boxes(network, images, w, h):
    network = network.cuda().eval()
    for image in images.cuda():
        begun = time.time()
        boxes, scores = network(image)
        took = time.time() - begun  # the model gives arrays, for which it has waited
        scale = np.array([[w, h, w, h]])
        boxes *= scale
        print(boxes, scores, took)
        begun = time.time()
        maps, scores = network(image)
        took = time.time() - begun  # hit
        print(maps.argmax(1), scores, took)
        begun = time.time()
        found = network(image)
        took = time.time() - begun  # nothing tells that it gives tensors
        draw(image, found, took)
