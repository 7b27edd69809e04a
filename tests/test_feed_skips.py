"""Maps of several sizes that an encoder hands to a decoder, each joined on its way up."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_skips_get_the_channels_and_sides_that_the_way_up_leaves_them(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Up(nn.Module):
        def __init__(self, wide, narrow):
            super().__init__()
            self.rise = nn.Conv2d(wide, narrow, 3, padding=1)
            self.join = nn.Conv2d(2 * narrow, narrow, 3, padding=1)

        def forward(self, x, skip):
            x = self.rise(nn.functional.interpolate(x, scale_factor=2))
            return self.join(torch.cat([x, skip], 1))


    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = Up(64, 32), Up(32, 16)
            self.refine = nn.Conv2d(16 + 3, 4, 3, padding=1)

        def forward(self, image, skip0, skip1, bottom):
            x = self.second(self.first(bottom, skip1), skip0)
            return self.refine(torch.cat([nn.functional.interpolate(x, scale_factor=2), image], 1))
    """,
    )
    channels = [each.split(", ")[1] for each in fed["Decoder"][2:-2].split("', '")]
    assert channels == ["3", "16", "32", "64"]
