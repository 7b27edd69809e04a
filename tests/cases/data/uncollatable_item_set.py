import torchvision
from torch.utils.data import DataLoader


def load_images(tensors):
    """What makes tensors of the images is set on the dataset, or on that of the loader, later."""
    images = torchvision.datasets.ImageFolder("data")
    images.transform = tensors
    loader = DataLoader(torchvision.datasets.ImageFolder("other"), batch_size=4)
    loader.dataset.transforms = tensors
    return DataLoader(images, batch_size=4), loader
