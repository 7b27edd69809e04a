import torch


def save(path, net, optimizer, epoch):
    state = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, path)


def resume(path, net, optimizer):
    state = torch.load(path, map_location="cpu")
    net.load_state_dict(state["model"])  # hit
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1


def resume_well(path, net, optimizer):
    state = torch.load(path, map_location="cpu")
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1


def resume_whole(path, net, optimizer):
    state = torch.load(path, map_location="cpu")
    net.load_state_dict(state)  # hit
    optimizer.load_state_dict(state["optimizer"])


def resume_either(path, net):
    state = torch.load(path, map_location="cpu")
    if "net" in state:
        net.load_state_dict(state["net"])
        return state["epoch"]
    net.load_state_dict(state)
    return 0


def resume_other(path, net):
    state = torch.load(path, map_location="cpu")
    state = state["weights"]
    net.load_state_dict(state)


def load_weights(path, net):
    state = torch.load(path, map_location="cpu")
    net.load_state_dict(state["weights"])


def resume_by_keyword(path, net):
    state_dict = torch.load(path, map_location="cpu")
    net.load_state_dict(state_dict=state_dict["weights"])
    return state_dict["epoch"]


def with_new_codes(model, path):
    state = torch.load(path)
    state["codes"] = torch.zeros_like(model.codes)
    state["body.scale"] = state["body.weight"] * 2
    model.load_state_dict(state)
