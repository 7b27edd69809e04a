import torch
from torch import nn


class OfGraph(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, graph, features):
        if graph.is_block:
            features = {name: features[name][: graph.num_dst_nodes(name)] for name in features}
        out = {}
        for name in graph.dsttypes:
            if graph.num_dst_nodes(name) == 0:
                continue
            out[name] = self.layer(features[name])
        return out


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = OfGraph()

    def forward(self, graph, features):
        return self.first(graph, features)


class Shaped(nn.Module):
    def __init__(self, lead):
        super().__init__()
        self.lead = torch.Size(lead)

    def fits(self, shape):
        return torch.broadcast_shapes(shape, self.lead) == self.lead

    def forward(self, x):
        if not self.fits(x.shape[:-2]):
            raise ValueError("shape")
        if x.sum() > 0:  # hit
            return x * 2
        return x
