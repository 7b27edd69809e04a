import torch
from torch import nn
from torch.export import Dim, export

BATCH = Dim("batch")
IMAGE = torch.rand(1, 3, 8, 8)
IMAGES = torch.rand(2, 3, 8, 8)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, image, scale):
        return self.conv(image) * scale


def by_names():
    net = Net().eval()
    sizes = {"image": {0: BATCH}, "scale": None}
    export(net, (IMAGE, torch.ones(1)), dynamic_shapes=sizes)  # hit
    export(net, (IMAGES, torch.ones(1)), dynamic_shapes=sizes)
    export(net, (IMAGES, torch.ones(1)), dynamic_shapes={"image": None, "scale": {0: Dim.DYNAMIC}})  # hit


def in_order(model):
    export(model, (IMAGE,), dynamic_shapes=({0: BATCH},))  # hit
    export(model, (IMAGE,), dynamic_shapes=({0: Dim.DYNAMIC},))  # hit
    export(model, (IMAGE,), dynamic_shapes=({0: Dim.AUTO},))  # hit
    export(model, (IMAGE,), dynamic_shapes=({-4: BATCH},))  # hit
    export(model, (IMAGE,), dynamic_shapes=((BATCH, None, None, None),))  # hit
    export(model, (IMAGE,), dynamic_shapes=({0: Dim.STATIC},))
    export(model, (IMAGE,), dynamic_shapes=({2: BATCH},))
    export(model, (IMAGE,), dynamic_shapes=({0: None, 2: BATCH},))
    export(model, (IMAGE,))
    export(model, (IMAGES,), dynamic_shapes=({0: BATCH},))


def example(count):
    return torch.zeros((count, 3, 8, 8)).float()


def through_helpers(model, size=1):
    export(model, (example(1),), dynamic_shapes=({0: BATCH},))  # hit
    export(model, (example(size),), dynamic_shapes=({0: BATCH},))  # hit
    export(model, (example(model.size),), dynamic_shapes=({0: BATCH},))
    export(model, (example(4)[:1],), dynamic_shapes=({0: BATCH},))  # hit
    export(model, (example(2)[0].unsqueeze(0),), dynamic_shapes=({0: BATCH},))  # hit


def with_keywords(model):
    options = {"dynamic_shapes": {"image": {0: BATCH}, "scale": None}}
    export(Net(), args=(IMAGE,), kwargs={"scale": torch.ones(1)}, **options)  # hit


def of_onnx(model, path):
    torch.onnx.export(model, (IMAGE,), path, dynamic_shapes=({0: Dim("n", min=2, max=8)},))  # hit
    torch.onnx.export(model, (IMAGE,), path, dynamic_shapes=({0: BATCH},))
    torch.onnx.export(model, (IMAGE,), path, dynamic_shapes=({0: "batch"},))
    torch.onnx.export(model, (IMAGE,), path, dynamo=False, dynamic_axes={"x": {0: "batch"}})
