import torch
from torch import nn


class OfMappings(nn.Module):
    """Inputs come under keys, and the instance chooses how they are run."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.forward = self.forward_inference

    def train(self, mode=True):
        super().train(mode)
        self.forward = self.forward_train
        return self

    def eval(self):
        super().train(False)
        self.forward = self.forward_inference
        return self

    def forward_train(self, sample):
        return self.conv(sample["image"]).mean() - sample["truth"].mean()

    def forward_inference(self, sample):
        image = sample["image"]
        if image.shape[-1] % 32 != 0:  # hit
            image = nn.functional.pad(image, (0, 32 - image.shape[-1] % 32))
        image = self.conv(image)
        return image * sample["mask"] if "mask" in sample else image


class Results(nn.Module):
    """Runs behind the model, on what that gives."""

    def forward(self, outputs, target_sizes):
        boxes = outputs["pred_boxes"]
        if boxes.shape[1] % 2 != 0:
            boxes = boxes[:, 1:]
        return [{"boxes": each} for each in boxes * target_sizes[:, None]]


class Generator(nn.Module):
    """The labels say what to draw."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.conv = nn.Conv2d(8, 3, 3)

    def forward(self, noise, labels):
        y = self.conv(noise)
        if y.shape[-1] % 2 != 0:  # hit
            y = y[..., 1:]
        return y * self.embedding(labels.long())[:, :3, None, None]


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 3, 3)
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, x, labels):
        y = self.conv(x)
        if y.shape[-1] % 2 != 0:
            y = y[..., 1:]
        return self.loss_fn(y, labels)


class Asked(nn.Module):
    """A prompt of points, each of a kind."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 3, 3)

    def embed(self, points, kinds):
        return (points * (kinds[..., None] == 1)).sum((1, 2))

    def forward(self, image, points, point_labels):
        y = self.conv(image)
        if y.shape[-1] % 2 != 0:  # hit
            y = y[..., 1:]
        return y * self.embed(points, point_labels)[:, None, None, None]


class Normalized(nn.Module):
    """Who holds it sets its weight before each call."""

    def __init__(self):
        super().__init__()
        self.weight = None

    def forward(self, x):
        assert self.weight is not None, "set the weight first"
        if self.weight is None:
            raise ValueError("set the weight first")
        return x


class Styled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = Normalized()

    def forward(self, x):
        y = self.norm(self.conv(x))
        if y.shape[-1] % 2 != 0:  # hit
            y = y[..., 1:]
        return y
