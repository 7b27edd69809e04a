"""LT806: layers that cannot follow each other, or cannot be made, whatever the input is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, IdleRow, Indexed, Refused
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import NONE, Class, Constant, External, Held, Items, Tensor, Value
from lintorch.evidence import GraphCapture, OperatorCall, Raised, Trace, Tracer
from lintorch.evidence.host_reads import is_whole_run, source_line, write_shapes
from lintorch.facts.models.loss_operands import find_unfit_operands
from lintorch.facts.models.mismatch_remedies import write_layer, write_operands
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT806",
    summary="layers that cannot follow each other",
    why="""
        A layer raises at the first forward pass where it is given another number of channels
        than it was made for; a convolution whose groups do not divide its channels, or that is
        strided with padding="same", raises when it is made. Shapes are followed as models
        compute them, through helpers, loops and settings; an nn.Sequential that nothing runs is
        tried by itself. What goes through an unknown module is not followed. What raises on one
        of several branches of a model, of which it is not known which is taken, or by defaults
        that a project may never use, is a note.

        nn.Sequential(*model.children()) runs the children and nothing else: a flatten, a sum
        or a function that the model's own forward does between them is lost. An even kernel
        with padding of half its size makes the output one longer, or one shorter where the
        half was rounded down from k - 1; padding="same" keeps the length. Measured on
        torch 2.13.
    """,
    bad="""
        from torch import nn

        net = nn.Sequential(
            nn.Conv2d(3, 64, 3),
            nn.BatchNorm2d(32),
            nn.ReLU(),
        )
    """,
    good="""
        from torch import nn

        net = nn.Sequential(
            nn.Conv2d(3, 64, 3),
            nn.BatchNorm2d(64),
            nn.ReLU(),
        )
    """,
    remedy="make the layer for the size that reaches it",
    proof="""
        net(torch.randn(2, 3, 8, 8))
    """,
    severity=Severity.ERROR,
)

CLASH = re.compile(
    r"to have \d+ channels, but got|running_mean should contain|shapes cannot be multiplied"
    r"|Expected weight to be|Given normalized_shape|size mismatch|must match"
)
FLATTENING = (
    *("resnet", "resnext", "wide_resnet", "vgg", "alexnet", "densenet"),
    *("mobilenet", "efficientnet", "regnet", "shufflenet", "mnasnet", "convnext"),
)
"""Makers of torchvision's models whose forward flattens or averages before the last layer."""

KEEPING = frozenset(
    {"relu", "relu6", "leaky_relu", "leakyrelu", "gelu", "silu", "elu", "selu", "mish", "tanh",
     "sigmoid", "softplus", "hardswish", "dropout", "identity", "layernorm", "layer_norm", "softmax"}
)  # fmt: skip
"""What leaves the last axis as long as it is."""
TAKING = frozenset(f"torch.nn.{name}" for name in ("Linear", "LSTM", "GRU", "RNN"))
RECURRENT = frozenset(f"torch.nn.{name}.forward" for name in ("LSTM", "GRU", "RNN"))
GIVING = RECURRENT | {"torch.nn.Linear.forward", "torch.nn.Embedding.forward"}
DEEPEST = 8
RANKS = re.compile(r"\b\d-?D\b")
"""Messages about how many axes something has."""
OTHER_RANK = "input to conv1d, but got input of size"
REPEATED_BATCH = re.compile(r"\(B\).*\(B \* B\)|\(B \* B\).*\(B\)")
"""`pos.repeat(batch, 1, 1)` of an input that was taken for a batch itself."""
UNSET = re.compile(r"negative dimension -1: ")


@rule.event(*(f"torch.nn.Conv{axes}d" for axes in (1, 2, 3)))
def in_padding(event: Called, source: Source) -> Iterator[Hit]:
    """`Conv2d(3, 6, kernel, padding=kernel // 2)`, where the kernel is even."""
    given = name_arguments(event)
    kernel = given.get("kernel_size")
    size = kernel.value if isinstance(kernel, Constant) else None
    usual = all(given.get(name) == Constant(1) for name in ("stride", "dilation"))
    if type(size) is not int or size % 2 or not usual:
        return
    if half := half_of(given.get("padding"), kernel, source):
        change = "longer" if half == "k" else "shorter"
        message = f"an even kernel of {size} with half of it as padding: the output is one {change}"
        yield Hit(event, message, severity=Severity.NOTE, remedy='pass padding="same"')


@rule.event("torch.nn.Sequential")
def in_children(event: Called, source: Source) -> Iterator[Hit]:
    """`Sequential(*model.children())`, where the model's forward does more than run them."""
    made = list_children_given(event, source)
    if made is None or loses_head(made.text, event, source):
        return
    lost = work_between(made.held, source)
    if lost:
        said = f"runs the children of {made.text} one after the other, and {lost}"
        yield Hit(
            event, said, remedy="write a forward of your own that calls them as the model does"
        )


@rule.event(IdleRow)
def in_row(event: IdleRow, source: Source) -> Iterator[Hit]:
    """A Sequential that nothing of the file runs; one of a model may hold what that runs by itself."""
    of_model = any(name.endswith(".__init__") for name in event.way.names)
    for each in event.happened:
        if isinstance(each, Refused) and each.founded and not of_model:
            short = each.name.rpartition(".")[2]
            place = each if each.made is None else source.evaluation.place(each.made)
            message = f"{short} raises when this is run: {show_message(each)}"
            yield Hit(place, message, severity=None if each.way.certain else Severity.NOTE)


@rule.event(Refused)
def in_model(event: Refused, source: Source) -> Iterator[Hit]:
    """What raises for the shapes that a model computes: an error where that is so on every way through it."""
    spot = event.made or event.spot
    certain = event.way.certain
    if is_unset(event) or REPEATED_BATCH.search(event.message):
        return  # a setting that nobody has made yet, or an input of one row that stands for all samples
    told = not certain and spot.path == source.path and spot.row in source.evaluation.rows.refused
    if told or not (event.founded or follows_linear(event, source)):
        return
    if not source.evaluation.rows.is_first(event):
        return
    if find_unfit_operands(event) is not None or is_meant(event, source):
        return  # another rule tells of it, or the author does
    short = event.name.rpartition(".")[2]
    unsure = Severity.NOTE if event.way.forward else Severity.WARNING
    severity, where = (None, "") if certain else (unsure, ", if this is reached")
    if event.by_defaults:
        if is_handed_over(event.way.root.rpartition(":")[2], source):
            return
        severity, where = Severity.NOTE, ", if it is built with its defaults"
    # what follows an error in a pass of a model is met once that is mended
    again = f"pass of {event.way.root}" if certain and event.way.forward else ""
    if event.made is not None and event.made.path in (source.path, event.spot.path):
        caller = event.way.names[-1] if event.way.names else "the script"
        message = f"{short} raises in {caller}{where}: {show_message(event)}"
        place, remedy = source.evaluation.place(event.made), find_remedy(event, rule.remedy)
        yield Hit(place, message, severity=severity, remedy=remedy, cause=again)
    else:
        said = f"{short} raises{where}: {show_message(event)}"
        cause = again or (said if certain else f"{short}{where}")
        yield Hit(event, said, severity=severity, remedy=find_remedy(event), cause=cause)


def is_meant(event: Refused, source: Source) -> bool:
    """Whether a comment says that it raises: `a @ b  # this will error`, or what is kept of a cell's last run."""
    if event.spot.path != source.path:
        return False
    rows = ["", *re.split(r"\r\n|\r|\n", source.text)]
    above, own = rows[event.spot.row - 1 : event.spot.row + 1]
    said = own.partition("#")[2] + (above if above.lstrip().startswith("#") else "")
    cell = next(filter(ABOVE_CELL.match, reversed(rows[: event.spot.row])), "")
    return bool(SAYS_SO.search(said) or SAYS_SO.search(cell))


ABOVE_CELL = re.compile(r"# -{2,} cell \d+")
SAYS_SO = re.compile(r"\b(will|should|would) (\w+ )?(error|raise|fail)|won't work", re.I)


def is_unset(event: Refused) -> bool:
    """Whether a size or the only end of a row of numbers is -1, and does not stand there as `-1`."""
    row = event.name == "torch.arange" and event.operands[:1] == (Constant(-1),)
    if not row and not UNSET.search(event.message):
        return False
    return not any(isinstance(each, ast.USub) for each in ast.walk(event.node))


def is_handed_over(name: str, source: Source) -> bool:
    """`build_model(Net, **settings)`: whether a function is given the class, and so how to build it."""
    arguments = (source.parent(each) for each in source.mentions_of(name))
    calls = (source.parent(each) for each in arguments if isinstance(each, cst.Arg))
    asking = ("isinstance", "issubclass", "super")
    return any(isinstance(e, cst.Call) and source.name(e.func) not in asking for e in calls)


def find_remedy(event: Refused, plain: str = "give it a tensor of the shape it takes") -> str:
    """What to write instead, by what torch says; `plain` where that is of sizes alone."""
    if "reduction" in event.message:
        return "pass 'mean', 'sum' or 'none'"
    if "given a tuple" in event.message:
        return "take its first item: output, state = self.rnn(x)"
    if "only one of size or scale_factor" in event.message:
        return "name what is meant: size=(h, w), mode='nearest'; the third argument is scale_factor"
    if " must be divisible by " in event.message:
        return "give numbers of which the one divides the other"
    if "-dimensional weight" in event.message:
        return "give kernel_size one number for each axis"
    given = event.operands[0] if event.operands else None
    if OTHER_RANK in event.message and isinstance(given, Tensor) and given.shape is not None:
        return f"make it a Conv{len(given.shape) - 2}d, or give it a tensor of the shape it takes"
    known = write_layer(event.message) if event.made is not None else ""
    return known or write_operands(event.message, event.operands) or plain


def follows_linear(event: Refused, source: Source) -> bool:
    """Whether a Linear or recurrent layer gets what a Linear or Embedding gives, with nothing but activations between.

    That is wrong whatever the rank is, unless it is the rank that does not fit.
    """
    if event.name not in TAKING or not event.operands or RANKS.search(event.message):
        return False
    value: Value | None = event.operands[0]
    for _ in range(DEEPEST):
        made = source.evaluation.ways.find_maker(value)
        if isinstance(made, Indexed) and takes_steps(made):
            made = source.evaluation.ways.find_maker(made.held)
            return isinstance(made, Called) and made.name in RECURRENT
        if not isinstance(made, Called) or not made.positional:
            return False
        if made.name in GIVING:
            return True
        if name_operation(made) not in KEEPING:
            return False
        value = find_operand(made)
    return False


def takes_steps(event: Indexed) -> bool:
    """Whether it is `out[:, -1]`, or an item of what a recurrent layer gives: features stay as they are."""
    parts = event.index.items if isinstance(event.index, Items) else (event.index,)
    return len(parts or ()) < 3 and (parts or (NONE,))[-1] in (
        Constant(0),
        Constant(-1),
        Constant(1),
    )


def show_message(event: Refused) -> str:
    """What torch says, with `?` for sizes of which nothing is known."""
    return re.sub(r"\?\((s\d+|long[0-9a-f]+)\)", "?", event.message)


@rule.trace(Raised)
def in_failure(event: Raised, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: a model may have been fed wrongly."""
    if event.built is not None and not event.sizes and CLASH.search(event.text):
        yield Hit(event.built, f"{event.layer} raised", confirms=True, detail=event.text)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Hit | Refuted]:
    """Layers that ran; one that made its input longer or shorter is told of for that.

    Of one that raised as the project builds the model, a run with other arguments proves nothing.
    """
    for failed in trace.record.raised:
        yield from in_failure(failed, trace)
    if not all(map(is_whole_run, trace.runs)):
        return
    ran = [call for call in trace.list_calls() if call.outputs and call.built is not None]
    spared = {event.built for event in ran if is_uneven(event)}
    spared |= {event.built for event in trace.record.raised}
    for built, event in {event.built: event for event in ran}.items():
        if built is None or built in spared or not event.layer_class.startswith("torch.nn."):
            continue
        if "children()" not in source_line(built):
            yield Refuted(built, f"{event.layer} ran on {write_shapes(event.inputs[:1])}")


def is_uneven(event: OperatorCall) -> bool:
    """Whether a convolution with an even kernel ran with padding."""
    weight, padding = event.inputs[1:2], event.args.get("padding")
    return (
        ".conv" in event.name and bool(padding) and any(n % 2 == 0 for w in weight for n in w[2:])
    )


def half_of(padding: Value | None, kernel: Value | None, source: Source) -> str:
    """Whether a padding is worked out as `k // 2` ("k") or `(k - 1) // 2` ("k - 1") of a kernel's size."""
    ways = source.evaluation.ways
    made = ways.find_maker(padding)
    if isinstance(made, Called) and made.name == "int" and made.positional:
        made = ways.find_maker(made.positional[0])
    halved = isinstance(made, Combined) and made.operator in ("FloorDiv", "Div")
    if not isinstance(made, Combined) or not halved or made.right != Constant(2):
        return ""
    less = ways.find_maker(made.left)
    if isinstance(less, Combined) and less.operator == "Sub" and less.right == Constant(1):
        return "k - 1" if less.left == kernel else ""
    return "k" if made.left == kernel else ""


@dataclass(frozen=True)
class Children:
    """The model whose children a Sequential is made of, and how it is written."""

    held: Value
    text: str


def list_children_given(event: Called, source: Source) -> Children | None:
    """The model of `Sequential(*model.children())`, by way of `list` or a name, all of them."""
    node = event.node
    first = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    if not isinstance(first, ast.Starred):
        return None
    asked = first.value
    if isinstance(asked, ast.Call) and isinstance(asked.func, ast.Name) and asked.args:
        asked = asked.args[0] if asked.func.id in ("list", "tuple") else asked
    asking = [
        each
        for reached in source.evaluation.reached
        for each in reached.events
        if isinstance(each, Called) and each.name == "torch.nn.Module.children"
    ]
    written = [each for each in asking if each.node is asked]
    for each in written or [e for e in asking if not event.open and is_same(event, e.result)]:
        called = each.node.func if isinstance(each.node, ast.Call) else None
        if isinstance(called, ast.Attribute) and each.positional:
            return Children(each.positional[0], ast.unparse(called.value))
    return None


def loses_head(model: str, event: Called, source: Source) -> bool:
    """Whether the function takes away the last layer of a model: `del net.fc`, `net.fc = nn.Identity()`."""
    function = source.evaluation.find_function(event)
    written = source.text if function is None else ast.unparse(function)
    text = re.escape(model)
    gone = rf"\bdel {text}\.\w+|(?<![\w.]){text}\.\w+ *= *[\w.]*(Identity|Sequential)\(\)"
    return re.search(gone, written) is not None


def is_same(event: Called, children: Value) -> bool:
    """Whether a call is given all the children of a model."""
    items = children.items if isinstance(children, Items) else None
    return bool(items) and event.positional == items


def work_between(model: Value, source: Source) -> str:
    """What the forward of a model does that its children do not; "" where that is not known."""
    kind = model.of if isinstance(model, Held) else None
    if isinstance(kind, External) and kind.path.startswith("torchvision.models."):
        flattens = kind.path.rpartition(".")[2].startswith(FLATTENING)
        said = "not what its forward does between them: this raises at the last layer"
        return said if flattens else ""
    if not isinstance(kind, Class):
        return ""
    forward = f"{kind.name}.forward"
    for reached in source.evaluation.reached:
        for each in reached.events:
            inside = isinstance(each, Called) and each.way.names[-1:] == (forward,)
            if inside and isinstance(each, Called) and is_work(each):
                written = each.node.func if isinstance(each.node, ast.Call) else each.node
                return f"leaves out {ast.unparse(written)}(...), which its forward calls"
    return ""


def is_work(event: Called) -> bool:
    """Whether a function works on tensors: none that makes, runs or asks a layer."""
    whole = event.name.startswith("torch.") and event.built is None
    return whole and not event.name.endswith(".forward") and isinstance(event.result, Tensor)
