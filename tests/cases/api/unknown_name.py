import collections

import torch
import torch as t
import torch.nn as nn
import torch.nn.functional as F
import torch.npu
import torch.utils.dta  # hit
import torch_xla
import torchvision
from torch import nn as neural
from torch import optim
from torch._six import container_abcs, inf  # hit
from torch.nn import CrossEntropyloss  # hit
from torch.nn import Linear, Conv2D  # hit
from torch.optim import lr_scheduler, AdamW
from torch.utils.data import Dataloader  # hit
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms
from torchvision.models.resnet import model_urls  # hit
from torchvision.models.resnet import BasicBlock
from torchvision.models.utils import load_state_dict_from_url  # hit
from torchvision.transforms.functional_tensor import rgb_to_grayscale  # hit
from torchvision.transforms import Scale  # hit

from . import torch as mine

try:
    from torch._six import string_classes
except ImportError:
    string_classes = str

try:
    from torchvision.models.utils import load_state_dict_from_url
except ModuleNotFoundError:
    from torch.hub import load_state_dict_from_url

loss = nn.NLLoss()  # hit
model = torchvision.models.densenet_161()  # hit
other = models.resnet51()  # hit
fine = models.resnet50()
optimizer = optim.Adm(model.parameters())  # hit
scheduler = torch.optim.lr_scheduler.StepLr(optimizer, 3)  # hit
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer)
torch.backends.cudnn.benchmarks = True  # hit
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = True
torch.my_own_flag = 3
print(torch.my_own_flag)
print(mine.nothing, torch_xla.nothing, collections.nothing)
torch.npu.set_device(0)
torch.ops.mylib.nms(1)
torch.classes.mine.Thing()
torch._C._unknown_thing()
torch._dynamo.config.unknown = 3
torch.distributed.ProcessGroupNCCL
torch.nn.modules.nothing.known
torch.onnx.symbolic_helper
torch.has_mps
torch.backends.mkldnn.conv.fp32_precision
torch.autograd.profiler.format_time(3)  # hit
collections.nn.Linear4bit(3)


prepare = transforms.Scale(256)  # hit
urls = torchvision.models.vgg.model_urls  # hit
weights = torchvision.models.resnet.ResNet18_Weights.DEFAULT


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = neural.conv2d(3, 3, 3)  # hit
        self.fc = t.Linear(3, 4)  # hit
        self.act = nn.LeakyRelu()  # hit
        self.nn = torch.nn
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        if x.size() == torch.size([1]):  # hit
            return x
        y = self.nn.conv2d(x)
        return F.relu(F.relu7(x)) + x.nothing()  # hit


def guarded(x, torch_version):
    if hasattr(torch, "frobnicate"):
        return torch.frobnicate(x)
    if torch_version > (2, 20):
        return torch.frobble(x)
    return torch.newthing(x) if torch.__version__ > "3" else x


def left_early(x):
    if not is_new_available():
        return x
    return torch.newer(x)


def tried(x):
    try:
        return torch.newer(x)
    except AttributeError:
        return x


def tried_for_another_reason(x):
    try:
        return torch.newer(x)  # hit
    except KeyError:
        return x


def shadowed(torch):
    return torch.whatever(1)


def text():
    return "torch.nothing", f"{torch.nothing_at_all}"  # hit


def chosen(torch=torch, *args):
    return torch.anything_else


def of_matrices(generator):
    return torch.expm(generator)  # hit


def of_vision():
    from torchvision.models.mobilenetv2 import ConvBNReLU  # hit

    return ConvBNReLU(3, 8)


import torchvision.datasets as sets
import own.datasets as sets

own = sets.COCOImages("train")


def with_torchvision(split):
    import torchvision.datasets as sets

    return sets.COCOImages(split)  # hit
