"""A model that needs a package which is not there."""

import missing_extension
from torch import nn


class NeedsExtension(nn.Module):
    def forward(self, image):
        return missing_extension.filter(image)
