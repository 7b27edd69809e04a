"""LT156: a session of ONNX Runtime that is fed, or asked for, a name that the export did not give."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.signatures.find_signatures import find_signatures
from lintorch.facts.exporting.exported_names import ExportedNames, list_exports
from lintorch.facts.exporting.exports_beside import find_export_beside
from lintorch.facts.exporting.session_feeds import SessionRun, is_left_alone, read_session_run
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT156",
    summary="a session that is fed by a name that the exported file does not have",
    why="""
        A session of ONNX Runtime takes its inputs by the names that the export gave: those of
        `input_names`, and without them, with the new exporter, the parameters of forward. It
        raises where one is not fed ("Required inputs (['image']) are missing from input feed"),
        where there is another ("Invalid input name: x"), and where an output is asked for that
        it does not have ("Invalid output name:output"). Measured on torch 2.13 and
        onnxruntime 1.32.

        Reported where one file exports and runs, by one path, or two files of one folder do, by
        one path that both write out ("net.onnx"), and all names can be read. Nothing is said of a
        path that other calls may write to, or that exports write with different names.
    """,
    bad="""
        import onnxruntime
        import torch
        from torch import nn


        def compare(model, image):
            torch.onnx.export(model, (image,), "net.onnx", input_names=["image"])
            session = onnxruntime.InferenceSession("net.onnx")
            return session.run(None, {"input": image.numpy()})
    """,
    good="""
        import onnxruntime
        import torch
        from torch import nn


        def compare(model, image):
            torch.onnx.export(model, (image,), "net.onnx", input_names=["image"])
            session = onnxruntime.InferenceSession("net.onnx")
            return session.run(None, {"image": image.numpy()})
    """,
    proof="""
        warnings.simplefilter("ignore")
        compare(nn.ReLU().eval(), torch.ones(1, 4))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)


@rule.source(cst.Call, needs=("InferenceSession",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    run = read_session_run(call, source) if not is_caught(call, source) else None
    if run is None or not is_left_alone(run.file, source):
        return
    own = list_exports(run.file, source)
    still = "chdir" not in source.text
    beside = find_export_beside(run.file, source) if not own and still else None
    exported = own.pop() if len(own) == 1 else beside.names if beside is not None else None
    if exported is None:
        return
    by = f" of {beside.writer}" if beside is not None else ""
    yield from find_misfed(run, exported, by, source)
    yield from find_unwritten(run, exported, by, source)


def is_caught(call: cst.Call, source: Source) -> bool:
    """Whether it is tried, or meant, to raise."""
    for outer in source.ancestors(call):
        if isinstance(outer, cst.Try) and outer.handlers:
            return True
        if isinstance(outer, cst.With) and "raises" in source.code(outer.items[0]).lower():
            return True
    return False


def find_misfed(run: SessionRun, exported: ExportedNames, by: str, source: Source) -> Iterator[Hit]:
    """A key that is no input, and inputs that no key names."""
    if run.feed is None or not exported.inputs:
        return
    strange = [key for key in run.feed if key not in exported.inputs]
    lacking = [name for name in exported.inputs if name not in run.feed]
    inputs = ", ".join(map(repr, exported.inputs))
    if strange and (lacking or exported.no_other):
        node = run.feed[strange[0]]
        fix = rename(node, lacking[0], source) if len(strange) == len(lacking) == 1 else None
        message = f"{strange[0]!r} is fed, and the exported file{by} takes {inputs}"
        yield Hit(node, f"{message}: ONNX Runtime raises", fix=fix, remedy=f"feed it as {inputs}")
    elif lacking and exported.all_there:
        message = f"{lacking[0]!r} is not fed, and the exported file{by} takes {inputs}"
        remedy = f"feed {lacking[0]!r}, too"
        yield Hit(run.given, f"{message}: ONNX Runtime raises", remedy=remedy)


def find_unwritten(
    run: SessionRun, exported: ExportedNames, by: str, source: Source
) -> Iterator[Hit]:
    """An output that is asked for, and that neither the export names nor an operator."""
    known = {*exported.outputs, *exported.inputs}
    strange = [name for name in run.asked if name not in known and not is_operator(name)]
    if not exported.new or not exported.outputs or not strange:
        return
    node, outputs = run.asked[strange[0]], ", ".join(map(repr, exported.outputs))
    alone = len(run.asked) == len(exported.outputs) == 1
    fix = rename(node, exported.outputs[0], source) if alone else None
    message = f"{strange[0]!r} is asked for, and the outputs{by} are exported as {outputs}"
    yield Hit(node, f"{message}: ONNX Runtime raises", fix=fix, remedy=f"ask for {outputs}")


def is_operator(name: str) -> bool:
    """Whether an output without a name of its own may be called so, by what computes it: `add_1`."""
    if "_" in name or name in ("getitem", "val"):
        return True
    owners = ("torch", "torch.Tensor", "torch.nn.functional")
    return any(find_signatures(f"{owner}.{name}") for owner in owners)


def rename(node: cst.CSTNode, name: str, source: Source) -> Fix | None:
    """The name in the place of a key or text that is written in the call."""
    key = node.key if isinstance(node, cst.DictElement) else node
    if isinstance(key, cst.Name) and not isinstance(node, cst.DictElement) and name.isidentifier():
        written = name
    elif isinstance(key, cst.SimpleString) and '"' not in name and "\\" not in name:
        written = f"{key.quote[:1]}{name}{key.quote[:1]}"
    else:
        return None
    return Fix(f"write {written}", (source.replace(key, written),), Applicability.UNSAFE)
