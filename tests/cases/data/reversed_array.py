import cv2
import numpy as np
import torch


class Images:
    def __init__(self, images):
        self.images = images

    def flip(self, image):
        return image[:, ::-1]

    def __getitem__(self, index):
        return torch.from_numpy(self.flip(self.images[index]))  # hit


def read(path):
    image = cv2.imread(path)[..., ::-1]
    return torch.from_numpy(image.transpose(2, 0, 1))  # hit


def read_copied(path):
    image = np.ascontiguousarray(cv2.imread(path)[..., ::-1])
    return torch.from_numpy(image)


def mirror(image):
    return torch.as_tensor(np.fliplr(image))  # hit


def of_list(numbers):
    return torch.tensor(numbers[::-1])


def in_turn(image, turned):
    if turned:
        image = image[::-1]
    return torch.from_numpy(image)


def worked_out(image):
    image = image[..., ::-1] / 255
    return torch.from_numpy(image)


class Mirrored:
    def __init__(self, images):
        self.images = images

    def __getitem__(self, index):
        image = np.asarray(self.images[index])
        if np.random.rand() < 0.5:
            image = image[:, ::-1]
        return torch.from_numpy(image)  # hit


def mirrored_and_copied(image):
    image = image[:, ::-1]
    image = image.copy()
    return torch.from_numpy(image)
