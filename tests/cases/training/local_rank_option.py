import argparse


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)  # hit
    group = parser.add_argument_group("torch")
    group.add_argument("-r", "--local_rank", dest="rank")  # hit
    parser.add_argument("--local_rank_filter")
    parser.set_defaults(help="--local_rank")
    return parser.parse_args()


def start():
    return options().local_rank


def add_rank(parser, name="--local_rank"):
    parser.add_argument(name, type=int)  # hit


def helped():
    parser = argparse.ArgumentParser()
    add_rank(parser)
    add_rank(parser, "--rank")
    return parser.parse_args()


def launched_otherwise():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", "--local_rank", type=int, default=0)
    return parser.parse_args().rank
