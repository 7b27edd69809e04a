import torch
from torch import nn
from torch.utils.mobile_optimizer import optimize_for_mobile


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Compiled(torch.jit.ScriptModule):
    @torch.jit.script_method
    def forward(self, x):
        return x.relu()


def plain(path):
    model = Net().eval()
    torch.jit.save(model, path)  # hit
    torch.jit.save(model.state_dict(), path)  # hit
    torch.jit.freeze(model)  # hit
    optimize_for_mobile(model)  # hit


def programs(path, x):
    model = Net().eval()
    traced = torch.jit.trace(model, x)
    torch.jit.save(traced, path)
    torch.jit.save(torch.jit.script(model), path)
    torch.jit.save(torch.jit.freeze(traced), path)
    torch.jit.save(optimize_for_mobile(traced), path)
    torch.jit.save(Compiled(), path)
    torch.jit.save(torch.jit.load(path), path)


def by_choice(path, scripted):
    model = Net().eval()
    if scripted:
        model = torch.jit.script(model)
        torch.jit.save(model, path)
    else:
        torch.save(model.state_dict(), path)


def later(path, scripted):
    model = Net()
    if scripted:
        model = torch.jit.script(model)
    if isinstance(model, torch.jit.ScriptModule):
        torch.jit.save(model, path)


def given(model, path):
    torch.jit.save(model, path)


def wrapped(path):
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return self.inner(x)

        def save(self, path):
            torch.jit.save(self.inner, path)

    Wrapper(torch.jit.script(Net())).save(path)


def pickles(x, path):
    model = Net().eval()
    traced = torch.jit.trace(model, x)
    torch.save(traced, path)  # hit
    torch.save(traced.state_dict(), path)
    torch.save(torch.onnx.export(model, (x,), dynamo=True), path)  # hit
    torch.save(model.state_dict(), "net.onnx")  # hit
    torch.save(model, f="net.tflite")  # hit
    torch.save(model.state_dict(), "net.onnx.pth")
    torch.save(model.state_dict(), path + ".onnx")
    torch.save(model.state_dict(), "net.pt2")
