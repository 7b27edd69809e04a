"""How targets are called: `tensorrt-8.6`, `ort-1.20`, `tensorrt-8.6.1`."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from lintorch.targets.runtime_tables import list_families, load_family
from lintorch.targets.target import Target

ALIASES = {
    "trt": "tensorrt",
    "ort": "onnxruntime",
    "onnxruntime-cpu": "onnxruntime",
    "coremltools": "coreml",
    "apache-tvm": "tvm",
    "tflite-via-onnx2tf": "onnx2tf",
    "litert-torch": "litert",
    "ai-edge-torch": "litert",
    "pnnx": "ncnn",
    "rknn-toolkit2": "rknn",
    "qualcomm": "qnn",
    "qairt": "qnn",
    "paddle": "x2paddle",
}


class TargetError(ValueError):
    """A name that stands for no table; says which names are near."""


@functools.cache
def find_target(name: str) -> Target:
    """The target of a name; a release without table of its own takes that of its minor release.

    A runtime with one table needs no release. Raises TargetError.
    """
    known = {**dict(zip(list_families(), list_families(), strict=True)), **ALIASES}
    written = name.strip().lower()
    whole = [each for each in known if written == each or written.startswith(f"{each}-")]
    if not whole:
        raise TargetError(f"unknown target `{name}`{_near_runtime(written, tuple(known))}")
    longest = max(whole, key=len)
    version = _find_release(known[longest], written[len(longest) + 1 :].removeprefix("v"))
    if version is None:
        raise TargetError(f"unknown target `{name}`{_near_release(known[longest], written)}")
    return Target(known[longest], version)


def list_targets() -> Iterator[Target]:
    """All targets, by runtime, oldest release first."""
    for name in list_families():
        yield from (Target(name, release.version) for release in load_family(name).releases)


def _find_release(runtime: str, asked: str) -> str | None:
    versions = [release.version for release in load_family(runtime).releases]
    if not asked:
        return versions[0] if len(versions) == 1 else None
    parts = asked.split(".")
    return next(
        (v for n in range(len(parts), 0, -1) if (v := ".".join(parts[:n])) in versions), None
    )


def _near_runtime(written: str, known: tuple[str, ...]) -> str:
    head = written.partition("-")[0]
    from difflib import get_close_matches

    match = get_close_matches(head, known, 1) or get_close_matches(written, known, 1)
    if match:
        runtime = ALIASES.get(match[0], match[0])
        newest = load_family(runtime).releases[-1].version
        return f"; did you mean `{runtime}`, as in `{runtime}-{newest}`?"
    return f"; known runtimes are {', '.join(list_families())}"


def _near_release(runtime: str, written: str) -> str:
    """The releases before and after the one asked for, or the newest where that is no number."""
    listed = [r.version for r in load_family(runtime).releases if not r.variant]
    asked = _split_version(written.rpartition("-")[2])
    below = [v for v in listed if _split_version(v) <= asked][-1:]
    above = [v for v in listed if _split_version(v) > asked][:1]
    near = [f"`{runtime}-{v}`" for v in (below + above if asked else listed[-3:])]
    return f"; the nearest releases with a table are {' and '.join(near)}"


def _split_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def name_runtime(name: str) -> str:
    """A runtime that takes ONNX files, as its family or, where one is named, a release of it.

    Raises TargetError.
    """
    known = {**dict(zip(list_families(), list_families(), strict=True)), **ALIASES}
    family = known.get(name.strip().lower())
    target = None if family else find_target(name)
    found = family or find_target(name).family
    if load_family(found).names != "onnx":
        raise TargetError(f"`{name}` takes no ONNX file, so that no opset decides")
    return target.name if target else found
