# torch: 2.1
from torch import optim


def make(net, **options):
    first = optim.SGD(net.parameters())  # hit
    second = optim.SGD(net.parameters(), momentum=0.9)  # hit
    third = optim.SGD(net.parameters(), 0.1)
    fourth = optim.SGD([{"params": net.parameters(), "lr": 0.1}])
    fifth = optim.SGD(net.parameters(), **options)
    sixth = optim.Adam(net.parameters())
    return first, second, third, fourth, fifth, sixth
