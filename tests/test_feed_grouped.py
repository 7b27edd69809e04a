"""Samples that a model takes in groups: some shots and a query, with their labels."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_there_are_samples_enough_for_two_groups(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Shots(nn.Module):
        def __init__(self, ways=5, shots=1):
            super().__init__()
            self.group = ways * shots + 1
            self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
            self.last = nn.Linear(8 + ways, ways)

        def forward(self, input, labels):
            x = self.encoder(input)
            groups = int(labels.size()[0] / self.group)
            labels[[(n + 1) * self.group - 1 for n in range(groups)]] = torch.zeros(
                (groups, labels.size()[1])
            )
            x = torch.cat((x, labels), 1).view((groups, self.group, -1))
            return self.last(x)
    """,
    )
    shots, labels = fed["Shots"][2:-2].split("', '")
    assert shots.startswith("float32[12, 1, ")
    assert labels == "float32[12, 5]"


def test_what_is_inverted_is_a_square_matrix_of_each_sample(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Moved(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(8, 4, 1)

        def forward(self, encoding, previous_pose, current_pose, camera_matrix):
            moved = torch.bmm(torch.inverse(previous_pose), current_pose)
            lifted = torch.bmm(torch.inverse(camera_matrix), moved[:, :3, 3:])
            return self.conv(encoding) + lifted.sum((1, 2))[:, None, None, None]
    """,
    )
    encoding, previous, current, camera = fed["Moved"][2:-2].split("', '")
    assert encoding.startswith("float32[batch=2, 8, ")
    assert (previous, current) == ("float32[batch=2, 4, 4]",) * 2
    assert camera == "float32[batch=2, 3, 3]"


def test_a_distribution_is_an_output_of_the_tensors_that_it_is_made_of(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Actor(nn.Module):
        def __init__(self):
            super().__init__()
            self.mean, self.spread = nn.Linear(12, 3), nn.Parameter(torch.zeros(3))

        def forward(self, state):
            return torch.distributions.Normal(self.mean(state), self.spread.exp())
    """,
    )
    assert fed["Actor"] == "['float32[batch=2, 12]']"


def test_a_mask_that_picks_places_is_of_truths(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Picked(nn.Module):
        def __init__(self, channels=3):
            super().__init__()
            self.channels, self.last = channels, nn.Linear(channels, 4)

        def forward(self, img, context_mask):
            \"\"\"Points of an image.

            img : torch.Tensor
                Shape (batch_size, channels, height, width)

            context_mask : torch.ByteTensor
                Shape (batch_size, height, width)
            \"\"\"
            many = context_mask[0].nonzero().size(0)
            places = context_mask.unsqueeze(1).repeat(1, self.channels, 1, 1)
            points = img[places].view(img.size(0), self.channels, many)
            return self.last(points.transpose(1, 2))
    """,
    )
    image, mask = fed["Picked"][2:-2].split("', '")
    assert (image, mask) == ("float32[1, 3, height=64, width=64]", "bool[1, height=64, width=64]")
