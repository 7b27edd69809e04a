def surgery(model, loader, optimizer, project):
    for batch in loader:
        kept = []
        for loss in model(batch):
            optimizer.zero_grad()
            loss.backward()
            kept.append([p.grad.clone() for p in model.parameters()])
        optimizer.zero_grad()
        for p, grad in zip(model.parameters(), project(kept)):
            p.grad = grad
        optimizer.step()
