import torchvision
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def wrapped(model, images):
    net = DDP(torchvision.models.resnet50(), find_unused_parameters=True)  # hit
    layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    small = DDP(layers.cuda(), device_ids=[0], find_unused_parameters=True)  # hit
    unknown = DDP(model, find_unused_parameters=True)
    fixed = DDP(model, find_unused_parameters=True, static_graph=True)  # hit
    aux = DDP(torchvision.models.inception_v3(), find_unused_parameters=True)
    off = DDP(torchvision.models.resnet50(), find_unused_parameters=False)
    many = nn.DataParallel(model)
    return net, small, unknown, fixed, aux, off, many
