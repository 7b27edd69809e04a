import torch


def export(model, image, axes, **options):
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes)  # hit
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes, dynamo=True)  # hit
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes, dynamo=False)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=None)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes, **options)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_shapes=axes)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_shapes=axes, dynamo=False)  # hit


def named(model, image, name):
    torch.onnx.export(  # hit
        model,
        (image,),
        "m.onnx",
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"image": {0: "n"}, "y": {0: "n"}},
        dynamo=False,
    )
    torch.onnx.export(
        model,
        (image,),
        "m.onnx",
        input_names=["x"],
        output_names=[name],
        dynamic_axes={"image": {0: "n"}},
        dynamo=False,
    )
    torch.onnx.export(
        model,
        (image,),
        "m.onnx",
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": {0: "n"}, "y": {0: "n"}},
        dynamo=False,
    )


def by_settings(model, image, names=("x",)):
    how = dict(input_names=names, output_names=["y"], dynamo=False)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes={"image": {0: "n"}}, **how)  # hit
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes={"x": {0: "n"}}, **how)


class Two(torch.nn.Module):
    def forward(self, x, mask):
        return x * mask


def unnamed(model, path):
    x, axes = torch.ones(2, 4), {"x": {0: "n"}}
    torch.onnx.export(Two(), (x, x), path, dynamic_axes=axes, dynamo=False)  # hit
    torch.onnx.export(model, (x,), path, dynamic_axes=axes, dynamo=False)  # hit
    torch.onnx.export(model, (x,), path, dynamic_axes=axes, input_names=["x"], dynamo=False)
    torch.onnx.export(Two(), (x, x), path, dynamic_shapes=axes, dynamo=False)  # hit
    torch.onnx.export(model, (x,), path, input_names=["y"], dynamic_axes=axes, dynamo=False)  # hit
    numbered = {"x": {0: "n"}, "12": {0: "n"}}
    torch.onnx.export(
        model, (x,), path, input_names=["x"], dynamic_axes=numbered, dynamo=False
    )


class Wave(torch.nn.Module):
    def forward(self, wave):
        return wave * 2


def far_axis(path):
    wave, how = torch.ones(1, 1, 16), {"input_names": ["wave"], "dynamo": False}
    torch.onnx.export(Wave(), (wave,), path, dynamic_axes={"wave": {0: "n", 3: "t"}}, **how)  # hit
    torch.onnx.export(Wave(), (wave,), path, dynamic_axes={"wave": [0, 3]}, **how)  # hit
    torch.onnx.export(Wave(), (wave,), path, dynamic_axes={"wave": {0: "n", 2: "t"}}, **how)
    torch.onnx.export(Wave(), (wave,), path, dynamic_axes={"wave": {-1: "t"}}, **how)  # hit


def of_script(wave, path):
    scripted = torch.jit.script(Wave())
    torch.onnx.export(scripted, (wave,), path, dynamic_axes={"wave": {0: "n"}})
