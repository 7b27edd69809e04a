import argparse
import io
import logging
import os
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import onnxruntime as ort
import pytest
import torch
from onnxruntime import InferenceSession
from torch import nn

PATH = "constant.onnx"
LOG = logging.getLogger(__name__)
NAMES = ["image", "mask"]
KEY = "input"
a, b = np.ones(1), np.ones(1)


class Net(nn.Module):
    def forward(self, x, mask=None):
        x = x * 2
        return x if mask is None else x * mask


class Same(nn.Module):
    def forward(self, x):
        return x, x * 2


def by_path(model, x):
    torch.onnx.export(model, (x, x), PATH, input_names=NAMES, output_names=("out",))
    session = onnxruntime.InferenceSession(PATH, providers=["CPUExecutionProvider"])
    session.run(None, {"image": a, "mask": b})
    session.run(["out"], {"image": a, "mask": b})
    session.run(["output"], {"image": a, "mask": b})  # hit
    session.run(["out", "add_1", "relu"], {"image": a, "mask": b})
    session.run(None, {"input": a, "mask": b})  # hit
    session.run(None, dict(image=a, masks=b))  # hit
    session.run(output_names=None, input_feed={"image": a, "masks": b})  # hit
    session.run(None, {KEY: a, "mask": b})  # hit
    session.run(None, {"image": a})
    session.run(None, {"image": a, "mask": b, "more": b})
    session.run(None, {session.get_inputs()[0].name: a, "masks": b})
    session.run(None, {f"{KEY}": a, "mask": b})
    session.run(None, {i.name: a for i in session.get_inputs()})
    session.run(None, {"input": a, **{"mask": b}})
    feed = {"images": a, "mask": b}  # hit
    session.run(None, feed)
    filled = {"image": a}
    filled["masks"] = b
    session.run(None, filled)
    handed = {"images": a}
    complete(handed)
    session.run(None, handed)
    with pytest.raises(ValueError):
        session.run(None, {"input": a, "mask": b})
    try:
        session.run(None, {"input": a, "mask": b})
    except ValueError:
        session.run(None, {"image": a, "mask": b})
    InferenceSession("./constant.onnx").run(None, {"input": a, "mask": b})  # hit


class Runner:
    def __init__(self, path):
        self.session = InferenceSession(os.path.join(".", "constant.onnx"))
        self.inner = ort.InferenceSession("constant.onnx")
        self.other = ort.InferenceSession(path)

    def __call__(self, image):
        self.other.run(None, {"input": image, "mask": image})
        self.inner.run(None, {"image": image, "mask": image})
        return self.inner.run(None, {"input": image, "mask": image})  # hit


def by_argument(path, other, model, x):
    torch.onnx.export(model, x, path, input_names=["image"])
    onnx.checker.check_model(onnx.load(path))
    print(f"wrote {path}")
    ort.InferenceSession(path).run(None, {"input": a})  # hit
    ort.InferenceSession(str(path)).run(None, {"input": a})  # hit
    ort.InferenceSession(path).run(None, {"image": a, "mask": a})
    ort.InferenceSession(other).run(None, {"input": a})


def by_folder(folder, model, x):
    torch.onnx.export(model, x, f"{folder}/net.onnx", input_names=["image"])
    ort.InferenceSession(f"{folder}/net.onnx").run(None, {"input": a})  # hit
    torch.onnx.export(model, x, Path(folder) / "b.onnx", input_names=["image"])
    ort.InferenceSession(str(Path(folder) / "b.onnx")).run(None, {"input": a})  # hit


def by_settings(model, x):
    args = argparse.ArgumentParser().parse_args()
    torch.onnx.export(model, x, args.out, input_names=["image"])
    ort.InferenceSession(args.out).run(None, {"input": a})  # hit


def by_buffer(model, x):
    buffer = io.BytesIO()
    torch.onnx.export(model, x, buffer, input_names=["image"])
    ort.InferenceSession(buffer.getvalue()).run(None, {"input": a})  # hit


def counted(model):
    x, y = torch.ones(1, 4), make()
    image = torch.randn(1, 4).cuda()
    scale = torch.ones(4)
    torch.onnx.export(model, (image, scale), "counted.onnx", input_names=NAMES)
    ort.InferenceSession("counted.onnx").run(None, {"image": a})  # hit
    ort.InferenceSession("counted.onnx").run(None, {"image": a, "mask": a, "more": a})  # hit
    torch.onnx.export(model, (image, y), "unsure.onnx", input_names=NAMES)
    ort.InferenceSession("unsure.onnx").run(None, {"image": a})
    torch.onnx.export(model, (image, scale), "old.onnx", input_names=NAMES, dynamo=False)
    ort.InferenceSession("old.onnx").run(None, {"image": a})
    ort.InferenceSession("old.onnx").run(None, {"input": a})  # hit
    torch.onnx.export(model, (image, scale), "few.onnx", input_names=["image"], dynamo=False)
    ort.InferenceSession("few.onnx").run(None, {"1": a})
    torch.onnx.export(model, (image, scale), "fewer.onnx", input_names=["image"])
    ort.InferenceSession("fewer.onnx").run(None, {"image": a, "mask": a})
    ort.InferenceSession("fewer.onnx").run(None, {"mask": a, "x": a})  # hit


def unnamed():
    x = torch.ones(1, 4)
    model = Net().eval()
    torch.onnx.export(model, (x,), "one.onnx")
    ort.InferenceSession("one.onnx").run(None, {"x": a})
    ort.InferenceSession("one.onnx").run(None, {"input": a})  # hit
    torch.onnx.export(Net(), (x, x), "two.onnx", dynamo=True)
    ort.InferenceSession("two.onnx").run(None, {"x": a, "mask": a})
    ort.InferenceSession("two.onnx").run(None, {"x": a, "scale": a})  # hit
    torch.onnx.export(Net(), (x,), "legacy.onnx", dynamo=False)
    ort.InferenceSession("legacy.onnx").run(None, {"onnx::Mul_0": a})
    torch.onnx.export(Same(), (x,), "same.onnx")
    ort.InferenceSession("same.onnx").run(None, {"x_orig": a})


def several(model, x, options):
    torch.onnx.export(model, x, "twice.onnx", input_names=["image"])
    torch.onnx.export(model, x, "twice.onnx", input_names=["input"])
    ort.InferenceSession("twice.onnx").run(None, {"x": a})
    torch.onnx.export(model, x, "alike.onnx", input_names=["image"])
    torch.onnx.export(model, x, "alike.onnx", input_names=["image"])
    ort.InferenceSession("alike.onnx").run(None, {"x": a})  # hit
    torch.onnx.export(model, x, "options.onnx", input_names=["image"], **options)
    ort.InferenceSession("options.onnx").run(None, {"x": a})
    torch.onnx.export(model, x, "weights.onnx", input_names=["image"], export_params=False)
    ort.InferenceSession("weights.onnx").run(None, {"x": a})
    torch.onnx.export(model, x, "renamed.onnx", input_names=["image"])
    onnx.save(rename(onnx.load("renamed.onnx")), "renamed.onnx")
    ort.InferenceSession("renamed.onnx").run(None, {"x": a})
    torch.onnx.export(model, x, "outside.onnx", input_names=["image"])
    os.system("simplify outside.onnx")
    os.spawnlp(os.P_WAIT, "simplify", *["outside.onnx"])
    ort.InferenceSession("outside.onnx").run(None, {"x": a})
    torch.onnx.export(model, x, "spoken.onnx", input_names=["image"])
    os.system("simplify ./spoken.onnx spoken.onnx")
    ort.InferenceSession("spoken.onnx").run(None, {"x": a})
    torch.onnx.export(model, x, "told.onnx", input_names=["image"])
    LOG.info("wrote told.onnx")
    ort.InferenceSession("told.onnx").run(None, {"x": a})  # hit
    if options:
        path = "first.onnx"
    else:
        path = "second.onnx"
    torch.onnx.export(model, x, path, input_names=["image"])
    ort.InferenceSession(path).run(None, {"x": a})
    names = ["image"]
    names.append("mask")
    torch.onnx.export(model, x, "grown.onnx", input_names=names)
    ort.InferenceSession("grown.onnx").run(None, {"mask": a, "x": a})
