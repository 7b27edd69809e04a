"""LT520: a sample that the default collate function cannot put into a batch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import NONE, Class, Constant, Held, Value
from lintorch.facts.training.loaders import LOADER
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT520",
    summary="a sample that cannot be put into a batch",
    why="""
        Without a collate_fn a DataLoader stacks tensors, arrays and numbers, and goes into tuples and
        dictionaries. It raises TypeError at None and at images of PIL, as torchvision's datasets
        give where they have no transform, and RuntimeError at tensors of different lengths, such as the
        numbers of the words of a text. Said only of a `__getitem__` that surely gives
        such a thing. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Texts(Dataset):
            def __init__(self, texts, numbers):
                self.texts, self.numbers = texts, numbers

            def __len__(self):
                return len(self.texts)

            def __getitem__(self, index):
                words = self.texts[index].split()
                return torch.tensor([self.numbers[word] for word in words])


        def load(texts, numbers):
            return DataLoader(Texts(texts, numbers), batch_size=2)
    """,
    good="""
        import torch
        from torch.nn.utils.rnn import pad_sequence
        from torch.utils.data import DataLoader, Dataset


        class Texts(Dataset):
            def __init__(self, texts, numbers):
                self.texts, self.numbers = texts, numbers

            def __len__(self):
                return len(self.texts)

            def __getitem__(self, index):
                words = self.texts[index].split()
                return torch.tensor([self.numbers[word] for word in words])


        def load(texts, numbers):
            return DataLoader(Texts(texts, numbers), batch_size=2, collate_fn=pad_sequence)
    """,
    proof="""
        list(load(["a b", "a b b"], {"a": 0, "b": 1}))
    """,
    severity=Severity.ERROR,
    remedy="give the loader a collate_fn that pads or leaves out, or make all samples alike in __getitem__",
)

VISION = "torchvision.datasets."
UNLIKE = frozenset({"FakeData", "ImageFolder", "DatasetFolder", "MNIST", "FashionMNIST", "KMNIST",
    "EMNIST", "QMNIST", "CIFAR10", "CIFAR100", "SVHN", "STL10", "Food101", "Flowers102", "CelebA",
    "OxfordIIITPet", "ImageNet", "VOCSegmentation", "VOCDetection", "Cityscapes", "USPS"})  # fmt: skip
"""Datasets of torchvision that give images of PIL."""
NUMBERING = frozenset({"tensor", "as_tensor", "LongTensor", "FloatTensor", "Tensor", "array", "asarray"})  # fmt: skip
CUTTING = frozenset({"split", "tokenize", "word_tokenize", "splitlines"})
"""Functions that make of a text as many parts as it has."""
OF_IMAGES = frozenset({"convert", "resize", "crop", "rotate", "transpose"})


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    given = name_arguments(event)
    if event.open or any(
        given[name] not in (None, NONE) for name in ("collate_fn", "batch_sampler")
    ):
        return
    dataset, size = given["dataset"], given["batch_size"]
    if size == NONE or dataset is None:
        return
    if isinstance(dataset, Held) and isinstance(dataset.of, Class):
        what = next(list_odd(dataset.of), "")
        what = what if not is_alone(what, size) else ""
        if what:
            yield Hit(event, f"{dataset.of.name} gives {what}, which cannot be put into a batch")
        return
    name = name_untransformed(dataset, source)
    if name and not is_set_later(source):
        message = (
            f"{name} without a transform gives images of PIL, which cannot be put into a batch"
        )
        yield Hit(event, message, remedy="pass transform=transforms.ToTensor()")


def is_alone(what: str, size: Value | None) -> bool:
    """Whether samples of different lengths stand in batches of one."""
    return what == RAGGED and size in (None, Constant(1))


def name_untransformed(dataset: Value, source: Source) -> str:
    """The dataset of torchvision that a value is, if nothing makes tensors of its images."""
    made = source.evaluation.ways.find_maker(dataset)
    if not isinstance(made, Called) or not made.name.startswith(VISION) or made.open:
        return ""
    short = made.name.rpartition(".")[2]
    words = made.keyword.keys() & {"transform", "transforms", "loader"}
    bare = short in UNLIKE and not words and len(made.positional) <= 1
    stars = isinstance(made.node, ast.Call) and any(each.arg is None for each in made.node.keywords)
    return short if bare and not stars else ""


def is_set_later(source: Source) -> bool:
    """`dataset.transform = …`, `loader.dataset.transforms = …`, `setattr(dataset, "transform", …)`."""
    for each in source.nodes(cst.AssignTarget):
        target = each.target
        own = isinstance(target, cst.Attribute) and source.code(target.value) == "self"
        if isinstance(target, cst.Attribute) and not own and target.attr.value in SET:
            return True
    return any(
        isinstance(each.func, cst.Name) and each.func.value == "setattr"
        for each in source.nodes(cst.Call)
    )


SET = ("transform", "transforms", "loader")
RAGGED = "tensors of different lengths"


def find_method(kind: Class, name: str) -> ast.FunctionDef | None:
    """A method of a class, or of one of the project that it derives from."""
    for each in kind.ancestors:
        for node in each.node.body if isinstance(each, Class) else ():
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
    return None


def may_be_none(value: ast.expr, method: ast.FunctionDef, kind: Class) -> bool:
    """Whether it is what another method gives, which is None in some cases that nobody asks for."""
    given = find_given(value, method)
    match given:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            other = find_method(kind, name)
        case _:
            return False
    asked = isinstance(value, ast.Name) and any(
        isinstance(each, (ast.If, ast.IfExp, ast.While, ast.Assert))
        and any(isinstance(n, ast.Name) and n.id == value.id for n in ast.walk(each.test))
        for each in walk_own(method)
    )
    if other is None or asked or other.decorator_list:
        return False
    returns = [each for each in walk_own(other) if isinstance(each, ast.Return)]
    nothing = [each for each in returns if each.value is None or is_none(each.value)]
    return 0 < len(nothing) < len(returns)


def list_odd(kind: Class) -> Iterator[str]:
    """What `__getitem__` gives that cannot be put into a batch."""
    method = find_method(kind, "__getitem__")
    if method is None or len(method.args.args) != 2:
        return
    returns = [each for each in walk_own(method) if isinstance(each, ast.Return)]
    for each in returns:
        nothing = each.value is None or is_none(each.value)
        if nothing and len(returns) > 1 and not is_by_setting(each, method):
            yield "None for some samples"
        for part in list_parts(each.value):
            if is_none(part):
                yield "None in its samples"
            elif may_be_none(part, method, kind):
                yield "None for some samples"
            elif is_ragged(part, method):
                yield RAGGED
            elif is_image(part, method) and not is_kept_for_none(method, kind):
                yield "images of PIL"


def is_kept_for_none(method: ast.FunctionDef, kind: Class) -> bool:
    """Whether an image goes out as it is where `self.transform` is None, and that is something else by default."""
    began = find_method(kind, "__init__")
    tests = (ast.unparse(each.test) for each in walk_own(method) if isinstance(each, ast.If))
    if began is None or not any(map(ASKS_TRANSFORM.fullmatch, tests)):
        return False
    given = began.args.args[len(began.args.args) - len(began.args.defaults) :]
    pairs = zip(given, began.args.defaults, strict=True)
    return any("transform" in each.arg and not is_none(default) for each, default in pairs)


ASKS_TRANSFORM = re.compile(r"self\.\w*transforms?( is not None)?")


def is_by_setting(line: ast.Return, method: ast.FunctionDef) -> bool:
    """Whether an attribute of the dataset alone decides that: `if self.paired: … else: return None`."""
    around = (each for each in walk_own(method) if isinstance(each, ast.If))
    tests = [[*ast.walk(each.test)] for each in around if line in ast.walk(each)]
    return any(
        {n.id for n in asked if isinstance(n, ast.Name)} == {"self"}
        and not any(isinstance(n, (ast.Call, ast.Subscript)) for n in asked)
        for asked in tests
    )


def walk_own(method: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, and in none within it."""
    for each in ast.iter_child_nodes(method):
        if not isinstance(each, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield each
            yield from walk_own(each)


def list_parts(value: ast.expr | None) -> Iterator[ast.expr]:
    """The parts of a sample: of a tuple, and the values of a dictionary."""
    if isinstance(value, (ast.Tuple, ast.Dict)):
        for each in value.elts if isinstance(value, ast.Tuple) else value.values:
            yield from list_parts(each)
    elif value is not None and not is_none(value):
        yield value
    if isinstance(value, (ast.Tuple, ast.Dict)):
        within = value.elts if isinstance(value, ast.Tuple) else value.values
        yield from (each for each in within if is_none(each))


def is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def find_given(value: ast.expr, method: ast.FunctionDef) -> ast.expr | None:
    """An expression, or what its name is given in one place alone."""
    if not isinstance(value, ast.Name):
        return value
    stores = [
        each
        for each in walk_own(method)
        if isinstance(each, ast.Name) and each.id == value.id and isinstance(each.ctx, ast.Store)
    ]
    given = [
        each.value
        for each in walk_own(method)
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and each.targets[0] in stores
    ]
    return given[0] if len(stores) == len(given) == 1 else None


def is_ragged(value: ast.expr, method: ast.FunctionDef) -> bool:
    """`torch.tensor([number[word] for word in text.split()])`."""
    made = find_given(value, method)
    if not isinstance(made, ast.Call) or name_last(made.func) not in NUMBERING or not made.args:
        return False
    listed = find_given(made.args[0], method)
    if not isinstance(listed, ast.ListComp) or len(listed.generators) != 1:
        return False
    over = find_given(listed.generators[0].iter, method)
    return isinstance(over, ast.Call) and name_last(over.func) in CUTTING and len(over.args) < 2


def is_image(value: ast.expr, method: ast.FunctionDef) -> bool:
    """`Image.open(path).convert("RGB")`."""
    made = find_given(value, method)
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
        if made.func.attr in ("open", "fromarray"):
            return isinstance(made.func.value, ast.Name) and made.func.value.id == "Image"
        if made.func.attr not in OF_IMAGES:
            return False
        made = find_given(made.func.value, method)
    return False


def name_last(function: ast.expr) -> str:
    """`split` of `text.split`."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
