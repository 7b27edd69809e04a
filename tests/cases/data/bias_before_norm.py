import torch.nn as nn
import torch.nn.functional as F

a = nn.Sequential(nn.Conv2d(3, 8, 3, bias=True), nn.BatchNorm2d(8))  # hit
b = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8))
c = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8))
d = nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8))
e = nn.Sequential(nn.ConvTranspose2d(3, 8, 3), nn.InstanceNorm2d(8))  # hit
f = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))  # hit
g = nn.Sequential(nn.Conv2d(3, 8, 3, **options), nn.BatchNorm2d(8))
h = nn.Sequential(nn.Conv2d(3, 8, 3, bias=use_bias), nn.BatchNorm2d(8))
i = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Sequential(nn.BatchNorm2d(8), nn.ReLU()))  # hit
j = nn.Sequential(nn.BatchNorm2d(8), nn.Conv2d(3, 8, 3))
k = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8) if h else nn.Identity())
l = nn.Sequential(nn.Sequential(nn.Linear(2, 8)), nn.BatchNorm1d(8))
m = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))


class Net(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv2d(3, c, 3)  # hit
        self.bn1 = nn.BatchNorm2d(c)
        self.conv2 = nn.Conv2d(c, c, 3)  # hit
        self.bn2 = nn.BatchNorm2d(c)
        self.conv3 = nn.Conv2d(c, c, 3)
        self.bn3 = nn.BatchNorm2d(c)
        self.conv4 = nn.Conv2d(c, c, 3)
        nn.init.constant_(self.conv4.bias, 0.5)
        self.conv5 = nn.Conv2d(c, c, 3)
        self.conv6 = nn.Conv2d(c, c, 3)
        self.conv6 = nn.Conv2d(c, c, 5)
        self.norm = nn.LayerNorm(c)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.conv2(x)
        x = self.bn2(x)
        y = self.conv3(x)
        z = self.bn3(y)
        x = self.bn3(self.conv4(x))
        x = self.conv5(x)
        x = F.relu(x)
        x = self.bn3(x)
        x = self.bn3(self.conv6(x))
        return self.norm(x) + y + z
