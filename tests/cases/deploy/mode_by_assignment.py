import torch


def predict(model, net, args, x):
    model.training = False  # hit
    net.train = False  # hit
    net.eval = True  # hit
    args.train = False
    args.model.training = True
    for each in model.modules():
        each.training = False
    return model(x)


class Runner:
    def __init__(self, model):
        self.model = model
        self.training = False
        self.train = True

    def run(self, x):
        self.model.training = True  # hit
        self.model.eval()
        return self.model(x)


def restore(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model.eval()


def evaluate(model, other, path):
    model.training = False
    model = restore(model, path)
    other.encoder.training = False  # hit
    return model, other


def validate(net, x):
    net.eval()
    net.training = False
    return net(x)
