import cv2
import numpy as np
import torch
from PIL import Image
from torchvision.io import read_image


def of_files(one, other):
    a, b = read_image(one), read_image(other)
    worse = ((a - b) ** 2).float().mean()  # hit
    kept = a - b
    return worse, kept, ((a.float() - b.float()) ** 2).mean()


def of_arrays(one, other):
    a = np.array(Image.open(one).convert("RGB"))
    b = np.asarray(Image.open(other))
    c = np.array(Image.open(other), dtype=np.float32)
    print(np.abs(a - c))
    return np.mean((a - b) ** 2)  # hit


def of_frames(one, other):
    a, b = cv2.imread(one), cv2.imread(other, 0)
    deep = cv2.imread(one, cv2.IMREAD_UNCHANGED)
    print(np.abs(deep - b), cv2.absdiff(a, b).mean())
    return np.abs(a - b).mean()  # hit


def of_outputs(model, images, masks):
    out = (model(images) * 255).byte()
    inverse = 1 - masks.byte()
    error = (out - (images * 255).to(torch.uint8)).float()  # hit
    return error.pow(2).mean(), inverse.float().mean()


def motion(first, second):
    one, other = cv2.imread(first), cv2.imread(second)
    moved = other - one  # hit
    return torch.from_numpy(moved).permute(2, 0, 1).float() / 255


def motion_after(first, second):
    one, other = cv2.imread(first), cv2.imread(second)
    return torch.from_numpy((other - one).astype(np.float32))  # hit


def motion_before(first, second):
    one, other = cv2.imread(first).astype(np.float32), cv2.imread(second).astype(np.float32)
    return torch.from_numpy(other - one).float()


def rim(wide, mask):
    return (wide.to(torch.uint8) - mask.to(torch.uint8)).float()
