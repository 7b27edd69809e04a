"""LT601: a function, class or method by a name that torch has retired."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.tables import Table, release
from lintorch.evaluator.events import Called
from lintorch.facts.api.call_templates import rewrite_call
from lintorch.facts.api.version_guards import is_name_guarded
from lintorch.source import Arguments, Source, literal

rule = Rule(
    __name__,
    code="LT601",
    summary="a name that torch has retired",
    why="""
        Names that torch deprecates warn for some releases (or only say so in the documentation)
        and are removed then: `torch.symeig`, `torch.solve`, `torch.eig` and `torch.lstsq` raise
        on torch 2.13, `torch.rfft` is an AttributeError. The table `_retired_names.json` tells
        for each name since when it is deprecated, in which release it is gone and what takes its
        place; nothing is said of releases in which a name was not yet deprecated, nor where the
        code asks for the release first. A name that only the documentation calls deprecated is
        a note, one that is gone an error.

        Some calls have gone the same way without their name: `torch.meshgrid` without
        `indexing`, `softmax` and `torch.cross` without `dim`.

        The fix is offered where the new call was measured to give the same.
    """,
    bad="""
        import torch as t


        def whiten(cov):
            return t.cholesky(cov)
    """,
    good="""
        import torch as t


        def whiten(cov):
            return t.linalg.cholesky(cov)
    """,
    proof="""
        assert torch.equal(whiten(torch.eye(3)), torch.eye(3))
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

TABLE = Table(__file__, "_retired_names.json")
WORDS = (
    "from torch import", "import torch as", "functorch", "torch.testing", "torch.onnx",
    "quantization", "nn.init", "init.", "softm", "Softm", "psampl", "symeig", "lstsq",
    "matrix_rank", "lu_solve", "triangular_solve", "cholesky", "chain_matmul", "torch.qr",
    ".qr(", "torch.eig", ".eig(", "torch.solve", ".solve(", "torch.lu", ".lu(", "torch.svd",
    "torch.norm", "torch.functional", "torch.ger", ".ger(", "torch.range", ".resize",
    "reinforce", "gels", "gesv", "potr", "pstrf", "trtrs", "btri", "torch.fft", "ifft", "rfft",
    "meshgrid", "torch.cross", "NLLLoss2d", "Container", "DistributedDataParallelCPU",
    "clip_grad_norm", "weight_norm", "stateless", "apply_permutation", "is_namedtuple",
    "assert_allclose", "_max_memory_", "memory_cached", "sdp_kernel", "has_", "default_tensor_type",
    "deterministic", "autocast_", "Storage", "torch.sparse", "torch.autograd", "_jacobian",
    "profiler_legacy", "sample_n", "impl_abstract", "guard_size_oblivious", "pytree", "LeafSpec",
    "cummulative", "shuffle_seed", "worker_init_fn", "into_tensor", "scatter_tensor", "_base",
    "gather_tensor", "_coalesced", "_multigpu", "reduce_op", "global_rank", "state_dict",
    "metrics", "dynamo_export", "export_for_", "dynamic_dim", "capture_pre_autograd_graph",
)  # fmt: skip
"""One of them stands in every file that uses a name of the table; `tests/test_tables.py` holds that."""

TENSOR_METHODS = (
    "symeig", "eig", "solve", "lstsq", "cholesky", "qr", "lu", "lu_solve", "triangular_solve",
    "ger", "resize_as", "reinforce",
)  # fmt: skip
"""The table's methods of tensors; the same test holds that."""

_TELLS = ("it ", "its ", "the ")
"""What begins a clause that tells of a name, and not what to write."""
_PARTS = re.compile(r"\bweight_[gv]\b|\bweight_(orig|u)\b|\bremove_(weight|spectral)_norm\b")
"""Parts that a hook gives a layer, and how it is taken off: a parametrization has neither."""


@rule.source(cst.Attribute, needs=WORDS)
def by_attribute(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    if node.attr.value not in _last_parts():
        return
    row = TABLE.by_name.get(source.name(node)) or _of_object(node, source)
    if row and not source.enclosing(node, cst.Import, cst.ImportFrom):
        yield from _judged(node, row, source)


@rule.source(cst.ImportFrom, needs=WORDS)
def by_import(node: cst.ImportFrom, source: Source) -> Iterator[Hit]:
    aliases = [] if isinstance(node.names, cst.ImportStar) else node.names
    for alias in aliases:
        if alias.evaluated_name not in _last_parts():
            continue
        local = alias.asname.name if alias.asname else alias.name
        row = TABLE.by_name.get(source.name(local))
        if row and isinstance(local, cst.Name):
            uses = [use for use in _uses(local.value, source) if source.name(use) in TABLE.by_name]
            for use in uses:
                yield from _judged(use, row, source)
            if not uses and _is_gone(row, source) and not is_name_guarded(local, source):
                said, (_, remedy) = _message(row, source), _advise(row, source)
                yield Hit(alias, said, severity=Severity.ERROR, remedy=remedy)


@rule.event(*(f"torch.Tensor.{name}" for name in TENSOR_METHODS))
def by_method(event: Called, source: Source) -> Iterator[Hit]:
    call, row = source.call_at(event), TABLE.by_name.get(event.name)
    if row and call is not None and isinstance(call.func, cst.Attribute):
        yield from _judged(call.func, row, source)


@cache
def _last_parts() -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in TABLE.by_name)


def _of_object(node: cst.Attribute, source: Source) -> dict[str, Any] | None:
    """The row of a property or method of another class, where it is known what was made."""
    for owner, row in _methods().get(node.attr.value, ()):
        made = [node.value] if isinstance(node.value, cst.Call) else source.built(node.value)
        if made and all(source.name(call.func).startswith(owner) for call in made):
            return row
    return None


@cache
def _methods() -> dict[str, list[tuple[str, dict[str, Any]]]]:
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for row in TABLE.rows:
        owner = row["form"].partition(" of ")[2]
        if owner:
            last = row["name"].rpartition(".")[2]
            found.setdefault(last, []).append((owner, row))
    return found


def _uses(local: str, source: Source) -> Iterator[cst.Name]:
    """Where a name is read: not where it is an attribute, a keyword, or bound anew."""
    for name in source.mentions_of(local):
        parent = source.parent(name)
        read = getattr(parent, "attr", None) is not name and (
            getattr(parent, "keyword", None) is not name
            and not isinstance(parent, (cst.ImportAlias, cst.AsName, cst.Param, cst.AssignTarget))
            and getattr(parent, "name", None) is not name
        )
        if read:
            yield name


def _judged(node: cst.Attribute | cst.Name, row: dict[str, Any], source: Source) -> Iterator[Hit]:
    parent = source.parent(node)
    call = parent if isinstance(parent, cst.Call) and parent.func is node else None
    if source.profile.torch < release(row["since"]) or not _counts(node, call, row, source):
        return
    if is_name_guarded(node, source):
        return
    severity = Severity.ERROR if _is_gone(row, source) else None
    fix = _fix(node, call, row, source)
    _, remedy = _advise(row, source)
    yield Hit(call or node, _message(row, source), fix, severity=severity, remedy=remedy)


def _is_gone(row: dict[str, Any], source: Source) -> bool:
    return bool(row["removed"]) and source.profile.torch >= release(row["removed"])


def _message(row: dict[str, Any], source: Source) -> str:
    missing = f" without {row['missing']}=" if "missing" in row else ""
    since = f"deprecated since torch {row['since']}"
    if _is_gone(row, source):
        since = "gone from torch {}.{}".format(*source.profile.torch)
    elif not row["warns"]:
        since = "documented as deprecated"
    why, _ = _advise(row, source)
    return f"{row['name']}{missing} is {since}" + (f": {why}" if why else "")


def _advise(row: dict[str, Any], source: Source) -> tuple[str, str]:
    """What is to be known of a name, and what to write instead, as far as the release has that."""
    if row["replacement"] and source.profile.torch < release(row["replacement_since"]):
        return "", ""
    why, _, remedy = row["message"].rpartition("; ")
    if remedy.startswith(_TELLS):
        why = row["message"]
        remedy = f"use {row['replacement']}" if row["replacement"] else "leave it out"
    return why, f"write {row['missing']}=" if "missing" in row else remedy


def _counts(
    node: cst.Attribute | cst.Name, call: cst.Call | None, row: dict[str, Any], source: Source
) -> bool:
    """Whether the use is one that reaches the retired thing, and not one that only asks for it."""
    form: str = row["form"].partition(" of ")[0]
    if call is not None:
        return form != "value" and _lacks(call, row, source)
    parent = source.parent(node)
    if isinstance(parent, cst.Attribute):
        return form == "namespace"
    if isinstance(parent, (cst.AssignTarget, cst.Del)) or form in ("call", "method"):
        return False
    if _is_class(row) and not _is_base(parent, source):
        return False
    return not _only_compared(node, parent, source)


def _is_class(row: dict[str, Any]) -> bool:
    return bool(row["name"].rpartition(".")[2][:1].isupper())


def _is_base(parent: cst.CSTNode | None, source: Source) -> bool:
    return isinstance(parent, cst.Arg) and isinstance(source.parent(parent), cst.ClassDef)


def _lacks(call: cst.Call, row: dict[str, Any], source: Source) -> bool:
    """Whether the argument that makes the call a retired one is surely left out."""
    if "missing" not in row:
        return True
    given = _given(call, row, source)
    if row["missing"] in given.by_name:
        return False
    unseen = [arg.star for arg in call.args if arg.star]
    return not unseen or (bool(row.get("keyword_only")) and "**" not in unseen)


def _only_compared(node: cst.CSTNode, parent: cst.CSTNode | None, source: Source) -> bool:
    """In `f is torch.norm`, in a table of names, in isinstance, as what a decorator overrides."""
    if isinstance(parent, (cst.Comparison, cst.ComparisonTarget)):
        return True
    if isinstance(parent, cst.DictElement):
        named = isinstance(node, cst.Attribute) and literal(parent.key) == node.attr.value
        return parent.key is node or named
    for outer in source.ancestors(node):
        if isinstance(outer, cst.Decorator):
            return parent is not outer
        if isinstance(outer, cst.Call) and source.name(outer.func) in ("isinstance", "issubclass"):
            return True
        if isinstance(outer, (cst.ComparisonTarget, cst.Set)):
            return True
        if isinstance(outer, cst.BaseStatement):
            return False
    return False


# the fix


def _fix(
    node: cst.Attribute | cst.Name, call: cst.Call | None, row: dict[str, Any], source: Source
) -> Fix | None:
    if row["applicability"] is None or not _exists(row, source):
        return None
    applicability = Applicability(row["applicability"])
    if ".parametrizations." in (row["replacement"] or "") and _PARTS.search(source.text):
        applicability = Applicability.DISPLAY
    if row["arguments"] == "same":
        edits = _renamed(node, call, row, source)
    else:
        edits = _rewritten(node, call, row, source)
    return Fix(row["message"], edits, applicability) if edits else None


def _exists(row: dict[str, Any], source: Source) -> bool:
    since = row["replacement_since"]
    return since is None or source.profile.torch >= release(since)


def _renamed(
    node: cst.Attribute | cst.Name, call: cst.Call | None, row: dict[str, Any], source: Source
) -> tuple[Edit, ...]:
    """The new name for the old one, and what has to be said besides."""
    added = row.get("add")
    if added and call is None:
        return ()
    more = (source.insert_argument(call, added),) if added and call is not None else ()
    if row["replacement"] == source.name(node):
        return more
    home, _, last = row["replacement"].rpartition(".")
    if isinstance(node, cst.Attribute) and source.name(node.value) == home:
        return (source.replace(node.attr, last), *more)
    spelled, imports = source.reach(row["replacement"], node)
    return (source.replace(node, spelled), *imports, *more) if spelled else ()


def _rewritten(
    node: cst.Attribute | cst.Name, call: cst.Call | None, row: dict[str, Any], source: Source
) -> tuple[Edit, ...]:
    """The whole call anew, where its arguments are among those the table tells how to write."""
    if call is None and not row["form"].startswith("value"):
        return ()
    given = _values(node, call, row, source)
    return rewrite_call(call or node, given, row["rewrites"], source) if given is not None else ()


def _values(
    node: cst.Attribute | cst.Name, call: cst.Call | None, row: dict[str, Any], source: Source
) -> dict[str, Any] | None:
    """The expressions given, by parameter; `*` for all in a row. None where they are not known."""
    values: dict[str, Any] = {}
    if " of " in row["form"] or row["form"] == "method":
        assert isinstance(node, cst.Attribute)
        values[row["parameters"][0]] = node.value
    if call is None:
        return values
    if "{*}" in row["rewrites"][0]["text"]:
        plain = all(arg.keyword is None and arg.star != "**" for arg in call.args)
        return {"*": call.args} if plain and call.args else None
    arguments = _given(call, row, source)
    if not arguments.complete or len(arguments.by_name) != len(call.args):
        return None
    return {**values, **{name: arg.value for name, arg in arguments.by_name.items()}}


def _given(call: cst.Call, row: dict[str, Any], source: Source) -> Arguments:
    bound = row["form"].startswith("method")
    return source.arguments(call, *row.get("parameters", ())[1 if bound else 0 :])
