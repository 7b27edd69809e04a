import torch
import torch.utils.data as data
from torch.utils.data import _utils, default_collate
from torch.utils.data._utils.collate import default_convert  # hit
from torch.utils.data._utils.collate import collate_tensor_fn
from torch.utils.data._utils.collate import default_collate as join, default_collate_fn_map  # hit
from torch.utils.data.dataloader import default_collate as public


def batch(samples):
    _utils.collate.default_collate(samples)  # hit
    torch.utils.data._utils.collate.default_convert(samples)  # hit
    data._utils.collate.default_collate(samples)  # hit
    data.default_collate(samples)
    collate_tensor_fn(samples)
    return default_collate(samples), public(samples), join(samples), default_convert(samples)
