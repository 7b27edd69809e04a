import torch
from torch.ao import quantization
from torch.ao.quantization import prepare_qat


def by_name(model):
    config = torch.quantization.get_default_qconfig("fbgemm")
    model.qconfig = config
    torch.quantization.prepare_qat(model, inplace=True)  # hit


def by_attribute(model):
    model.qconfig = quantization.default_qconfig
    return prepare_qat(model)  # hit


def rightly(model, other, qat):
    model.qconfig = quantization.get_default_qat_qconfig("fbgemm")
    yield prepare_qat(model)
    other.qconfig = quantization.get_default_qconfig("fbgemm")
    yield quantization.prepare(other)
    if qat:
        other.qconfig = quantization.get_default_qat_qconfig("fbgemm")
    yield prepare_qat(other)
