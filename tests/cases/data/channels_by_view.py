import cv2
import numpy as np
import torch
from PIL import Image


def scaled(path):
    image = cv2.imread(path)
    image = cv2.resize(image, (224, 224)).astype(np.float32) / 255
    return torch.from_numpy(image).reshape(3, 224, 224).unsqueeze(0)  # hit


def batched(path):
    image = np.asarray(Image.open(path).convert("RGB"))
    return torch.from_numpy(image.reshape(1, 3, 64, 64))  # hit


def turned(path):
    image = cv2.imread(path)
    image = image.transpose(2, 0, 1)
    return torch.from_numpy(image).reshape(1, 3, 224, 224)


def rows(path):
    image = cv2.imread(path)
    return torch.from_numpy(image).reshape(-1, 3), image.reshape(224, 224, 3)


def given(image):
    return torch.from_numpy(image).view(3, 64, 64)
