import torch
from torch2trt import TRTModule

engine = TRTModule()
engine.load_state_dict(torch.load("engine.pth"))
