"""What one run in ONNX Runtime executes and holds, as its own profile says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lintorch.guest.export.exporter import Job
from lintorch.guest.export.exporters.onnx_runtime import list_feeds, make_call, open_session


def watch_file(path: Path, job: Job, values: Sequence[Any]) -> tuple[Mapping[str, int], int | None]:
    """The operators of one run, after ONNX Runtime has fused them, and the most bytes held of what they make.

    None where this ONNX Runtime does not write what it holds. Raises what the run raises.
    """
    (feed,) = list_feeds(path, job, [values])
    with TemporaryDirectory() as folder:
        session = open_session(path, profile=str(Path(folder, "run")))
        make_call(session, feed)()
        events = json.loads(Path(session.end_profiling()).read_text("utf-8"))
    nodes = [
        e["args"] for e in events if e.get("cat") == "Node" and e["name"].endswith("_kernel_time")
    ]
    return dict(Counter(each["op_name"] for each in nodes)), _find_most(nodes)


def _find_most(nodes: Sequence[Mapping[str, Any]]) -> int | None:
    """What is held after the node at which it is most, less what was held before the first."""
    try:
        held = [int(each["mem_bytes_requested_in_use"]) for each in nodes]
        before = held[0] - int(nodes[0]["mem_requested_in_use_delta"])
    except (KeyError, IndexError):  # an older ONNX Runtime
        return None
    return max(0, max(held) - before)


def count_file_weights(path: Path) -> int:
    """Bytes of the constants of a file: its initializers, and what Constant nodes hold."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    held = [*model.graph.initializer]
    for node in model.graph.node:
        if node.op_type == "Constant":
            held += [a.t for a in node.attribute if a.HasField("t")]
    return sum(prod(each.dims) * _count_bytes(each.data_type) for each in held)


def _count_bytes(kind: int) -> int:
    import onnx

    return int(onnx.helper.tensor_dtype_to_np_dtype(kind).itemsize)
