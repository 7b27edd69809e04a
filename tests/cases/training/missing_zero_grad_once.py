def train(model, loader, optimizer, epochs):
    for _ in range(epochs):
        optimizer.zero_grad()
        for batch in loader:
            model(batch).mean().backward()
            optimizer.step()  # hit
