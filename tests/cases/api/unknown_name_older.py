# torch: 1.11
import torch
import torchvision
from torch import nn
from torch._six import container_abcs, inf
from torchvision.models.resnet import model_urls
from torchvision.models.utils import load_state_dict_from_url
from torchvision.transforms.functional_tensor import rgb_to_grayscale

loss = nn.NLLoss()  # hit
x = torch.rand(3)
torch.something_of_that_release(x)
