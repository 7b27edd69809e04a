import torch
import torch.nn.functional as F


def train_gan(gen, disc, opt_g, opt_d, loader, bce):
    for real in loader:
        fake = gen(torch.randn(real.size(0), 100))
        ones = torch.ones(real.size(0), 1)
        opt_d.zero_grad()
        (bce(disc(real), ones) + bce(disc(fake), ones * 0)).backward()
        opt_d.step()
        opt_g.zero_grad()
        bce(disc(fake), ones).backward()  # hit
        opt_g.step()


def train_gan_well(gen, disc, opt_g, opt_d, loader, bce):
    for real in loader:
        fake = gen(torch.randn(real.size(0), 100))
        ones = torch.ones(real.size(0), 1)
        opt_d.zero_grad()
        (bce(disc(real), ones) + bce(disc(fake.detach()), ones * 0)).backward()
        opt_d.step()
        opt_g.zero_grad()
        bce(disc(fake), ones).backward()
        opt_g.step()


class Heads:
    def __init__(self, encoder, frozen, one, two):
        self.encoder, self.frozen, self.one, self.two = encoder, frozen, one, two
        self.of_one = torch.optim.Adam([*encoder.parameters(), *one.parameters()])
        self.of_two = torch.optim.Adam(two.parameters())

    def step(self, x, y):
        features = self.encoder(x)
        first = F.cross_entropy(self.one(features), y)
        second = F.cross_entropy(self.two(features), y)
        self.of_one.zero_grad()
        first.backward()
        self.of_one.step()
        self.of_two.zero_grad()
        second.backward()  # hit
        self.of_two.step()

    def probe(self, x, y):
        features = self.frozen(x)
        first = F.cross_entropy(self.one(features), y)
        second = F.cross_entropy(self.two(features), y)
        first.backward()
        self.of_one.step()
        second.backward()
        self.of_two.step()


def again(policy, optimizer, states, actions, gains, epochs=4):
    loss = -(policy(states).log_prob(actions) * gains).mean()
    for _ in range(epochs):
        optimizer.zero_grad()
        loss.backward()  # hit
        optimizer.step()


def anew(policy, optimizer, states, actions, gains, epochs=4):
    for _ in range(epochs):
        loss = -(policy(states).log_prob(actions) * gains).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Agent:
    def __init__(self, actor, critic, of_actor, of_critic):
        self.actor, self.critic = actor, critic
        self.of_actor, self.of_critic = of_actor, of_critic

    def learn(self, state, action, goal):
        value = self.critic(state)
        self.of_critic.zero_grad()
        F.mse_loss(value, goal).backward()
        self.of_critic.step()
        chosen = self.actor(state).log_softmax(-1).gather(1, action)
        self.of_actor.zero_grad()
        (-chosen * (goal - value)).mean().backward()  # hit
        self.of_actor.step()

    def learn_well(self, state, action, goal):
        value = self.critic(state)
        self.of_critic.zero_grad()
        F.mse_loss(value, goal).backward()
        self.of_critic.step()
        chosen = self.actor(state).log_softmax(-1).gather(1, action)
        self.of_actor.zero_grad()
        (-chosen * (goal - value.detach())).mean().backward()
        self.of_actor.step()


def descend(policy, optimizer, x, gains):
    loss = (policy(x) * gains).mean()
    while loss > 0.1:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss = (policy(x) * gains).mean()
    return loss


def several(net, optimizer, xs, ys):
    losses = [F.cross_entropy(net(x), y) for x, y in zip(xs, ys)]
    for loss in losses:
        loss.backward()
    optimizer.step()


def with_history(maker, judge, of_maker, of_judge, x, kept):
    fake = maker(x)
    of_maker.zero_grad()
    F.mse_loss(judge(fake), torch.ones(1)).backward()
    of_maker.step()
    fake = kept.push(fake)
    of_judge.zero_grad()
    F.mse_loss(judge(fake), torch.zeros(1)).backward()
    of_judge.step()


def train_wgan(gen, disc, opt_g, opt_d, loader):
    for real in loader:
        fake = gen(torch.randn(real.size(0), 100))
        opt_d.zero_grad()
        (disc(fake).mean() - disc(real).mean()).backward()
        opt_d.step()
        opt_g.zero_grad()
        (-disc(fake).mean()).backward()  # hit
        opt_g.step()


def train_wgan_well(gen, disc, opt_g, opt_d, loader):
    for real in loader:
        fake = gen(torch.randn(real.size(0), 100))
        opt_d.zero_grad()
        (disc(fake.detach()).mean() - disc(real).mean()).backward()
        opt_d.step()
        opt_g.zero_grad()
        (-disc(fake).mean()).backward()
        opt_g.step()
