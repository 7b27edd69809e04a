from torch import nn


class Layer(nn.Module):
    """A norm that only those have who ask for it."""

    def __init__(self, wide, use_norm=False):
        super().__init__()
        self.fc = nn.Linear(wide, wide)
        if use_norm:
            self.norm = nn.LayerNorm(wide)
        for name, weight in self.named_parameters():
            if "weight" in name:
                nn.init.kaiming_uniform_(weight)
