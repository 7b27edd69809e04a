# torch: 1.11
from torch import nn
from torchvision.models import resnet50

resnet50(pretrained=True)
nn.MSELoss(size_average=False)  # hit
nn.parallel.DistributedDataParallel(nn.Linear(1, 1), broadcast_buffers=True)
