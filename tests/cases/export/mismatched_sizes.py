from functools import partial

import torch
from torch import nn
from torch.export import Dim, export


class Masked(nn.Module):
    def forward(self, x, mask=None):
        return x if mask is None else x * mask


class Many(nn.Module):
    def forward(self, *xs):
        return xs[0] * xs[1]


class Named(nn.Module):
    def forward(self, x, **others):
        return x * others["mask"]


class Derived(Masked):
    pass


BATCH = Dim("batch")
SIZES = {"x": {0: BATCH}}
X = torch.ones(2, 4)


def by_name():
    net = Masked().eval()
    export(net, (X, X), dynamic_shapes={"x": {0: BATCH}})  # hit
    export(net, (X, X), dynamic_shapes={"x": {0: BATCH}, "mask": None})
    export(net, (X,), dynamic_shapes={"input": {0: BATCH}})  # hit
    export(net, (X,), dynamic_shapes={"x": {0: BATCH}, "output": {0: BATCH}})  # hit
    export(net, (X,), dynamic_shapes={"x": {0: BATCH}, "mask": None})  # hit
    export(net, (X,), dynamic_shapes={"x": {0: BATCH}})
    export(net, (X, X), dynamic_shapes={"mask": {0: BATCH}, "x": {0: BATCH}})
    export(Derived(), (X,), dynamic_shapes={"image": {0: BATCH}})  # hit
    export(nn.Linear(4, 2), (X,), dynamic_shapes={"x": {0: BATCH}})  # hit
    export(nn.Linear(4, 2), (X,), dynamic_shapes={"input": {0: BATCH}})
    export(net, (X,), dynamic_shapes={0: BATCH})  # hit


def by_constants():
    inputs = (X, X)
    export(Masked(), inputs, dynamic_shapes=SIZES)  # hit
    export(Masked(), inputs[:1], dynamic_shapes=SIZES)


def by_order(model):
    net = Masked()
    export(net, (X, X), dynamic_shapes=({0: BATCH},))  # hit
    export(net, (X,), dynamic_shapes=({0: BATCH}, None))  # hit
    export(net, (X, X), dynamic_shapes=[{0: BATCH}, {0: BATCH}])
    export(net, (X, X), dynamic_shapes=({0: BATCH}, None))
    export(model, (X, X), dynamic_shapes=({0: BATCH},))  # hit
    export(model, (X, X), dynamic_shapes=(({0: BATCH}, {0: BATCH}),))


def with_keywords(model):
    export(Masked(), (X,), kwargs={"mask": X}, dynamic_shapes={"x": {0: BATCH}})  # hit
    export(Masked(), (X,), {"mask": X}, dynamic_shapes={"x": {0: BATCH}, "mask": {0: BATCH}})
    export(Masked(), (X,), {"mask": X}, dynamic_shapes=({0: BATCH}, {0: BATCH}))
    export(Masked(), (X,), {"mask": X}, dynamic_shapes=({0: BATCH},))  # hit
    export(model, (X,), {"mask": X}, dynamic_shapes=({0: BATCH},))


def of_many():
    export(Many(), (X, X), dynamic_shapes=({0: BATCH}, {0: BATCH}))  # hit
    export(Many(), (X, X), dynamic_shapes=(({0: BATCH}, {0: BATCH}),))
    export(Many(), (X, X), dynamic_shapes={"xs": ({0: BATCH}, {0: BATCH})})
    export(Named(), (X,), {"mask": X}, dynamic_shapes={"x": {0: BATCH}, "others": {"mask": None}})


def through(options):
    kept = {"dynamic_shapes": {"image": {0: BATCH}}}
    export(Masked(), (X,), **kept)  # hit
    export(Masked(), (X,), **options)
    to_program = partial(export, dynamic_shapes=({0: BATCH}, {0: BATCH}))
    to_program(Masked(), (X,))  # hit
    to_program(Masked(), (X, X))
    write(Masked(), {"image": {0: BATCH}})
    write(Masked(), {"x": {0: BATCH}})


def write(model, sizes):
    export(model, (X,), dynamic_shapes=sizes)  # hit


def of_onnx(program, path):
    names = ["image", "mask"]
    sizes = {name: {0: BATCH} for name in names}
    torch.onnx.export(Masked(), (X, X), path, input_names=names, dynamic_shapes=sizes)  # hit
    torch.onnx.export(Masked(), (X,), path, dynamic_shapes={"image": {0: "batch"}})  # hit
    torch.onnx.export(Masked(), (X,), path, dynamic_shapes=({0: "batch"},))
    torch.onnx.export(Masked(), X, path, dynamic_shapes=({0: "batch"},))
    torch.onnx.export(Masked(), (X, {"mask": X}), path, dynamic_shapes=({0: "batch"}, None))
    torch.onnx.export(program, (), path)
    torch.onnx.export(Masked(), (X,), path, dynamo=False, dynamic_axes={"x": {0: "batch"}})


def of_axes():
    export(Masked(), (X,), dynamic_shapes=({2: BATCH},))  # hit
    export(Masked(), (X,), dynamic_shapes=({-1: BATCH},))
    export(Masked(), (X,), dynamic_shapes=({0: "batch"},))  # hit
    export(Masked(), (X,), dynamic_shapes=({0: Dim.AUTO, 1: Dim.STATIC},))


def no_tuple():
    export(Masked(), X)  # hit
    export(Masked(), (X,))
    export(Masked(), torch.rand(2, 4), dynamic_shapes=({0: BATCH},))  # hit
    export(Masked(), [X])  # hit
    export(Masked(), [X, X], dynamic_shapes=({0: BATCH}, {0: BATCH}))  # hit
    torch.onnx.export(Masked(), [X], "net.onnx")  # hit
    torch.onnx.export(Masked(), [X], "net.onnx", dynamo=False)


class Listed(nn.Module):
    def forward(self, xs):
        return xs[0] + xs[1]


def of_lists():
    export(Listed(), ([X, X],), dynamic_shapes={"xs": {0: BATCH}})  # hit
    export(Listed(), ([X, X],), dynamic_shapes=({0: BATCH},))  # hit
    export(Listed(), ([X, X],), dynamic_shapes={"xs": [{0: BATCH}, {0: BATCH}]})
    export(Listed(), ([X, X],), dynamic_shapes={"xs": None})


def of_bounds():
    few, many, long = Dim("few", max=8), Dim("many", min=4), torch.ones(16, 4)
    export(Masked(), (X,), dynamic_shapes=({0: few},))
    export(Masked(), (long,), dynamic_shapes=({0: few},))  # hit
    export(Masked(), (X,), dynamic_shapes=({0: many},))  # hit
    export(Masked(), (long,), dynamic_shapes=({0: many},))
    export(Listed(), ([X, X],), dynamic_shapes=([{0: BATCH}, {0: BATCH}],))
    export(Masked(), (X, torch.ones(3, 4)), dynamic_shapes=({0: BATCH}, {0: BATCH}))  # hit
    export(Masked(), (X, torch.ones(3, 4)), dynamic_shapes=({0: BATCH}, {0: Dim("other")}))
    torch.onnx.export(Masked(), (long,), "net.onnx", dynamic_shapes=({0: few},))  # hit
    torch.onnx.export(Masked(), (X,), "net.onnx", dynamic_shapes=({0: few},))
    export(Masked(), (X,), dynamic_shapes=({0: Dim("none", min=8, max=4)},))  # hit


def make_inputs(features):
    found = [torch.ones(2) for _ in features]
    return tuple(found)


def export_features(features=()):
    sizes = (tuple({0: BATCH} for _ in features),)
    export(Masked(), make_inputs(features), dynamic_shapes=sizes)


if __name__ == "__main__":
    export_features()
