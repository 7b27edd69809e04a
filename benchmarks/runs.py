"""Measures traces and trial exports against the bare torch calls that they wrap.

    python benchmarks/runs.py                # all of it: some 25 minutes and 20 GiB on two cores
    python benchmarks/runs.py --largest 100  # models of at most so many million parameters

Each figure is a ratio of two times of one machine, taken one after the other. The bare side is a
program that calls torch for the same things: builds the model, runs it at the same sizes, traces
it as a graph, exports it, loads the file in ONNX Runtime and runs it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LINTORCH = [sys.executable, "-m", "lintorch"]
NETS = {1: (256, 16), 10: (1024, 10), 100: (2048, 24), 1000: (4096, 60)}
"""Millions of parameters: width and number of square layers."""
NET = """from torch import nn


class Net{number}(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear({width}, {width}) for _ in range({depth})))

    def forward(self, x):
        return self.layers(x)
"""
SETTINGS = "trace-seconds = 600\ntrace-memory = {mebibytes}\n"
BARE = """
import json, sys, time

started = time.perf_counter()
import torch
from torch import fx
torch.set_num_threads(1)
{making}
module.eval()
seconds = {{"import and build": time.perf_counter() - started}}


def timed(name, call):
    before = time.perf_counter()
    result = call()
    seconds[name] = time.perf_counter() - before
    return result


runs = [tuple(torch.randn(shape) for shape in shapes) for shapes in {sizes}]
with torch.no_grad():
    timed("run", lambda: [module(*given) for given in runs])
    if "trace" in {wanted}:
        timed("fx", lambda: fx.symbolic_trace(module))
    dynamic = torch.export.Dim.DYNAMIC
    shapes = tuple({{axis: dynamic for axis in axes}} for axes in {axes})
    if "trace" in {wanted}:
        timed("torch.export", lambda: torch.export.export(module, runs[0], dynamic_shapes=shapes, strict=False))
    if "onnx" in {wanted}:
        import onnxruntime

        def export():
            torch.onnx.export(module, runs[0], "bare.onnx", dynamo=True, dynamic_shapes=shapes, verbose=False)
            session = onnxruntime.InferenceSession("bare.onnx", providers=["CPUExecutionProvider"])
            names = [given.name for given in session.get_inputs()]
            for given in runs:
                module(*given)
                session.run(None, dict(zip(names, [tensor.numpy() for tensor in given])))

        timed("onnx", export)
print("\\n" + json.dumps(seconds))
"""


@dataclass(frozen=True)
class Subject:
    """A file with one model, how a program makes it, and what it is fed: shapes and dynamic axes."""

    name: str
    path: str
    making: str
    sizes: tuple[tuple[tuple[int, ...], ...], ...]
    axes: tuple[tuple[int, ...], ...]


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--largest", type=int, default=1000, metavar="MILLIONS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("lintorch.toml").write_text(SETTINGS.format(mebibytes=20_000))
        shared()
        print(
            "\n| model | bare, s | trace | bare export, s | trial alone | whole export | peak, GiB |"
        )
        print("|---|---|---|---|---|---|---|")
        for subject in [*real(), *map(made, (m for m in NETS if m <= given.largest))]:
            print(row(subject), flush=True)


def shared() -> None:
    """What further models add to a run, against the first: each in a file of its own."""
    seconds = {}
    for count in (1, 9):
        Path(f"{count}").mkdir()
        for number in range(count):
            Path(f"{count}/net{number}.py").write_text(NET.format(number=number, width=64, depth=2))
        seconds[count], _ = timed([*LINTORCH, "check", "--no-cache", "--trace", str(count)])
    further = (seconds[9] - seconds[1]) / 8
    print(f"one small model: {seconds[1]:.1f} s; each of eight more: {further:.2f} s")


def real() -> list[Subject]:
    """Networks of pytorchcv: an image classifier of few operators, and one of many."""
    return [
        _classifier("resnet", "resnet10"),
        _classifier("shufflenetv2", "shufflenetv2_wd2"),
    ]


def _classifier(module: str, call: str) -> Subject:
    file = Path(f"{call}.py")
    file.write_text(
        f"from pytorchcv.models import {module}\n\n\ndef build():\n    return {module}.{call}()\n"
    )
    with Path("lintorch.toml").open("a") as settings:
        settings.write(f"[models.{call}]\nfactory = '{file}:build'\n")
        settings.write("inputs = ['float32[batch=2, 3, 224, 224]']\n")
    making = f"from {call} import build\nmodule = build()"
    sizes = (((2, 3, 224, 224),), ((3, 3, 224, 224),))
    return Subject(f"{call} of pytorchcv", str(file), making, sizes, ((0,),))


def made(millions: int) -> Subject:
    """A stack of linear layers of that many million parameters."""
    width, depth = NETS[millions]
    file = Path(f"net{millions}.py")
    file.write_text(NET.format(number=millions, width=width, depth=depth))
    making = f"from net{millions} import Net{millions}\nmodule = Net{millions}()"
    sizes = (((2, width),), ((3, width),))
    return Subject(f"{millions} M parameters", str(file), making, sizes, ((0,),))


def row(subject: Subject) -> str:
    """One row of the table."""
    trace, _ = bare(subject, "trace")
    traced, _ = timed([*LINTORCH, "check", "--no-cache", "--trace", subject.path])
    export, parts = bare(subject, "onnx")
    exported, told = timed(
        [*LINTORCH, "export", subject.path, "--to", "onnx", "--output-format", "json"]
    )
    trial = json.loads(told)["trials"][0]
    alone = (
        f"{trial['seconds'] / parts['onnx']:.2f} x" if trial["status"] == "ok" else trial["message"]
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return (
        f"| {subject.name} | {trace:.1f} | {traced / trace:.2f} x | {export:.1f} | {alone} |"
        f" {exported / export:.2f} x | {peak:.1f} |"
    )


def bare(subject: Subject, wanted: str) -> tuple[float, dict[str, float]]:
    """Seconds of a program that does the same with torch alone, and of its parts."""
    program = BARE.format(
        making=subject.making, sizes=subject.sizes, axes=subject.axes, wanted=[wanted]
    )
    seconds, told = timed([sys.executable, "-c", program])
    parts: dict[str, float] = json.loads(told.strip().splitlines()[-1])
    return seconds, parts


def timed(command: list[str]) -> tuple[float, str]:
    """Seconds that a command takes, and what it prints."""
    environment: dict[str, Any] = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((os.getcwd(), str(Path(__file__).parent.parent))),
    }
    before = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    seconds = time.perf_counter() - before
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(command[:6])}: {done.stderr[-2000:]}")
    return seconds, done.stdout


if __name__ == "__main__":
    main()
