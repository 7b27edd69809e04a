import sys

import onnxruntime
import outside
import torch
import torchvision
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))

    def forward(self, x):
        return self.body(x)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.LayerNorm(3)
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        return self.drop(self.norm(self.linear(x)))


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return self.net(x)


def forgotten(x):
    model = Wrapped().to("cpu")
    model.load_state_dict(torch.load("w.pt"))
    with torch.no_grad():
        torch.onnx.export(model, (x,), "m.onnx")  # hit
        torch.onnx.export(model, (x,), "m.onnx", dynamo=False)
        torch.onnx.export(  # hit
            model, (x,), "m.onnx", dynamo=False, training=torch.onnx.TrainingMode.PRESERVE
        )
    traced = torch.jit.trace(model, x)  # hit
    traced.save("m.pt")
    return torch.export.export(torchvision.models.resnet18(), (x,))  # hit


def right(x):
    model = Net()
    model.eval()
    torch.export.export(model, (x,))
    other = torchvision.models.resnet50().eval()
    torch.jit.trace(other, x)
    torch.export.export(Plain(), (x,))
    torch.onnx.export(Net().eval(), (x,), "m.onnx")
    model.train()
    model.train(False)
    return torch.jit.trace(model, x)


def back_again(x):
    model = Net().eval()
    model.train()
    return torch.jit.trace(model, x)  # hit


def unclear(x, given):
    model = Net()
    if sys.argv[1:]:
        model.eval()
    torch.jit.trace(model, x)
    other = prepared(Net())
    torch.jit.trace(other, x)
    torch.jit.trace(given, x)
    third = Net()
    outside.prepare(third)
    torch.jit.trace(third, x)


def prepared(model):
    return model.eval()


def build(pretrained):
    model = Net()
    if pretrained:
        model.load_state_dict(torch.load("w.pt"))
    return model


def write(model, x):
    torch.export.export(model, (x,))  # hit


def scripted(x):
    one = torch.jit.script(Net())
    one.eval()
    one.save("one.pt")
    two = torch.jit.script(Net())  # hit
    two.save("two.pt")
    return torch.jit.script(Net())


def compared(x):
    model = Net()
    torch.onnx.export(model, (x,), "m.onnx", dynamo=False)
    expected = model(x)  # hit
    return expected, onnxruntime.InferenceSession("m.onnx").run(None, {"x": x.numpy()})


def compared_once(x):
    model = Net()
    torch.onnx.export(model, (x,), "m.onnx")  # hit
    expected = model(x)
    return expected, onnxruntime.InferenceSession("m.onnx").run(None, {"x": x.numpy()})


def called(x):
    return Net()(x)


def main(x):
    model = build(True)
    write(model, x)


if __name__ == "__main__":
    net = build(False)
    torch.export.export(net, (torch.ones(1),))  # hit


class Exporter:
    def __init__(self):
        self.model = Wrapped()
        self.twin = Wrapped()
        self.twin.eval()

    def write(self, x):
        scripted = torch.jit.trace(func=self.model, example_inputs=x)  # hit
        self.model.train(False)
        torch.jit.trace(self.twin, x)
        torch.jit.trace(self.model, x)
        return scripted


def in_a_loop(x):
    for model in (Net(), Net().eval(), nn.Sequential(nn.Linear(3, 3), nn.Dropout(p=0.5))):
        torch.export.export(model, (x,))  # hit
    for model in (Net().eval(), nn.Linear(3, 3)):
        torch.export.export(model, (x,))


def by_a_helper(x):
    model = Net()
    switch(model)
    torch.export.export(model, (x,))
    switch(model, True)
    torch.export.export(model, (x,))  # hit


def switch(model, on=False):
    model.train(on)


def without_statistics(x):
    return torch.export.export(nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.0)), (x,))


def scripted_to_train(loader, path):
    model = Net()
    model = torch.jit.script(model)
    optimizer = torch.optim.SGD(model.parameters())
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
    model.save(path)


def scripted_behind_training(loader, path):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters())
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
    model = torch.jit.script(model)  # hit
    model.save(path)
