import torch
from torchvision import transforms as T


class Pairs:
    def __init__(self, rows, given):
        self.rows, self.given = rows, given
        self.both = T.Compose([T.RandomHorizontalFlip(), T.ToTensor()])
        self.plain = T.Compose([T.CenterCrop(64), T.ToTensor()])
        self.color = T.Compose([T.ColorJitter(0.4), T.ToTensor()])

    def __getitem__(self, i):
        img, mask = self.rows[i]
        return self.both(img), self.both(mask)  # hit

    def seeded(self, i):
        img, mask = self.rows[i]
        torch.manual_seed(i)
        img = self.both(img)
        torch.manual_seed(i)
        return img, self.both(mask)

    def others(self, i):
        img, label = self.rows[i]
        return self.plain(img), self.plain(label), self.color(img), self.given(label)

    def views(self, img):
        return self.both(img), self.both(img)

    def first(self, i):
        flip = T.RandomVerticalFlip()
        mask = flip(self.rows[i].mask)  # hit
        return flip(self.rows[i].image), mask
