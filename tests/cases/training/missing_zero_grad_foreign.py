import paddle


def train(loader, net, criterion, optimizer):
    for images, labels in loader:
        optimizer.clear_grad()
        loss = criterion(net(images), labels)
        loss.backward()
        optimizer.step()
        print(loss.numpy())


def build(args):
    return paddle.io.DataLoader(args.data)
