import torch
from torch import nn
from torch.autograd import Variable


def kept(model, loader, optimizer):
    shown = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        shown.append(loss.cpu().numpy())  # hit
        shown.append(loss.detach().cpu().numpy())
        shown.append(loss.data.numpy())
    return shown


def kept_outputs(loader, layer=nn.Linear(4, 1)):
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for x, y in loader:
        out = layer(x)
        out.mean().backward()
        optimizer.step()
        shown = out.cpu().numpy()  # hit
    with torch.no_grad():
        for x, y in loader:
            shown = layer(x).numpy()
    return shown


def show(x):
    x = x.view(2, 2)
    print(x[0].cpu().numpy())


def train_and_show(loader):
    model = nn.Linear(4, 4)
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        optimizer.zero_grad()
        out = model(x)
        out.sum().backward()
        optimizer.step()
    with torch.no_grad():
        for x in loader:
            out = model(x)
            break
    show(out)


def count_right(loader):
    model = nn.Linear(4, 4)
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        out = model(x)
        best = torch.topk(out, 1, dim=1)[1].squeeze(1)
        print(best.cpu().numpy(), out.max(1)[1].numpy())
        print(torch.topk(out, 1, dim=1)[0].numpy())  # hit
        optimizer.zero_grad()
        nn.functional.cross_entropy(out, y).backward()
        optimizer.step()


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.nll = nn.NLLLoss(None, False)

    def forward(self, given, labels):
        return self.nll(nn.functional.log_softmax(given, 1), labels)


def by_the_number_of_samples(batches, optimizer):
    net, criterion = nn.Conv2d(3, 4, 1), Loss()
    for data in batches:
        inputs, labels = data
        count = inputs.size(0)
        loss = criterion(net(inputs), labels) / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.data[0])  # hit


def by_a_size_of_what_a_loader_gives(loader, net, criterion, optimizer):
    for data in loader:
        inputs, labels = data
        count = inputs.size(0)
        inputs = Variable(inputs).cuda()
        labels = Variable(labels).cuda()
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels) / count
        loss.backward()
        optimizer.step()
        print(loss.data[0])  # hit


def by_how_many_numbers_a_loader_gives(loader, net, criterion, optimizer):
    for inputs, labels in loader:
        count = labels.numel()
        inputs, labels = Variable(inputs), Variable(labels)
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels) / count
        loss.backward()
        optimizer.step()
        print(loss.data[0], count)  # hit
