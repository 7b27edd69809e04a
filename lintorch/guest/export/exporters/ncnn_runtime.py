"""ncnn on the CPU: what a file of its own computes, sample by sample, in full precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch


def load_net(param: Path) -> Any:
    """The net of a `.ncnn.param` file and the `.ncnn.bin` beside it. Raises RuntimeError."""
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = 1
    net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = net.opt.use_fp16_packed = False
    if net.load_param(str(param)) or net.load_model(str(param.with_suffix(".bin"))):
        raise RuntimeError("ncnn does not load the file that pnnx wrote")
    return net


def make_net_runner(net: Any) -> Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]:
    """Runs sample by sample, without the first axis, and stacks the outputs along a new first one."""
    import ncnn

    def one(sample: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        with net.create_extractor() as extractor:
            for name, tensor in zip(net.input_names(), sample, strict=True):
                extractor.input(name, ncnn.Mat(tensor.detach().contiguous().numpy()).clone())
            found = [extractor.extract(name) for name in net.output_names()]
        if any(failed for failed, _ in found):
            raise RuntimeError("ncnn gives no output")
        return [torch.tensor(mat.numpy()) for _, mat in found]

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        samples = [one(sample) for sample in zip(*tensors, strict=True)]
        return [torch.stack(each) for each in zip(*samples, strict=True)]

    return run
