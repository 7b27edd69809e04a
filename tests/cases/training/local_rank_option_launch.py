import argparse

from yolox.core import launch


def make_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("-d", "--devices", default=None, type=int)
    parser.add_argument("--local_rank", default=0, type=int)
    return parser


def main(exp, args, gpus):
    file = exp if args.local_rank == 0 else None
    print(file, gpus)


if __name__ == "__main__":
    given = make_parser().parse_args()
    launch(
        main,
        given.devices,
        args=(None, given, given.devices),
    )
