import torch
import torch.nn.functional as F
from torch import nn


class Agent:
    def __init__(self, q, frozen):
        self.q, self.frozen = q, frozen
        self.loss = nn.SmoothL1Loss()

    def learn(self, s, a, r, after, done):
        now = self.q(s).gather(1, a)
        best = self.q(after).max(1)[0].unsqueeze(1)
        target = r + 0.99 * best * (1 - done)  # hit
        return F.mse_loss(target, now)

    def of_another(self, s, a, r, after, done):
        now = self.q(s).gather(1, a)
        best = self.frozen(after).max(1)[0].unsqueeze(1)
        target = r + 0.99 * best * (1 - done)
        return F.mse_loss(now, target)

    def detached(self, s, a, r, after, done):
        now = self.q(s).gather(1, a)
        best = self.q(after).max(1)[0].detach()
        target = r + 0.99 * best * (1 - done)
        return self.loss(now, target)

    def later(self, s, a, r, after, done):
        target = r + 0.99 * self.q(after).max(1)[0] * (1 - done)
        return self.loss(self.q(s).gather(1, a), target.detach())

    def whole(self, s, a, r, after, done):
        target = r + 0.99 * self.q(after).max(1)[0] * (1 - done)  # hit
        return self.loss(self.q(s).gather(1, a), target)

    def cut_behind(self, s, a, r, after, done):
        target = r + 0.99 * self.q(after).max(1)[0] * (1 - done)
        target = target.detach()
        return self.loss(self.q(s).gather(1, a), target)

    def places(self, s, a, r, after, done):
        following = self.q(after)
        with torch.no_grad():
            kept = self.teacher(after)
        best = kept.gather(1, torch.max(following, 1)[1].unsqueeze(1))
        target = r + 0.99 * best * (1 - done)
        return self.loss(self.q(s).gather(1, a), target)

    @torch.no_grad()
    def measured(self, s, a, r, after, done):
        target = r + 0.99 * self.q(after).max(1)[0] * (1 - done)
        return self.loss(self.q(s).gather(1, a), target)


def zoomed(loss, net, state, reward):
    global zoom
    zoom = zoom * 0.9
    target = reward + zoom * 3
    return loss(net(state), target)
