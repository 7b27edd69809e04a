import chainer
import torch


def predict(model, x):
    model.train = False
    with torch.no_grad():
        return model(chainer.Variable(x))
