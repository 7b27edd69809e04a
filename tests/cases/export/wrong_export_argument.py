import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask


class Reads(nn.Module):
    def forward(self, batch):
        return batch["x"]


X = torch.ones(2, 4)


def of_models(model, path):
    net = Masked()
    torch.export.export(net(X, X), (X, X))  # hit
    torch.export.export(net, (X, X))
    torch.export.export(Masked, (X, X))  # hit
    torch.export.export((X, X), net)  # hit
    torch.onnx.export(net(X, X), (X, X), path)  # hit
    torch.onnx.export(net, (X, X), path)
    torch.jit.trace(net(X, X), (X, X))  # hit
    torch.jit.trace(net, (X, X))
    torch.jit.trace(torch.relu, X)
    torch.export.export(model, (X, X))
    torch.export.export(model(X), (X, X))


def of_traces(model):
    net = Masked()
    torch.jit.trace(net, X, X)  # hit
    torch.jit.trace(net, {"x": X, "mask": X})  # hit
    torch.jit.trace(net, example_kwarg_inputs={"x": X, "mask": X})
    torch.jit.trace(Reads(), ({"x": X},), strict=False)
    torch.jit.trace(model, X, None)


def of_keywords():
    torch.export.export(Masked(), (X, {"mask": X}))  # hit
    torch.export.export(Masked(), (X,), {"mask": X})
    torch.export.export(Reads(), ({"x": X},))


class Keyed(nn.Module):
    def forward(self, x, scale=1.0, *, mask):
        return x * mask * scale


def of_counts(others, path):
    torch.export.export(Masked(), (X,))  # hit
    torch.export.export(Masked(), (X,), {"mask": X})
    torch.export.export(Masked(), (X, X, X))  # hit
    torch.export.export(Masked(), (X, *others))
    torch.export.export(Keyed(), (X, 2.0))  # hit
    torch.export.export(Keyed(), (X,), {"mask": X})
    torch.onnx.export(Masked(), (X,), path)  # hit
    torch.onnx.export(Masked(), (X,), path, kwargs={"mask": X})
    torch.onnx.export(Masked(), (X, X, {}), path)
    torch.jit.trace(Masked(), (X,))  # hit
    torch.jit.trace(Masked(), (X, X))
    torch.jit.trace(Masked(), example_kwarg_inputs={"x": X, "mask": X})


def of_paths(model, path):
    program = torch.export.export(Masked(), (X, X))
    torch.onnx.export(program, "net.onnx")  # hit
    torch.onnx.export(program, f="net.onnx")
    torch.onnx.export(program, (), "net.onnx")
    torch.onnx.export(Masked(), "net.onnx", (X, X))  # hit
    torch.onnx.export(model, (X, X), "net.onnx")
    torch.export.save("net.pt2", program)  # hit
    torch.export.save(program, "net.pt2")
    torch.export.save(Masked(), "net.pt2")  # hit
    torch.export.save(model, "net.pt2")


def of_methods(model):
    net = nn.Linear(4, 4)
    torch.export.export(net.forward, (X,))  # hit
    torch.onnx.export(Masked().eval, (X, X), "net.onnx")  # hit
    torch.export.export(net.eval(), (X,))
    torch.jit.trace(net.forward, (X,))
    torch.export.export(model.forward, (X,))
    torch.export.export(net.state_dict(), (X,))  # hit
    torch.onnx.export(model.state_dict(), (X,), "net.onnx")


def of_names(model, path, names):
    torch.onnx.export(model, (X,), path, input_names="image")  # hit
    torch.onnx.export(model, (X,), path, output_names="out", dynamo=False)  # hit
    torch.onnx.export(model, (X,), path, input_names=["image"], output_names=("out",))
    torch.onnx.export(model, (X,), path, input_names=names)


def of_options(model, path, opset, file):
    torch.onnx.export(model, (X,), path, opset_version="17")  # hit
    torch.onnx.export(model, (X,), path, opset_version="17", dynamo=False)  # hit
    torch.onnx.export(model, (X,), path, opset_version=17)
    torch.onnx.export(model, (X,), path, opset_version=opset)
    torch.onnx.export(model, (X,), dynamo=False)  # hit
    torch.onnx.export(model, (X,), path, dynamo=False)
    torch.onnx.export(model, (X,), f=file, dynamo=False)
    torch.onnx.export(model, (X,))
    torch.onnx.export(model, (X,), dynamo=opset)


def of_defaults(model, path=None, opset="17"):
    torch.onnx.export(model, (X,), path, dynamo=False)
    torch.onnx.export(model, (X,), f=path, dynamo=False)
    torch.onnx.export(model, (X,), "net.onnx", opset_version=opset)


def of_paths_first(model, path, file):
    net = nn.Linear(4, 4)
    torch.save("net.pt", net.state_dict())  # hit
    torch.save("net.pt", {"model": model})  # hit
    torch.save("text", "net.pt")
    torch.save("text", file)
    torch.save(path, model)
    torch.save(net.state_dict(), "net.pt")
    torch.save(f="net.pt", obj=net.state_dict())
    torch.jit.save("net.pt", torch.jit.script(net))  # hit
    torch.jit.save(torch.jit.script(net), "net.pt")
    torch.jit.save(model, path)


def of_open_files(model, path, buffer):
    with open(path, "wb") as file:
        torch.onnx.export(model, (X,), file)  # hit
        torch.onnx.export(model, (X,), f=file)  # hit
        torch.onnx.export(model, (X,), file, dynamo=False)
        torch.onnx.export(model, (X,), path)
    torch.onnx.export(model, (X,), open(path, "wb"))  # hit
    torch.onnx.export(model, (X,), buffer)
    with buffer() as file, open(path) as other:
        torch.onnx.export(model, (X,), file)
