import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.parallel.data_parallel import DataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 1))
        self.table = nn.ModuleDict({"a": nn.Linear(1, 1)})

    def forward(self, x):
        x = x.to(self.body.device)  # hit
        x = x.to(self.body[0].weight.device)
        x = self.body["first"](x)  # hit
        return self.table["a"](x)

    def encode(self, x):
        return self.body(x)


class Device(nn.Module):
    @property
    def device(self):
        return next(self.parameters()).device

    def forward(self, x):
        return x.to(self.device)


class Sub(Device):
    pass


def run(x, model, given):
    net = Net().eval()
    print(net.device, net.training)  # hit
    print(Device().device, Sub().device)
    own = Device()
    sub = Sub()
    print(own.device, sub.device, model.device)
    linear = nn.Linear(1, 1).to("cpu")
    print(linear.weight.dtype, linear.dtype)  # hit
    kept = nn.Linear(1, 1)
    kept.dtype = torch.half
    print(kept.dtype)
    wrapped = nn.DataParallel(net)
    print(wrapped.module.body, wrapped.parameters(), wrapped.device_ids)
    print(wrapped.body)  # hit
    spread = DDP(net)
    spread.encode(x)  # hit
    spread.no_sync()
    print(spread.find_unused_parameters, spread.unknown)
    print(nn.DataParallel(given).elsewhere)  # hit
    maybe = given
    if torch.cuda.device_count() > 1:
        maybe = nn.DataParallel(maybe)
    return maybe.body


def place(x, net):
    return x.to(net.device)  # hit


def carefully(x, net):
    try:
        return x.to(net.device)
    except AttributeError:
        return x


def moved(x):
    net = nn.Sequential(nn.Linear(1, 1))
    return net(place(x, net)), net(carefully(x, net)), place(x, Device())


class Shaped(nn.Module):
    """Runs models of several kinds, and asks first of which one this is."""

    def __init__(self, model):
        super().__init__()
        self.trained = model.trained
        self.model = model

    def forward(self, x):
        own = self.model.device if not self.trained else next(self.model.parameters()).device
        return self.model(x.to(own))


def shape(x):
    return Shaped(Net())(x)


class Wrapping:
    def __init__(self, net):
        self.net = nn.DataParallel(Net())
        self.other = nn.parallel.DataParallel(Net())

    @property
    def inner(self):
        return self.net.module if isinstance(self.net, DataParallel) else self.net

    @property
    def plain(self):
        return self.other.module if isinstance(self.other, nn.DataParallel) else self.other

    def parts(self):
        return self.inner.body, self.plain.table, self.net.body  # hit


class Later(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("places", nn.UninitializedBuffer())
        self.weight = nn.parameter.UninitializedParameter()

    def forward(self, x):
        return x.to(self.places.device) + torch.eye(3, dtype=self.weight.dtype)


def spread(model, config):
    if config.apart:
        if hasattr(model, "parallelize"):
            model.parallelize()
            return model
        raise RuntimeError
    if config.many > 1:
        model = nn.parallel.DataParallel(model)
    elif config.many > 0:
        model = model.cuda()
    return model


class Spreading:
    def __init__(self, model: Net, config):
        self.model, self.config = model, config
        self.wrap()

    def wrap(self):
        self.model = spread(self.model, self.config)

    @property
    def inner(self):
        return self.model.module if isinstance(self.model, DataParallel) else self.model

    def parts(self):
        return self.inner.body, self.inner.table


def start(config):
    return Spreading(Net(), config).parts()


def apart(flags, batches):
    trainer = Net()
    if flags.parallel:
        trainer = nn.DataParallel(trainer)
    for batch in batches:
        if not flags.parallel:
            trainer.body(batch)
        else:
            trainer.module.body(batch)
        if flags.parallel:
            trainer.body(batch)  # hit
        else:
            trainer.body(batch)


def wrap(flags):
    trainer = Net()
    if flags.spread:
        trainer = nn.DataParallel(trainer)
    return trainer


def beside(flags, batches):
    trainer = wrap(flags)
    if flags.spread or torch.cuda.device_count() > 1:
        trainer.module.body(batches)
    else:
        trainer.body(batches)
    trainer.body(batches)  # hit


class Captions(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = nn.Linear(4, 4)
        self.embedding = nn.Linear(4, 4)

    def forward(self, x):
        x = self.embeding(x)  # hit
        return self.decoder(self.encoder(x))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.question = nn.Linear(4, 4)
        self.context = nn.Linear(4, 4)


def wrap_pair(count):
    model = Pair()
    if count > 1:
        model = nn.DataParallel(model)
    return model


def unwrap(model):
    return model.module if hasattr(model, "module") else model


def first_of_pair(count):
    return unwrap(wrap_pair(count)).question


def second_of_pair(count):
    model = wrap_pair(count)
    return model.context  # hit


def is_parallel(model):
    return type(model) in (nn.DataParallel, nn.parallel.DistributedDataParallel)


def asked_by_helper(count):
    model = wrap_pair(count)
    return model.module.context if is_parallel(model) else model.context


def read_context(model):
    return model.context


def asked_by_caller(count):
    model = wrap_pair(count)
    if hasattr(model, "context"):
        return read_context(model)
    return None
