import torch


def make_scaler(device, enabled):
    use = bool(enabled and device.type == "cuda")
    if hasattr(torch, "amp") and hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device.type, enabled=use)
    return torch.cuda.amp.GradScaler(enabled=use)


def train(model, batches, optimizer, cfg, device, epochs):
    scaler = make_scaler(device, cfg.amp)
    for _ in range(epochs):
        for x in batches:
            optimizer.zero_grad()
            scaler.scale(model(x).mean()).backward()
            if cfg.clip > 0:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()


def train_twice(model, batches, optimizer, device):
    scaler = make_scaler(device, True)
    for x in batches:
        optimizer.zero_grad()
        scaler.scale(model(x).mean()).backward()
        scaler.step(optimizer)
        scaler.step(optimizer)  # hit
        scaler.update()
