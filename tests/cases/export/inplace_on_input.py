import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.act = nn.ReLU(inplace=True)

    def forward(self, image, mask=None, *, inputs):
        image /= 255.0  # hit
        image[:, 0] = 0  # hit
        image.clamp_(0, 1)  # hit
        image.view(-1)[0] = 1  # hit
        F.relu(image, inplace=True)  # hit
        x = self.conv(image)
        x += 1
        x = self.act(x)
        image.requires_grad_()
        kept = image.clone()
        kept += 1
        image = image * 2
        image -= 1
        return x + kept

    def preprocess(self, image):
        image /= 255
        return image


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, shortcut):
        x += shortcut
        return self.act(x)


class Loss(nn.Module):
    def forward(self, pred, mask):
        mask[mask == 255] = 0
        return (pred - mask).abs().mean()


def forward(image):
    image /= 255
    return image


class Table(nn.Module):
    def forward(self, inputs):
        inputs["x"] = inputs["x"] * 2
        return inputs


class Base(nn.Module):
    mean = 0.5

    def normalize(self, frames):
        frames.sub_(self.mean)  # hit
        return frames.div_(0.2)  # hit


def zero_border(t):
    t[..., 0] = 0  # hit


class Spelled(Base):
    def __init__(self, clip=True):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.clip = clip
        self.options = {"inplace": True}

    def forward(self, x, images, boxes, masks):
        images = self.normalize(images)
        if self.clip:
            torch.clamp(images, 0, 1, out=images)  # hit
        zero_border(masks)
        left, right = boxes.chunk(2, dim=1)
        left += 1  # hit
        for row in boxes.unbind(0):
            row.mul_(2)  # hit
        boxes.T[0].add_(1)  # hit
        masks = F.relu(masks, **self.options)  # hit
        x -= 0.5  # hit
        return self.stem(x), images, boxes, masks


class Copies(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.act = nn.ReLU(inplace=True)

    def forward(self, image, boxes, state):
        image = image.float()
        image /= 255
        kept = boxes[boxes[:, 0] > 0]
        kept += 1
        moved = boxes.clone()
        moved[:, 0] = 0
        y = self.act(self.stem(image))
        y += state
        y[:, 0] = 0
        state = state * 2
        state += 1
        grid = torch.stack([boxes, boxes])
        grid += 1
        total = 0
        total += image.mean()
        if self.training:
            boxes *= 2
        return y, kept, moved, state, grid, total


class OfEntries(nn.Module):
    """Who asks for items has a dictionary, whose entries are moved."""

    def __init__(self, device):
        super().__init__()
        self.net, self.device = nn.Conv2d(3, 4, 3), device

    def forward(self, batch):
        data = batch["image"] if isinstance(batch, dict) else batch.float()
        for key, value in batch.items():
            batch[key] = value.to(self.device)
        return self.net(data)


class Attends(nn.Module):
    """A part of another model, which makes the mask and asks for nothing of it afterwards."""

    def __init__(self, wide):
        super().__init__()
        self.attend = nn.MultiheadAttention(wide, 2, batch_first=True)

    def forward(self, x, masks):
        masks[masks.all(1), 0] = False
        return self.attend(x, x, x, key_padding_mask=masks)[0]


class OfParts(nn.Module):
    def __init__(self, wide, build):
        super().__init__()
        self.parts = nn.ModuleList([build(Attends)(wide) for _ in range(2)])

    def forward(self, x, words):
        for part in self.parts:
            x = part(x, words == 0)
        return x


class Alone(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.attend = nn.MultiheadAttention(wide, 2, batch_first=True)

    def forward(self, x, masks):
        masks[masks.all(1), 0] = False  # hit
        return self.attend(x, x, x, key_padding_mask=masks)[0]


class Act(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.act = nn.ReLU(inplace)

    def forward(self, input):
        return self.act(input)


class Acting(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.act = nn.Conv2d(3, 8, 3), Act(inplace=True)

    def forward(self, x):
        return self.act(self.conv(x))


class ActAlone(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.head = nn.Linear(8, 2)

    def forward(self, input):
        return self.head(self.act(input))  # hit


class Shifted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        input -= input.max()
        return input.clamp(min=0)


class Sparse(nn.Module):
    def forward(self, input):
        return Shifted.apply(input)


class ColorJitterLayer(nn.Module):
    def forward(self, inputs):
        inputs[:, 0] = inputs[:, 0] * 2
        return inputs
