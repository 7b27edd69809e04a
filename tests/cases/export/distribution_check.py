# profile: torch.export onnx
import torch
import torch.distributions as D
from torch import nn
from torch.distributions import Categorical, Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 4)
        self.log_scale = nn.Parameter(torch.zeros(4))
        self.prior = Normal(torch.zeros(4), torch.ones(4))
        self.free = Normal(torch.zeros(4), torch.ones(4), validate_args=False)

    def act(self, seen):
        logits = self.body(seen)
        chosen = D.Categorical(logits=logits)  # hit
        return chosen.sample(), chosen.entropy()

    def forward(self, seen):
        mean = self.body(seen)
        drawn = Independent(Normal(mean, self.log_scale.exp()), 1).rsample()  # hit
        plain = Normal(mean, 1.0, validate_args=False)
        squashed = TransformedDistribution(plain, TanhTransform(cache_size=1))
        action = squashed.rsample()
        score = squashed.log_prob(action)  # hit
        odds = self.prior.log_prob(mean)  # hit
        kept = self.free.log_prob(mean) + plain.log_prob(drawn)
        noise = Normal(0.0, 1.0).sample() + self.prior.sample((2,))
        return action, score, odds, kept, noise, self.act(seen)


class Returned(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 4)

    def forward(self, seen):
        return Normal(self.body(seen), 1.0)


def train(policy, seen, taken):
    return -Categorical(logits=policy(seen)).log_prob(taken).mean()


class Sampled:
    def __init__(self, law):
        self.law = law


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 4)

    def forward(self, seen):
        law = Independent(Normal(self.body(seen), 1.0), 1)
        return Sampled(law)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.prior = Normal(0.0, 1.0)

    def forward(self, seen):
        inside = self.prior.cdf(seen)  # hit
        return inside * self.prior.log_prob(seen)
