import torch
from torch.utils.data import DataLoader


def make(net):
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    model = net()
    torch.set_default_tensor_type(torch.FloatTensor)
    return model


def load(data):
    return DataLoader(data, 8, shuffle=True)
