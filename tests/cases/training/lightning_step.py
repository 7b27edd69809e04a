import lightning as L
import torch
from lightning.pytorch import LightningModule
from torch.nn import functional as F


class Scored(LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, index):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        if index % 10 == 0:
            self.optimizers().step()  # hit
        if torch.isnan(loss):
            return None
        return {"log": loss}  # hit

    def validation_step(self, batch, index):
        x, y = batch
        return F.mse_loss(self.net(x), y).item()


class Silent(L.LightningModule):
    def training_step(self, batch, index):  # hit
        loss = self(batch).mean()
        self.log("loss", loss)


class Cut(L.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).mean()
        if index:
            return loss.detach()  # hit
        return loss.item()  # hit


class Named(L.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).mean()
        return {"loss": loss, "shown": loss.detach()}


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(self(batch).mean())
        optimizer.step()


class Base(L.LightningModule):
    def training_step(self, batch, index):
        raise NotImplementedError


class Empty(L.LightningModule):
    def training_step(self, batch, index):
        """Given by whoever derives from it."""


class Trainer:
    def training_step(self, batch):
        batch.loss.backward()


class Attacked(L.LightningModule):
    def training_step(self, batch, index):
        noise = torch.zeros_like(batch, requires_grad=True)
        for _ in range(3):
            gain = self.attack(batch + noise)
            gain.backward()
        loss = self(batch + noise.grad.sign())
        loss.backward()  # hit
        return {"loss": loss, "index": index}


class Gathered(L.LightningModule):
    def training_step(self, batch, index):
        return {"scores": self(batch)}

    def training_step_end(self, outputs):
        return outputs["scores"].mean()


class Collected(L.LightningModule):
    def training_step(self, batch, index):
        self.features.append(self(batch).detach())

    def configure_optimizers(self):
        return None
