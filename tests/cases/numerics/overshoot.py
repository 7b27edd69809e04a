import torch
import torch.nn.functional as F


def resized(image, features, pos_embed):
    a = F.interpolate(image, size=(3, 3), mode="bicubic")  # hit
    a = F.interpolate(image[None], 3, None, "bicubic")  # hit
    a = F.interpolate(image.float(), size=3, mode="bicubic", antialias=True)  # hit
    a = F.interpolate(image, size=3, mode="bilinear")
    a = F.interpolate(features, size=3, mode="bicubic")
    return F.interpolate(pos_embed, size=3, mode="bicubic"), a


def kept(image):
    image = F.interpolate(image, size=(3, 3), mode="bicubic")
    return image.clamp(0, 1)


def folded(x):
    return F.fold(F.unfold(x, 3), (8, 8), 3)  # hit


def whole(x):
    return F.fold(F.unfold(x, 4, stride=4), (8, 8), 4, stride=4)


def shared(x):
    return F.fold(F.unfold(x, 3), (8, 8), 3) / F.fold(F.unfold(torch.ones_like(x), 3), (8, 8), 3)


def enlarge(x, how):
    return F.interpolate(x, **how)  # hit


def shown(image, features):
    how = {"scale_factor": 2, "mode": "bicubic"}
    return enlarge(image, how), F.interpolate(features, **how)


def unfolded(x, size=3):
    windows = F.unfold(x, size)
    return F.fold(windows, (8, 8), size)  # hit
