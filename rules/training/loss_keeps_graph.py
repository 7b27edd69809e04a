"""LT409: a running total of losses that keeps the graph of every step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import UNKNOWN, Constant, Held, Items, Tensor
from lintorch.source import Act, Action, Passage, Source, Training, TrainingRegion

rule = Rule(
    __name__,
    code="LT409",
    summary="a sum of losses keeps their graphs",
    why="""
        A loss that has run backward is still a tensor with a history. `total += loss`, as `mean = 0.9 * mean + 0.1 * loss`, makes the
        total part of a graph that grows by a few nodes at every step and is freed only with the
        total; a list of losses holds them the same way. Memory climbs slowly over an epoch.
        Measured on torch 2.13: the total requires grad. `loss.detach()` has the same value and
        no history; `loss.item()` is a number, and waits for the GPU.

        Only losses on which backward() is called in the same loop are reported, without
        retain_graph: their sum cannot be meant to run backward once more.
    """,
    bad="""
        def train(model, batches, optimizer):
            total = 0.0
            for batch in batches:
                optimizer.zero_grad()
                loss = model(batch).square().mean()
                loss.backward()
                optimizer.step()
                total += loss
            return total
    """,
    good="""
        def train(model, batches, optimizer):
            total = 0.0
            for batch in batches:
                optimizer.zero_grad()
                loss = model(batch).square().mean()
                loss.backward()
                optimizer.step()
                total += loss.detach()
            return total
    """,
    remedy="add loss.item(), or loss.detach()",
    proof="""
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        assert not train(model, [torch.ones(1)] * 2, optimizer).requires_grad
    """,
    severity=Severity.WARNING,
    fix=Applicability.SAFE,
)

_AGAIN = ("retain_graph", "create_graph")


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    for region in training.regions:
        if not _runs_again(region, source) and not _is_of_one_step(region, source):
            for passage in region.passages:
                for action in _list_kept(passage, region, training, source):
                    if not (region.is_loop or str(action.on).startswith("self.")):
                        continue
                    written = ast.unparse(_list_operands(action)[-1])
                    message = f"{action.on} keeps the graph of every {written} it is given"
                    yield Hit(action.at, message, _detach(action, source), cause="kept graphs")


def _runs_again(region: TrainingRegion, source: Source) -> bool:
    """Whether graphs are kept on purpose."""
    backward = region.list_acts(Act.BACKWARD)
    asked = any(name in each.keywords for each in backward for name in _AGAIN)
    return asked or "autograd" in source.evaluation.words


def _is_of_one_step(region: TrainingRegion, source: Source) -> bool:
    """Whether a loop goes over the parts of a step, `for i in range(len(critics))`, within one that goes over data."""
    around = source.evaluation.list_around(region.began) if region.is_loop else ()
    if any(_goes_over_data(each) for each in around if each is not region.node):
        return True
    over = region.node.iter if isinstance(region.node, ast.For) else None
    return over is not None and bool(_PARTS.search(ast.unparse(over)))


def _goes_over_data(node: ast.AST) -> bool:
    match node:
        case ast.For(iter=over):
            return bool(_DATA.search(ast.unparse(over)))
        case ast.While(body=body):
            return any(_TAKES_NEXT.search(ast.unparse(line)) for line in body[:_FIRST])
    return False


_DATA = re.compile(r"loader|batches|dataset", re.IGNORECASE)
_PARTS = re.compile(r"(agents?|critics?|heads?|experts?|discriminators?)\)?$")
"""What a step has several of, each with a loss of its own: `range(self.n_agents)`."""
_TAKES_NEXT = re.compile(r"(\.|= *)next\(")
_FIRST = 8
"""Statements of a loop among which it takes its batch."""


def _list_kept(
    passage: Passage, region: TrainingRegion, training: Training, source: Source
) -> Iterator[Action]:
    """The sums of losses that run backward on this way, each by itself."""
    run = [each.value for each in passage.actions if each.act in (Act.BACKWARD, Act.SCALE)]
    if not any(each.act is Act.BACKWARD for each in passage.actions):
        return
    quiet = 0
    for action in passage.actions:
        if action.on is not None and action.on.key in ("no_grad", "grad?"):
            quiet += {Act.ENTER: 1, Act.LEAVE: -1}.get(action.act, 0)
        if action.act is not Act.SUMMED or quiet or action.at.spot in region.repeated:
            continue
        if action.value is UNKNOWN:  # stands for anything, also for what runs backward
            continue
        if not any(each is action.value for each in run):
            continue
        if str(action.on).startswith("self."):
            if _is_total_of_object(action, source):
                yield action
        elif _is_total(action, region, training):
            yield action


def _is_total_of_object(action: Action, source: Source) -> bool:
    """Whether methods of the class begin it as a number or list, outside of the step, and it stays a total."""
    name, written = str(action.on), ast.unparse(_list_operands(action)[-1])
    step = action.at.way.names[-1] if action.at.way.names else ""
    around = source.evaluation.list_around(action.at)
    owner = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    begun = False
    for function in [] if owner is None else owner.body:
        for each in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
            if isinstance(each, ast.Assign) and (given := _find_given(each, name)) is not None:
                if given is action.at.node:
                    continue
                inside = step.rpartition(".")[2] == getattr(function, "name", "")
                if inside or ast.unparse(given) not in _BEGINNINGS:
                    return False
                begun = True
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
                run = each.func.attr in ("backward", "pop", "popleft", "clear")
                if run and name in map(ast.unparse, ast.walk(each.func.value)):
                    return False
    return begun and name != written


_BEGINNINGS = ("0", "0.0", "[]", "list()")


def _find_given(assigned: ast.Assign, name: str) -> ast.expr | None:
    """What an assignment gives a name; of `self.kept['loss']` also what `self.kept = {'loss': []}` does."""
    targets = [ast.unparse(each) for each in assigned.targets]
    if name in targets:
        return assigned.value
    whole, _, key = name.partition("[")
    if not key or whole not in targets:
        return None
    if isinstance(assigned.value, ast.Dict):
        for word, value in zip(assigned.value.keys, assigned.value.values, strict=True):
            if word is not None and f"{ast.unparse(word)}]" == key:
                return value
    return assigned.value


def _is_total(action: Action, region: TrainingRegion, training: Training) -> bool:
    """Whether the total was there before the loop, starts as a number or list, and stays a total."""
    name, before = str(action.on), action.before
    if ast.unparse(_list_operands(action)[-1]) in _list_targets(region.node):
        return False  # the losses were made before, and summed up to be used
    number = isinstance(before, Constant) and isinstance(before.value, (int, float))
    listed = isinstance(before, (Held, Items)) and before.kind == "list"
    made = isinstance(before, Tensor) and before.origin == "constant"
    if not (number or made or (listed and isinstance(action.at, Called))):
        return False
    if name == ast.unparse(_list_operands(action)[-1]) or _is_reset(name, action, region.node):
        return False
    return not any(
        each.act is Act.BACKWARD
        and each.at.way.names == action.at.way.names
        and name in {word.id for word in ast.walk(each.at.node) if isinstance(word, ast.Name)}
        for each in training.actions
    )


def _list_targets(loop: ast.AST) -> set[str]:
    """The names that a loop gives its items: `loss` of `for loss in losses`."""
    target = loop.target if isinstance(loop, ast.For) else None
    return (
        {n.id for n in ast.walk(target) if isinstance(n, ast.Name)} if target is not None else set()
    )


def _is_reset(name: str, action: Action, loop: ast.AST) -> bool:
    """Whether it begins anew within the loop, or is made shorter; or what is summed up goes elsewhere."""
    plain = isinstance(action.at.node, ast.BinOp)
    for each in ast.walk(loop):
        targets = each.targets if isinstance(each, (ast.Assign, ast.Delete)) else ()
        named = any(ast.unparse(target) in (name, name.partition("[")[0]) for target in targets)
        if isinstance(each, ast.Assign) and each.value is action.at.node:
            plain = plain and not named
        elif named:
            return True
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            held = each.func.value
            cleared = each.func.attr in ("clear", "pop", "popleft")
            if cleared and ast.unparse(held) == name:
                return True
    return plain


def _list_operands(action: Action) -> list[ast.expr]:
    """What is written to be added."""
    node = action.at.node
    if isinstance(node, ast.AugAssign):
        return [_strip(node.value)]
    if isinstance(node, ast.BinOp):
        return [_strip(node.right)]
    return [node.args[0]] if isinstance(node, ast.Call) and node.args else [ast.Name("value")]


def _strip(node: ast.expr) -> ast.expr:
    """`loss` of `loss * n` and of `0.1 * loss`."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        node = node.right if isinstance(node.left, ast.Constant) else node.left
    return node


def _detach(action: Action, source: Source) -> Fix | None:
    """`.detach()` behind the name of the loss, where that is what is written."""
    written = _list_operands(action)[-1]
    if action.at.spot.path != source.path or not isinstance(written, ast.Name):
        return None
    for name in source.mentions_of(written.id):
        place = source.place(name)
        if (place.row, place.column) == (written.lineno, written.col_offset + 1):
            end = source.replace(name, "").end
            return Fix("detach it", (Edit(end, end, ".detach()"),), Applicability.SAFE)
    return None
