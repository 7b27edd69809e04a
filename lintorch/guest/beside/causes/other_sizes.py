"""A size of the export's example that is in the file as a constant, or that it declares as fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from lintorch.guest.beside.case import Case, Sizes
from lintorch.guest.beside.distances import measure_distance
from lintorch.guest.beside.run_file import find_failed_node
from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.onnx_graph import find_node_site, read_layer
from lintorch.record.arguments import pick_tensors
from lintorch.record.file_comparisons import Cause, Distance, FileRun

_DYNAMIC = "compute the size from x.shape inside forward, without int() or item(), and declare the axis as dynamic"
_BATCHES = (1, 2, 4)
_SIDES = (8, 16, 24, 32, 48, 56, 64, 96, 112, 128, 160, 192, 224, 256)
"""Sizes of examples."""


def run_at(case: Case, sizes: Sizes) -> tuple[FileRun, Cause | None]:
    """Both at some sizes; where the file raises, its node. Raises what the model raises."""
    expected = case.run_model(sizes)
    try:
        match = case.match_at(sizes)
        given = case.run_file(sizes)
    except Exception as error:  # whatever ONNX Runtime raises
        why = f"ONNX Runtime raises: {summarise_error(error, 1)}"
        return FileRun(sizes, False, Distance(why=why)), _tell_failure(case, sizes, error)
    if match.order:
        given = [given[match.order.index(n)] for n in sorted(match.order)]
        expected = [expected[n] for n in sorted(match.order)]
    return FileRun(sizes, match.difference is None, measure_distance(expected, given)), None


def tell_baked(case: Case, sizes: Sizes, run: FileRun) -> Cause:
    """The file agrees at its first sizes and not at others, which it says that it takes."""
    changed = write_change(case.model.sizes, sizes)
    apart = run.distance
    far = apart.why or f"the outputs differ by {apart.amount or 0:.3g}"
    return Cause(
        "baked-size",
        f"a size of the example is a constant in the file: at {changed} it computes something else",
        f"it agrees at {write_sizes(case.model.sizes)}; at {changed} {far}",
        _DYNAMIC,
    )


def find_example_size(case: Case) -> Iterator[Cause]:
    """The sizes at which a file agrees that says it takes others too, and gives other numbers there."""
    for sizes in _list_likely(case):
        try:
            agrees = case.match_at(sizes).difference is None
        except Exception:  # the model or the file does not take them
            continue
        if agrees:
            first = write_change(sizes, case.model.sizes)
            yield Cause(
                "baked-size",
                f"a size of the example is a constant in the file: it is right at {write_sizes(sizes)} and wrong at {first}",
                f"it agrees at {write_sizes(sizes)}",
                _DYNAMIC,
            )
            return


def _list_likely(case: Case) -> Iterator[dict[str, int]]:
    """Sizes that examples of exports have: of a batch, of images and sequences."""
    open_names = _list_open(case)
    batch = {name for name in open_names if "batch" in name}
    sides = open_names - batch
    first = case.model.sizes
    for size in (0, *_SIDES) if sides else (0,):
        for count in (0, *_BATCHES) if batch else (0,):
            changed = {name: size for name in sides if size} | {n: count for n in batch if count}
            if changed and any(first[name] != value for name, value in changed.items()):
                yield {**first, **changed}


def _list_open(case: Case) -> set[str]:
    """The names of sizes that the file leaves open."""
    tensors = pick_tensors(case.model.inputs)
    return {
        size
        for taken, number in case.pairs.pairs
        for dim, size in zip(taken.dims or (), tensors[number].shape, strict=False)
        if isinstance(size, str) and not isinstance(dim, int)
    }


def tell_fixed(case: Case, fixed: Set[str]) -> Iterator[Cause]:
    """The axes that the file declares as one number, and the model takes at others."""
    tensors = pick_tensors(case.model.inputs)
    found: dict[str, list[str]] = {}
    for taken, number in case.pairs.pairs:
        for axis, size in enumerate(tensors[number].shape):
            if size in fixed:
                found.setdefault(taken.name, []).append(
                    f"axis {axis} ({size}) is {case.model.sizes[str(size)]}"
                )
    for name, axes in found.items():
        yield Cause(
            "fixed-size",
            f"`{name}` has a fixed size in the file, where the model takes others: {', '.join(axes)}",
            remedy="export with dynamic_shapes (dynamo=True) or dynamic_axes (dynamo=False) for these axes",
            wrong=False,
        )


def write_sizes(sizes: Mapping[str, int]) -> str:
    """`batch=2, height=64`; "the fixed size" where there is none."""
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) or "the sizes of the file"


def write_change(first: Mapping[str, int], sizes: Mapping[str, int]) -> str:
    """Those of the sizes that are others than the first."""
    return write_sizes({name: size for name, size in sizes.items() if first.get(name) != size})


def _tell_failure(case: Case, sizes: Sizes, error: BaseException) -> Cause | None:
    """The node at which the file fails, with its line."""
    node = find_failed_node(case.file, error)
    if node is None:
        return None
    layer = read_layer(node)
    where = f" in {layer}" if layer else ""
    changed = write_change(case.model.sizes, sizes)
    return Cause(
        "baked-size",
        f"a size of the example is a constant in the file: at {changed} its node {node.name} "
        f"({node.op_type}{where}) fails",
        f"the model runs at {changed}; {summarise_error(error, 1)}",
        _DYNAMIC,
        site=find_node_site(node, case.user_file),
    )
