def train(model, loader, optimizer, criterion):
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total = loss.item()  # hit
        kept = loss.detach().cpu().numpy()  # hit
        print(loss)  # hit
        print("step", step)
        if step % 100 == 0:
            print(loss.item())
        total += loss.detach()
    return total.item(), kept


def evaluate(model, loader):
    for x in loader:
        print(model(x).item())
