import argparse


def main(args):
    if args.local_rank in [-1, 0]:
        print("done")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=-1, type=int)
    args = parser.parse_args()
    print(vars(args))
    main(args)
