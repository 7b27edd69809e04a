# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import cv2
import numpy as np
import scipy.ndimage as nd
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn


class OnTensors(nn.Module):
    def forward(self, x: Tensor, y):
        a = np.sin(x)  # hit
        b = np.maximum(x.abs(), 0.5)  # hit
        c = nd.gaussian_filter(x.numpy(), 1.0)  # hit
        d = cv2.resize(x.detach().cpu().numpy(), (3, 3))  # hit
        rows, columns = linear_sum_assignment(torch.cdist(x, x).cpu())  # hit
        return a, b, c, d, x[rows], x[columns]


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = np.arange(3)

    def forward(self, x: Tensor, scale):
        size = np.prod(x.shape[1:])
        root = np.sqrt(x.shape[1]) + np.sqrt(x.size(0) * 2) + np.pi
        grid = torch.from_numpy(np.linspace(0, 1, 3))
        picked = np.argmax(self.table) + np.sqrt(scale)
        if self.training:
            x = x + torch.as_tensor(np.sin(x))
        print(np.mean(x.numpy()))
        read = x.numpy()
        return x * root + grid * size, picked, np.sin(read), reflect(self.table)


def reflect(x):
    return np.fmod(x, 2).reshape(x.shape)


def draw(x: Tensor):
    return cv2.resize(x.numpy(), (3, 3))


def to_numpy(t):
    return t.detach().cpu().numpy()


class Spelled(nn.Module):
    def __init__(self, mean=(0.1, 0.2)):
        super().__init__()
        self.mean = np.array(mean)
        self.wave = np.sin
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, image, boxes):
        image = image - torch.from_numpy(self.mean)
        low = image.amin()
        waved = self.wave(image.relu())  # hit
        top = np.stack([image.sum(0), image.mean(0)])  # hit
        boxes = boxes.float()
        for box in boxes:
            low = low + float(np.max(box))  # hit
        edges = cv2.Canny(to_numpy(image), 100, 200)  # hit
        sizes = np.array(image.shape) + np.floor(image.shape[-1] / 2)
        start = np.zeros(image.shape[1]) + np.asarray(self.weight.shape)
        return waved, top, low, edges, sizes, start


class Targets(nn.Module):
    """What a model calls only where it trains is never exported."""

    def forward(self, boxes, other):
        return np.where(boxes[:, 0] == other)[0]


class Proposals(nn.Module):
    def forward(self, boxes, other):
        return np.where(boxes[:, 0] == other)[0]  # hit


class Finder(nn.Module):
    def __init__(self):
        super().__init__()
        self.targets = Targets()
        self.proposals = Proposals()

    def forward(self, boxes, other=None):
        found = self.proposals(boxes, boxes[:, 1])
        if self.training and other is not None:
            return found, self.targets(boxes, other)
        return found


class Windows(nn.Module):
    """What OpenCV takes as it is given is an array."""

    def __init__(self, scales):
        super().__init__()
        self.scales = scales

    def forward(self, image, model):
        rows, columns, _ = image.shape
        found = np.zeros((rows, columns, 19))
        for scale in self.scales:
            resized = cv2.resize(image, None, fx=scale, fy=scale)
            found += model(torch.from_numpy(resized)).numpy()
        return found.argmax(2)


class ReadOfData(nn.Module):
    """One line is told by one rule."""

    def forward(self, x: Tensor):
        y = x * 2
        found = linear_sum_assignment(y.data.cpu().numpy())
        other = linear_sum_assignment(y.detach().cpu().numpy())  # hit
        return found, other
