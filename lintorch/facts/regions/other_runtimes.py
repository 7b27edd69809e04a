"""Forward passes that hand their work to another runtime or process, or read files: none is exported.

`if self.pt: … elif self.onnx: … elif self.engine: …` is left out branch by branch, a class that
opens a session of ONNX Runtime, or reads images in its forward, as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.facts.names.lookup import Lookup
from lintorch.facts.names.scopes import dotted_text
from lintorch.syntax.literals import literal
from lintorch.syntax.tree import offspring

_PACKAGES = re.compile(
    r"^(onnxruntime|tensorrt|openvino|coremltools|tensorflow|tflite_runtime|tritonclient|ncnn|MNN"
    r"|paddle\w*|rknn\w*|tvm|pycuda|cv2\.dnn)(\.|$)"
)
_CALLS = frozenset(
    {
        "InferenceSession", "execute_v2", "execute_async_v2", "execute_async_v3", "setInput",
        "set_binding_shape", "set_tensor_address", "get_input_details", "create_infer_request",
        "infer_new_request", "deserialize_cuda_engine", "RKNNLite", "InferenceServerClient",
        "readNet", "readNetFromONNX",
    }
)  # fmt: skip
_SERVES = re.compile(
    r"^(\w*(Multi|Auto|Inference))?Backend$"
    r"|^(TRT|TensorRT|Ort|ORT|ONNXRuntime|OpenVINO|CoreML|TFLite|NCNN)(Model|Module|Wrapper|Backend)$"
)
_SESSION = re.compile(r"(^|_)(sess(ion)?|ort)$", re.I)
_READS = frozenset(
    {
        "PIL.Image.open", "cv2.imread", "requests.get", "imageio.imread", "skimage.io.imread",
        "torchvision.io.read_image", "open",
    }
)  # fmt: skip
_READERS = frozenset(name.rpartition(".")[2] for name in _READS)
_COLLECTIVES = frozenset(
    {
        "all_gather", "all_reduce", "broadcast", "gather", "scatter", "all_to_all", "barrier",
        "reduce_scatter", "all_gather_into_tensor", "all_gather_object", "broadcast_object_list",
    }
)  # fmt: skip
_DISTRIBUTED = "torch.distributed."
_OTHERS = frozenset(
    {
        "tensorrt", "trt", "openvino", "coreml", "tflite", "edgetpu", "ncnn", "paddle", "rknn",
        "mnn", "triton", "tvm", "dnn", "onnxruntime", "ort",
    }
)  # fmt: skip
_FORMATS = frozenset({"onnx", "engine", "xml", "pb", "savedmodel", "mlmodel", "graphdef", "imx"})
"""Words that may as well say what a model is exported to; of another runtime among several."""
_NAMING = _OTHERS | _FORMATS
_OWN = frozenset({"pt", "pytorch", "torch", "jit", "torchscript"})


def is_backend_name(name: str) -> bool:
    """Whether a class is named as one that runs what was exported: `AutoBackend`, `TRTModule`."""
    return bool(_SERVES.search(name))


def is_handed_over(call: cst.Call, names: Lookup) -> bool:
    """Whether a call is one of another runtime: `onnxruntime.InferenceSession(path)`."""
    func = call.func
    if isinstance(func, cst.Attribute) and func.attr.value == "run":
        return bool(_SESSION.search(dotted_text(func.value).rpartition(".")[2]))
    return _last(func) in _CALLS or bool(_PACKAGES.match(names.name(func)))


def is_collective(call: cst.Call, names: Lookup) -> bool:
    """Whether a call is one to other processes: `torch.distributed.all_gather(…)`."""
    return _last(call.func) in _COLLECTIVES and names.name(call.func).startswith(_DISTRIBUTED)


def reads_files(call: cst.Call, names: Lookup) -> bool:
    """`Image.open(path)`."""
    return _last(call.func) in _READERS and names.name(call.func) in _READS


def is_runtime_branch(
    outer: cst.CSTNode, inner: cst.CSTNode, parents: Mapping[cst.CSTNode, cst.CSTNode]
) -> bool:
    """Whether `inner`, a child of `outer`, is the branch of another runtime."""
    if isinstance(outer, cst.MatchCase):
        cases = getattr(parents.get(outer), "cases", ())
        return _is_elsewhere(_case_words(outer), [_case_words(case) for case in cases])
    if not isinstance(outer, cst.If):
        return False
    if inner is outer.body:
        own = set(_words(outer.test))
        return bool(own & _NAMING) and _is_elsewhere(own, _tests(outer, parents))
    if inner is not outer.orelse or not isinstance(inner, cst.Else):
        return False
    words = _tests(outer, parents)
    return len(_kinds(words)) > 2 and any(each & _OWN for each in words)


def _is_elsewhere(words: set[str], among: list[set[str]]) -> bool:
    if words & _OWN:
        return False
    return bool(words & _OTHERS) or (bool(words & _FORMATS) and len(_kinds(among)) > 1)


def _tests(branch: cst.If, parents: Mapping[cst.CSTNode, cst.CSTNode]) -> list[set[str]]:
    """The words of the tests of all branches."""
    return [set(_words(each.test)) for each in _chain(branch, parents)]


def _kinds(among: list[set[str]]) -> list[set[str]]:
    """The branches that are for some runtime."""
    return [words for words in among if words & (_NAMING | _OWN)]


def _chain(branch: cst.If, parents: Mapping[cst.CSTNode, cst.CSTNode]) -> Iterator[cst.If]:
    """All branches of an if, from the first on."""
    above = parents.get(branch)
    while isinstance(above, cst.If) and above.orelse is branch:
        branch, above = above, parents.get(above)
    below: cst.If | cst.Else | None = branch
    while isinstance(below, cst.If):
        yield below
        below = below.orelse


def _case_words(case: cst.MatchCase) -> set[str]:
    return set(_words(case.pattern))


def _words(test: cst.CSTNode) -> Iterator[str]:
    """The parts of the names and texts of a test: `use`, `onnx`; none below a `not`."""
    if isinstance(test, cst.UnaryOperation):
        return
    text = test.value if isinstance(test, cst.Name) else literal(test)
    if isinstance(text, str):
        yield from re.split(r"[^a-z0-9]+", text.lower())
        yield text.lower().replace("_", "")
    for child in offspring(test):
        yield from _words(child)


def _last(func: cst.CSTNode) -> str:
    return dotted_text(func).rpartition(".")[2]
