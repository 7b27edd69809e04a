"""Spreads files over processes; the order of results is that of the tasks."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_WORTH_IT = 48
"""Files below which starting processes costs more than it saves."""
_CHUNK = 12
_COLLECTION = (100_000, 10, 10)
"""A parse makes a hundred thousand nodes that all stay: looking for rubbish among them at every
700th, as Python does, takes a third of the time (measured on pytorchcv 0.0.67)."""


def spread(
    work: Callable[[T], R], tasks: Sequence[T], jobs: int, lost: Callable[[T], R]
) -> Iterator[R]:
    """`work` on every task, in `jobs` processes (0: one per core), results in order.

    `lost` gives the result of a task whose process ends before it is done.
    """
    gc.set_threshold(*_COLLECTION)
    gc.freeze()
    wanted = min(jobs or cores(), len(tasks) // _CHUNK)
    if wanted < 2 or len(tasks) < _WORTH_IT:
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    done = 0
    while done < len(tasks):
        for result in _together(work, tasks[done:], wanted, context):
            done += 1
            yield result
        suspects = tasks[done : done + wanted * _CHUNK]
        for task in suspects:
            done += 1
            yield _alone(work, task, context, lost)


def _together(
    work: Callable[[T], R], tasks: Sequence[T], wanted: int, context: BaseContext
) -> Iterator[R]:
    """The results up to the first one that is missing because a process has ended."""
    with ProcessPoolExecutor(wanted, mp_context=context) as pool:
        try:
            yield from pool.map(work, tasks, chunksize=_CHUNK)
        except BrokenProcessPool:
            return
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _alone(work: Callable[[T], R], task: T, context: BaseContext, lost: Callable[[T], R]) -> R:
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            return pool.submit(work, task).result()
        except BrokenProcessPool:
            return lost(task)


def cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
