# torch: 2.3
import torch
from torch.cuda.amp import GradScaler, autocast

scaler = GradScaler()
with autocast(), torch.cuda.amp.autocast():
    pass
