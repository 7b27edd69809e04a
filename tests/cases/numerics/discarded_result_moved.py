import torch


class Boxes:
    def __init__(self, corners):
        self.corners = corners

    def to(self, device):
        self.corners = self.corners.to(device)

    def unsqueeze(self, dim):
        self.corners = self.corners.unsqueeze(dim)


def moved(boxes: Boxes, sample: "Sample", device):
    boxes.to(device)
    boxes.unsqueeze(0)
    sample.to(device)
    sample.masked_fill(sample.mask, 0)
    sample.detach()


def unsaid(boxes, data, device):
    boxes.to(device)
    boxes.unsqueeze(0)
    data.to(device)
    data.detach()
    data.masked_fill(data.mask, 0)
    return data


def of_tensors(x, y: torch.Tensor, z):
    x.masked_fill(x > 0, 0)  # hit
    y.permute(1, 0)  # hit
    z.to("cpu")  # hit
    return x.sum(dim=1) + y + z.masked_fill(x > 0, 0)


def occupy_gpu(gpus):
    torch.zeros(1).cuda()
    for each in gpus:
        torch.zeros(1).to(each)
    torch.zeros(1).add(2)  # hit


def show(weights: torch.Tensor, device):
    scores = weights.softmax(dim=1)
    scores.to("cpu")
    scores = scores.cpu().numpy()
    shares = weights.softmax(dim=0)
    shares.to(device)  # hit
    return scores, shares * 2
