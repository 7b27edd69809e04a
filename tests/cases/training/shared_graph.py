import torch
from torch import nn


class Gan:
    def __init__(self, wide=4):
        self.maker = nn.Sequential(nn.Linear(wide, wide), nn.Tanh())
        self.judge = nn.Sequential(nn.Linear(wide, 1))
        self.make_step = torch.optim.Adam(self.maker.parameters())
        self.judge_step = torch.optim.Adam(self.judge.parameters())

    def step(self, loss, optimizer):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def train(self, real, noise):
        fake = self.maker(noise)
        loss = self.judge(fake).mean() - self.judge(real).mean()
        self.judge_step.zero_grad()
        loss.backward()
        self.judge_step.step()
        self.make_step.zero_grad()
        (-self.judge(fake)).mean().backward()  # hit
        self.make_step.step()

    def train_well(self, real, noise):
        fake = self.maker(noise)
        self.step(self.judge(fake.detach()).mean() - self.judge(real).mean(), self.judge_step)
        self.step(-self.judge(fake).mean(), self.make_step)

    def train_quietly(self, real, noise):
        with torch.no_grad():
            fake = self.maker(noise)
        self.step(self.judge(fake).mean() - self.judge(real).mean(), self.judge_step)
        self.step(-self.judge(self.maker(noise)).mean(), self.make_step)

    def train_anew(self, real, noise):
        for part in (self.maker(noise),):
            self.step(self.judge(part).mean(), self.judge_step)
        fake = self.maker(noise)
        self.step(-self.judge(fake).mean(), self.make_step)


def act(states, actor=nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4)), scaled=False):
    critic = nn.Linear(4, 1)
    of_actor = torch.optim.Adam(actor.parameters())
    of_critic = torch.optim.Adam(critic.parameters())
    for state in states:
        value = critic(actor(state))
        of_critic.zero_grad()
        value.square().mean().backward(retain_graph=True)
        of_critic.step()
        of_actor.zero_grad()
        (-value.mean()).backward()  # hit
        of_actor.step()


def act_well(states, actor=nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))):
    critic = nn.Linear(4, 1)
    of_actor = torch.optim.Adam(actor.parameters())
    of_critic = torch.optim.Adam(critic.parameters())
    for state in states:
        value = critic(actor(state))
        of_critic.zero_grad()
        value.square().mean().backward(retain_graph=True)
        of_actor.zero_grad()
        (-value.mean()).backward()
        of_critic.step()
        of_actor.step()


def two_tasks(batches, scaler, body=nn.Linear(4, 4), head=nn.Linear(4, 1)):
    scaler = torch.amp.GradScaler()
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
    for one, other in batches:
        optimizer.zero_grad()
        wide = body(one)
        scaler.scale(head(wide).mean()).backward()
        scaler.scale(wide.square().mean()).backward()  # hit
        scaler.step(optimizer)
        scaler.update()


def two_batches(batches, body=nn.Linear(4, 4)):
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    for one, other in batches:
        optimizer.zero_grad()
        body(one).mean().backward()
        body(other).mean().backward()
        optimizer.step()


class Stale:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(4, 2), nn.Tanh())
        self.critic = nn.Linear(6, 1)
        self.of_actor = torch.optim.Adam(self.actor.parameters())
        self.of_critic = torch.optim.Adam(self.critic.parameters())

    def value(self, state, action):
        return self.critic(torch.cat([state, action], 1))

    def learn(self, state, action, wanted):
        lost = (self.value(state, action) - wanted).square().mean()
        gained = -self.value(state, self.actor(state)).mean()
        self.of_critic.zero_grad()
        lost.backward()
        self.of_critic.step()
        self.of_actor.zero_grad()
        gained.backward()  # hit
        self.of_actor.step()

    def learn_well(self, state, action, wanted):
        lost = (self.value(state, action) - wanted).square().mean()
        self.of_critic.zero_grad()
        lost.backward()
        self.of_critic.step()
        gained = -self.value(state, self.actor(state)).mean()
        self.of_actor.zero_grad()
        gained.backward()
        self.of_actor.step()

    def learn_first_layer(self, state, action, wanted):
        lost = (self.value(state, action) - wanted).square().mean()
        other = self.value(state, action.tanh()).mean()
        self.of_critic.zero_grad()
        lost.backward()
        self.of_critic.step()
        other.backward()


def adversarial_by_an_old_name(G, D, opt_g, opt_d, paintings, noise):
    """It is asked to keep the graph: what raises is the step."""
    for real in paintings:
        made = G(noise)
        first, second = D(real), D(made)
        loss_d, loss_g = (second - first).mean(), -second.mean()
        loss_d.backward(retain_variables=True)
        loss_g.backward()
        opt_d.step()
        opt_g.step()


class Value(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)

    def forward(self, states):
        return self.net(states)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = Value(), Value()
        self.one = torch.optim.Adam(self.actor.parameters())
        self.two = torch.optim.Adam(self.critic.parameters())

    def take(self, loss, optimizer):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def update(self, states, rewards):
        with torch.no_grad():
            values = self.critic(states)
        gains = rewards - values
        self.take((self.critic(states) - (values + gains)).pow(2).mean(), self.two)
        self.take(-(self.actor(states) * gains).mean(), self.one)


class Careless(Agent):
    def take_again(self, loss, optimizer):
        optimizer.zero_grad()
        loss.backward()  # hit
        optimizer.step()

    def update(self, states, rewards):
        gains = rewards - self.critic(states)
        self.take_again(gains.pow(2).mean(), self.two)
        self.take_again(-(self.actor(states) * gains).mean(), self.one)
