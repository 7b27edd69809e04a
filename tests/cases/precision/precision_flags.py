import torch
from torch.backends import cudnn

torch.backends.cuda.matmul.fp32_precision = "ieee"
torch.backends.cuda.matmul.allow_tf32 = False  # hit
cudnn.allow_tf32 = True  # hit
torch.set_float32_matmul_precision("high")
torch.backends.cudnn.benchmark = True
