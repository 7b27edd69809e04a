"""Logs that end in a traceback before its error: which step of which program was under way."""

from __future__ import annotations

import re

from lintorch.messages.read_moved import tell_moved

_FRAME = re.compile(
    r'File "(?P<path>[^"]{1,300})", line \d{1,7}, in (?P<name>[\w<>.]{1,80})'
    r"|(?P<path2>[^\s\"']{1,300}\.py) in (?P<name2>\w{1,80})\("
    r"|File (?P<path3>[^\s\"']{1,300}\.py):\d{1,7}(?:,? in (?P<name3>[\w<>.]{1,80}))?"
)
_ERROR = re.compile(
    r"(?<!raise )(?<!except )\b[\w.]{0,80}(?:Error|Exception|Exit|Interrupt|Unsupported|Empty|Failure|Fail|Iteration)\b(?![\w(.,)]|['\"] ?[,)])"
    r"|\b[a-z_]\w{0,40}(?:\.\w{1,60}){1,5}: (?!\w{1,60}\()"
)
_TAIL, _CELL_TAIL = 500, 1500
"""Characters behind the last frame that are still of it: a line of code and marks below it, or the lines around it in a notebook."""
_STEPS = (
    (r"torch/onnx/_internal/(?:exporter|fx)", "the newer ONNX exporter translated the graph"),
    (r"torch/onnx/symbolic", "the legacy ONNX exporter translated one operator"),
    (r"torch/onnx", "the legacy ONNX exporter traced the model or translated its graph"),
    (r"torch/fx/experimental/symbolic_shapes|torch/_dynamo/guards|torch/_export/non_strict_utils", "the sizes that dynamic_shapes declares were held against what forward asks of them (the error mostly is Constraints violated, with `Suggested fixes` below it)"),
    (r"torch/_inductor", "the compiler behind torch.compile wrote or built kernels"),
    (r"torch/_functorch|torch/_dispatch|torch/_subclasses|torch/_decomp", "the graph was worked through on tensors without data"),
    (r"torch/_dynamo", "Dynamo followed forward line by line"),
    (r"torch/_?export", "torch.export traced the model or checked its sizes"),
    (r"torch/fx", "a graph of torch.fx was made or run"),
    (r"torch/jit/_trace", "torch.jit.trace ran the model on the example"),
    (r"torch/jit|torch/_jit", "TorchScript compiled the model's source, or read a file"),
    (r"torch/serialization|torch/_weights_only", "a checkpoint was read or written"),
    (r"torch/utils/data", "a loader took items from the data set"),
    (r"torch/utils/checkpoint|torch/autograd|torch/_tensor", "gradients were computed"),
    (r"torch/distributed|torch/nn/parallel", "processes of a distributed run worked together or were started"),
    (r"torch/optim|torch/amp|torch/cuda/amp", "the optimizer took a step"),
    (r"torch/ao|torch/quantization", "the model was quantized"),
    (r"torch/nn", "forward of the model itself ran: what fails there fails without any exporter"),
    (r"onnxruntime", "ONNX Runtime read the file or ran it"),
    (r"coremltools", "coremltools converted the model"),
    (r"openvino", "OpenVINO converted, compiled or ran the model"),
    (r"(?:torch_)?tensorrt", "TensorRT built or ran an engine"),
    (r"executorch", "ExecuTorch lowered or ran the program"),
    (r"onnx2tf|tensorflow|ai_edge_torch|litert", "the model was converted for TensorFlow or LiteRT"),
)  # fmt: skip
"""By the path of the last frame: what it did."""


def find_cut(text: str) -> str:
    """What was under way where a text that `unify_text` has made ends before the error; "" where it does not."""
    frames = [*_FRAME.finditer(text, max(0, len(text) - 20_000))]
    tail = _CELL_TAIL if frames and frames[-1]["path3"] else _TAIL
    if not frames or len(text) - frames[-1].end() > tail:
        return ""
    last = frames[-1]
    begun = not text[: frames[0].start()].strip()
    headed = begun or "most recent call last" in text or len(frames) > 1
    if not headed or _ERROR.search(text, last.end()):
        return ""
    path = next(value for name, value in last.groupdict().items() if name[:4] == "path" and value)
    path = path.replace("\\", "/")
    named = (value for name, value in last.groupdict().items() if name[:4] == "name" and value)
    function = next(named, "the module's own code")
    short = "/".join(path.rpartition("-packages/")[2].split("/")[-3:])
    moved = tell_moved(text[last.end() :])
    told = f" {moved}" if moved else ""
    for words, step in _STEPS:
        if re.search(rf"(?:^|/)(?:{words})", path):
            return f"Its last frame is {function} in {short}, where {step}.{told}"
    return f"Its last frame is {function} in {short}.{told}"
