# profile: torchscript-trace
from torch import nn


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 3, 1)
        self.register_full_backward_hook(self.clear)  # hit
        self.conv.register_backward_hook(lambda *given: None)  # hit
        self.conv.register_forward_hook(lambda *given: None)

    def clear(self, *given):
        self.kept = None

    def watch(self):
        return self.conv.register_full_backward_hook(self.clear)

    def forward(self, x):
        return self.conv(x)


class Watcher:
    def __init__(self, model):
        self.model = model
        self.model.register_full_backward_hook(print)
