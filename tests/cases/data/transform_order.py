import torchvision.transforms as T
from torch import nn
from torchvision import transforms
from torchvision.transforms import Compose, Lambda, Normalize, ToTensor, v2

from mine import Composed, Cutout

mean, std = [0.5], [0.5]
good = Compose([T.Resize(2), ToTensor(), Normalize(mean, std)])
bad = Compose([
    T.RandomCrop(32, padding=4),
    Normalize(mean, std),
    T.RandomHorizontalFlip(),
    ToTensor(),  # hit
])
twice = transforms.Compose([transforms.ToTensor(), transforms.Resize(2), transforms.ToTensor()])  # hit
back = T.Compose([T.ToTensor(), T.Normalize(mean, std), T.ToPILImage(), T.Resize(3), T.ToTensor()])
pil = T.Compose([T.ToPILImage(), T.Normalize(mean, std)])  # hit
raw = T.Compose([T.PILToTensor(), T.Normalize(mean, std)])  # hit
raw2 = T.Compose([T.PILToTensor(), T.ConvertImageDtype(float), T.Normalize(mean, std)])
own = T.Compose([T.ToTensor(), Cutout(), T.ToTensor()])
own2 = T.Compose([Normalize(mean, std), Lambda(lambda x: x), ToTensor()])
tensors = T.Compose([Normalize(mean, std), T.RandomErasing()])
newer = v2.Compose([v2.Normalize(mean, std), v2.ToImage()])
other = Composed([Normalize(mean, std), ToTensor()])
layers = nn.Sequential(Normalize(mean, std))
erase = T.Compose([T.RandomErasing(), T.ToTensor()])  # hit
star = T.Compose([*[ToTensor()], Normalize(mean, std), *[], ToTensor()])  # hit
empty = T.Compose()


def made(train):
    steps = [T.Resize(2)]
    if train:
        steps.append(T.RandomCrop(2))
    steps.append(ToTensor())
    steps.append(Normalize(mean, std))
    return T.Compose(transforms=steps)


def reversed_steps():
    steps = []
    steps.append(T.ToPILImage())
    steps += [Normalize(mean, std)]  # hit
    return Compose(steps)
