"""What a script is called with where nobody says otherwise."""

import argparse

from torch import nn


class Net(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.kind = settings.kind
        self.width = settings.width
        self.fast = settings.fast

    def forward(self, x):
        kind = self.kind  # value: unknown
        width = self.width  # value: 64
        fast = self.fast  # value: False
        return x, kind, width, fast


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", required=True, default="small")
    parser.add_argument("--width", type=int, default=64, required=False)
    parser.add_argument("--fast", action="store_true")
    net = Net(parser.parse_args())
    return net


if __name__ == "__main__":
    main()
