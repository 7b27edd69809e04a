import torch
from torch import nn
from torch.nn.utils import clip_grad_norm, clip_grad_norm_, clip_grad_value_


def ahead(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        clip_grad_value_(model.parameters(), 0.1)  # hit
        loss.backward()
        optimizer.step()


def behind(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # hit


def right(model, loader, optimizer, limit):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        if limit:
            clip_grad_norm_(model.parameters(), limit)
        optimizer.step()


def through_a_helper(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        _clip_and_step(model, optimizer)


def _clip_and_step(model, optimizer):
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def accumulated(model, loader, optimizer):
    for i, batch in enumerate(loader):
        if i % 4 == 0 and i > 0:
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        model(batch).mean().backward()


def tensor_by_tensor(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        for p in model.parameters():
            torch.nn.utils.clip_grad_norm_(p, 1.0)  # hit
        optimizer.step()


def group_by_group(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        for group in optimizer.param_groups:
            clip_grad_norm_(group["params"], 1.0)
        optimizer.step()


def old_name(model):
    return clip_grad_norm(model.parameters(), 1.0)


def old_dotted(model):
    return torch.nn.utils.clip_grad_norm(model.parameters(), 1.0)


def two_models(generator, critic, loader, opt_g, opt_d):
    for batch in loader:
        opt_d.zero_grad()
        critic(batch).mean().backward()
        clip_grad_norm_(critic.parameters(), 1.0)
        opt_d.step()
        opt_g.zero_grad()
        critic(generator(batch)).mean().backward()
        clip_grad_norm_(generator.parameters(), 1.0)
        opt_g.step()
