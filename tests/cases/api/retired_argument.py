import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torch.nn import CrossEntropyLoss
from torchvision import models
from torchvision.models import resnet50
from torchvision.models.detection import fasterrcnn_resnet50_fpn
import timm


def losses(p, q, w, size_average, args):
    nn.MSELoss(size_average=False)  # hit
    nn.MSELoss(size_average=size_average)
    nn.MSELoss(size_average=None, reduce=None)
    nn.MSELoss(size_average=None, reduce=None, reduction="sum")
    nn.MSELoss(False)  # hit
    nn.MSELoss()
    nn.MSELoss(*args)
    nn.MSELoss(reduction="sum")
    CrossEntropyLoss(w, size_average=True)  # hit
    CrossEntropyLoss(w, False)  # hit
    CrossEntropyLoss(w, None, 255)
    F.cross_entropy(p, q, w, False, 255)  # hit
    F.cross_entropy(p, q, w, reduce=False)  # hit
    F.mse_loss(p, q, size_average=len(p) > 2)  # hit
    F.kl_div(p, q, reduction="elementwise_mean")  # hit
    return F.binary_cross_entropy_with_logits(
        p,
        q,
        size_average=False,  # hit
    )


class Own(nn.Module):
    def __init__(self, size_average=True):
        super().__init__()


Own(size_average=False)


def vision(args, name, flag, pretrained):
    resnet50(pretrained=True)  # hit
    resnet50(pretrained=args.pretrained)  # hit
    resnet50(pretrained=flag if args else True)  # hit
    resnet50(True)  # hit
    resnet50(pretrained)
    resnet50()
    resnet50(weights="DEFAULT")
    resnet50(**args)
    models.resnet.resnet18(pretrained=False)  # hit
    torchvision.models.vgg16(pretrained=True, progress=False)  # hit
    models.segmentation.fcn_resnet50(pretrained=False, num_classes=3)  # hit
    fasterrcnn_resnet50_fpn(
        pretrained=False,  # hit
        pretrained_backbone=True,  # hit
    )
    torch.hub.load("pytorch/vision", "resnet18", pretrained=True)  # hit
    torch.hub.load("pytorch/vision:v0.10.0", "resnet18", pretrained=True)
    torch.hub.load("mine/repo", "resnet18", pretrained=True)
    timm.create_model("resnet18", pretrained=True)
    models.unheard_of(pretrained=True)


def others(x, loss, device_ids, model):
    nn.Hardtanh(min_value=-1)  # hit
    nn.Hardtanh(-1, 1)
    F.gumbel_softmax(x, eps=1e-9)  # hit
    F.gumbel_softmax(x, 1.0, True, 1e-10, 0)
    torch.autograd.backward(loss, grad_variables=x)  # hit
    torch.autograd.grad(loss, x, only_inputs=True)
    torch.autograd.profiler.profile(use_cuda=True)  # hit
    torch.autograd.profiler.profile(use_cuda=False)
    torch.stft(x, 64, return_complex=False)  # hit
    torch.stft(x, 64, return_complex=True)
    nn.parallel.DistributedDataParallel(model, device_ids, broadcast_buffers=True)  # hit


def step(p, grad, lr, names):
    p.data.add_(-lr, grad)  # hit
    p.data.add_(grad, alpha=-lr)
    p.add_(grad)
    names.add("a")
    p.addcdiv_(-lr, grad, grad)  # hit
    p.addcdiv_(grad, grad, value=-lr)
    p.addcdiv_(grad, grad)
    torch.add(p, lr, grad)  # hit
    torch.add(p, grad, alpha=lr)
    names.add(1, 2)
