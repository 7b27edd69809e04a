import argparse
import multiprocessing
import threading

import elsewhere
import torch.multiprocessing as mp
from elsewhere import load
from torch.multiprocessing import Process, spawn


def main_worker(rank, options):
    print(rank, options)


def main():
    options = argparse.ArgumentParser().parse_args()
    mp.spawn(main_worker, nprocs=2, args=(options))  # hit
    mp.spawn(main_worker, nprocs=2, args=(options,))
    spawn(main_worker, args=(options), nprocs=2)  # hit
    mp.spawn(main_worker, nprocs=2, args=options)
    mp.start_processes(main_worker, args=(options.rank))


def tuples(a, b, *rest):
    both = (a, b)
    mp.spawn(main_worker, nprocs=2, args=(both))
    listed = [a, *rest]
    Process(target=main_worker, args=(listed)).start()
    joined = both + (1,)
    Process(target=main_worker, args=(joined)).start()
    Process(target=main_worker, args=(a, b)).start()
    Process(target=main_worker, args=()).start()
    Process(target=main_worker, args=(rest)).start()


def serve(queue):
    print(queue)


def others(queue):
    Process(target=serve, args=(queue)).start()  # hit
    multiprocessing.Process(target=serve, args=("cuda:0")).start()  # hit
    threading.Thread(target=serve, args=(queue)).start()  # hit
    Process(target=main_worker, args=(queue)).start()
    read = load(queue)
    Process(target=main_worker, args=(read)).start()
    Process(target=elsewhere.run, args=(read)).start()
    made = Process(target=elsewhere.run)
    Process(target=elsewhere.run, args=(made)).start()  # hit
    argparse.ArgumentParser().parse_args(args=(queue))
    for pair in [(1, 2), (3, 4)]:
        Process(target=main_worker, args=(pair)).start()


def launch(run, arguments):
    mp.spawn(run, nprocs=2, args=(arguments))
    mp.spawn(main_worker, nprocs=2, args=(arguments))  # hit
