from torch.utils import data
from torch.utils.data.distributed import DistributedSampler


def train(model, optimizer, images):
    sampler = DistributedSampler(images)  # hit
    batches = data.DataLoader(images, batch_size=8, sampler=sampler)
    for _ in range(3):
        # the call of set_epoch was lost
        for x, y in batches:
            optimizer.zero_grad()
            model(x, y).backward()
            optimizer.step()
