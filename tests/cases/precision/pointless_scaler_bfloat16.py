import torch


class Trainer:
    def __init__(self, model, amp):
        self.model = model
        self.scaler = torch.amp.GradScaler("cuda")  # hit
        self.off = torch.amp.GradScaler("cuda", enabled=False)
        self.maybe = torch.cuda.amp.GradScaler(enabled=amp)

    def loss(self, batch):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.model(batch).mean()
