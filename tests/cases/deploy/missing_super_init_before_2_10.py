# torch: 2.9
from torch.utils.data import Sampler


class Order(Sampler):
    def __init__(self, data):
        super().__init__(data)
        self.data = data
