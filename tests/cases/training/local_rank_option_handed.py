import argparse

from engine import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=-1, type=int)  # hit
    args = parser.parse_args()
    if args.local_rank in [-1, 0]:
        print(vars(args))
    run(args)
