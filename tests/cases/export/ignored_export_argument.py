import torch
from torch.onnx import TrainingMode, export as to_onnx


def export(model, image, mask, names, options):
    to_onnx(model, (image,), "m.onnx", training=TrainingMode.EVAL)  # hit
    to_onnx(model, (image,), "m.onnx", training=TrainingMode.EVAL, dynamo=False)
    to_onnx(model, (image,), "m.onnx", optimize=True, dynamo=False)  # hit
    to_onnx(model, (image,), "m.onnx", optimize=True)
    to_onnx(model, (image,), "m.onnx", do_constant_folding=True, **options)
    to_onnx(model, (image,), "m.onnx", do_constant_folding=True, dynamo=names)
    to_onnx(model, (image.float(),), "m.onnx", input_names=["a", "b"])  # hit
    to_onnx(model, (image.float(), mask.bool()), "m.onnx", input_names=["a", "b"])
    to_onnx(model, (image.float(),), "m.onnx", input_names=names)
    to_onnx(model, (image.float(), {"mask": mask}), "m.onnx", input_names=["a", "b"])
    to_onnx(model, (image.float(),), "m.onnx", kwargs={"mask": mask}, input_names=["a", "b"])
    to_onnx(model, (*image,), "m.onnx", input_names=["a", "b"])
    to_onnx(model, image, "m.onnx", input_names=["a", "b"])
    to_onnx(model, (image,), "m.onnx", input_names=["a", "b"])


def settings(model, image, names=("a", "b")):
    how = dict(do_constant_folding=True)
    to_onnx(model, (image,), "m.onnx", **how)  # hit
    to_onnx(model, (image.float(),), "m.onnx", input_names=names)  # hit
