import torchvision
from torchvision import transforms
from torchvision.transforms import ToTensor as Old, v2
from torchvision.transforms.v2 import ToTensor

first = v2.Compose([v2.ToTensor()])  # hit
second = ToTensor()  # hit
third = torchvision.transforms.v2.ToTensor()  # hit
fourth = transforms.ToTensor()
fifth = Old()
sixth = v2.ToImage()
