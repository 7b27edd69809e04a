import torch
from torch.utils.data import DataLoader, RandomSampler, random_split

if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
else:
    torch.set_default_tensor_type("torch.FloatTensor")


def load(data, sampler, shuffle, options):
    DataLoader(data, 8, True)  # hit
    DataLoader(data, 8, shuffle=True, num_workers=2)  # hit
    DataLoader(data, 8, shuffle=False)
    DataLoader(data, 8, shuffle=shuffle)
    DataLoader(data, 8, shuffle=True, **options)
    DataLoader(data, 8, shuffle=True, generator=torch.Generator(device="cuda"))
    DataLoader(data, 8, sampler=sampler)
    RandomSampler(data)  # hit
    random_split(data, [8, 2])  # hit
    return random_split(data, [8, 2], generator=torch.Generator("cuda"))
