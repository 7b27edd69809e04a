import torch
from torch.utils.data import DataLoader, SubsetRandomSampler


def copied(args, Slices):
    db_train = Slices(args.root, split="train")
    db_val = Slices(args.root, split="val")
    print(len(db_train), len(db_val))
    trainloader = DataLoader(db_train, batch_size=8, shuffle=True)
    valloader = DataLoader(db_train, batch_size=1, shuffle=False)  # hit
    return trainloader, valloader


def read_elsewhere(args, Slices, report):
    train_set = Slices(args.root, split="train")
    val_set = Slices(args.root, split="val")
    val_loader = DataLoader(train_set, batch_size=1)
    report(val_set)
    return val_loader


def drawn(args, Slices, indices):
    train_set = Slices(args.root, split="train")
    val_set = Slices(args.root, split="train", transform=None)
    return DataLoader(train_set), DataLoader(val_set, sampler=SubsetRandomSampler(indices))


def drawn_of_one(args, Slices, indices):
    train_data = Slices(args.root, split="train")
    test_data = Slices(args.root, split="test")
    valid_loader = DataLoader(train_data, sampler=SubsetRandomSampler(indices))
    return valid_loader


def none_made(args, Slices):
    train_set = Slices(args.root, split="train")
    val_loader = DataLoader(train_set, batch_size=1)
    return val_loader


def both_of_training(args, Slices):
    trainset = Slices(args.root, split="train")
    testset = Slices(args.root, split="test")
    train_eval_loader = DataLoader(trainset, batch_size=1)
    testloader = DataLoader(testset, batch_size=1)
    return train_eval_loader, testloader


def keyword(args, Slices):
    trainset = Slices(args.root, split="train")
    testset = Slices(args.root, split="test")
    trainloader = torch.utils.data.DataLoader(dataset=trainset, batch_size=8, shuffle=True)
    testloader = torch.utils.data.DataLoader(dataset=trainset, batch_size=8)  # hit
    return trainloader, testloader
