import torch
import numpy as np
from PIL import Image
from torchvision import transforms as T
from torchvision.transforms import functional as TF


class Masks:
    def __init__(self, own):
        self.image = T.Compose([T.Resize((256, 256)), T.ToTensor()])
        self.label = T.Compose([T.Resize((256, 256)), T.ToTensor()])
        self.bytes = T.Compose([T.Resize((256, 256)), T.PILToTensor()])
        self.back = T.Compose([T.ToTensor(), T.Lambda(lambda x: x * 255)])
        self.own = own

    def __getitem__(self, i):
        image, mask = open_pair(i)
        one = self.label(mask).long()  # hit
        two = TF.to_tensor(mask).squeeze(0).to(torch.int64)  # hit
        three = T.ToTensor()(mask).type(torch.LongTensor)  # hit
        four = self.bytes(mask).long(), self.back(mask).long(), self.own(mask).long()
        five = (self.label(mask) * 255).long()
        plane = Image.fromarray(self.planes[i])
        six = T.ToTensor()(np.array(plane)).long()
        grey = Image.fromarray(self.planes[i].astype(np.uint8))
        seven = T.ToTensor()(grey).long()  # hit
        return six, seven, self.image(image), one, two, three, four, five, (self.image(mask) > 0.5).long()
