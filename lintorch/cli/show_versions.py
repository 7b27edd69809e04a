"""What `lintorch --version -v` says besides: an interpreter that no project chooses, and what it has."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

_ASKED = (
    *("torch", "onnx", "onnxscript", "onnxruntime", "openvino", "ncnn", "pnnx", "executorch"),
    *("litert-torch", "coremltools", "apache-tvm", "MNN", "onnx2tf"),
)
_PROGRAM = """
import importlib.metadata as m, json, platform
def version(name):
    try:
        return m.version(name)
    except m.PackageNotFoundError:
        return None
print(json.dumps({"python": platform.python_version(), **{n: version(n) for n in %r}}))
"""
_SECONDS = 30


def list_versions() -> Iterator[str]:
    """A line for the interpreter, then one for each package; no package is imported."""
    from lintorch.run.find_interpreter import find_own_interpreter

    python = find_own_interpreter()
    try:
        command = [python.path, "-I", "-c", _PROGRAM % (_ASKED,)]
        told = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS).stdout
    except (OSError, subprocess.SubprocessError) as error:
        yield f"  {python.path} does not start: {error}"
        return
    yield f"  {python.path} ({python.why})"
    yield from (f"  {name} {found or 'not installed'}" for name, found in json.loads(told).items())
