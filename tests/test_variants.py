"""Rewrites of `benchmarks/variants.py` change a program and leave what it computes as it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

CHECKOUT = Path(__file__).parent.parent
sys.path.append(str(CHECKOUT / "benchmarks"))

import variants  # noqa: E402
from rewriting.all_rewrites import REWRITES  # noqa: E402
from rewriting.argument_forms import list_callees  # noqa: E402
from rewriting.pairs import Judged, Pair, Standing, make_programs  # noqa: E402
from rewriting.program import Parameter, Program  # noqa: E402
from rewriting.proving import Prover  # noqa: E402
from rewriting.tables import print_report  # noqa: E402

from lintorch.catalog import build_catalog  # noqa: E402

ARITHMETIC = '''
"""Numbers."""
import math
import operator
from math import floor as down


class Base:
    def __init__(self):
        self.base = 1


class Scale(Base):
    """Scales."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor * 2
        self.table = [n * n for n in range(4)]
        self.table[1] = 7

    def forward(self, values, offset=1):
        total = 0
        for value in values:
            if math.isnan(value) or value == -1:
                continue
            total += operator.mul(value, self.factor) - down(offset + 0.5)
        for n, each in enumerate(self.table):
            total = total + each if each > n else total
        return self.finish(total)

    def finish(self, total):
        return max(total, self.base), "done"


def collect(batches, scale):
    seen = []
    for first, second in batches:
        seen.append(scale.forward([first, second], offset=2))
    if not seen:
        return None
    return seen, math.fsum(x for x, _ in seen)


limit = math.pow(2, 3)
'''
PROOF = """
result = (limit, collect([(1, 2), (3, -1)], Scale(1.5)), Scale(2).forward([4, float("nan")]))
"""
OPERATORS = """
import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.norm = nn.LayerNorm(torch.zeros(4).size())

    def forward(self, x):
        x = self.norm(x)
        x = self.pool(x).flatten(1)
        y = torch.softmax(x, dim=1)
        y = F.relu(y.permute(0, 2, 1))
        return nn.Linear(2, 3)(y).sum()


def loss(head, x):
    return F.cross_entropy(head(x), x, reduction="sum")
"""
OF_TORCH = {
    "torch.softmax": (Parameter("input"), Parameter("dim"), Parameter("dtype", "None")),
    "torch.nn.AdaptiveAvgPool2d": (Parameter("output_size"),),
    "torch.nn.Linear": (Parameter("in_features"), Parameter("out_features")),
    ".permute": (Parameter("dims"),),
    "torch.zeros": (Parameter("size"), Parameter("dtype", "None", keyword_only=True)),
    "torch.nn.functional.cross_entropy": (
        *(Parameter("input"), Parameter("target"), Parameter("weight", "None")),
        *(Parameter("reduction", "'mean'"), Parameter("smooth", "0.0", keyword_only=True)),
    ),
}
SPELLED = {
    "torch-alias": ["import torch as th", "th.nn.functional.relu(", "class Head(th.nn.Module)"],
    "layers-alias": ["from torch import nn as layers", "ops.relu(", "pt.softmax(x, dim=1)"],
    "full-names": ["import torch.nn.functional\n", "torch.nn.functional.relu("],
    "imported-members": ["from torch.nn import Module", "relu(y.permute", "softmax(x, dim=1)"],
    "star-import": ["from torch.nn import *", "from torch.nn.functional import *", "relu(y.permute"],
    "re-export": ["from common import torch, nn, F"],
    "import-in-function": ["        import torch\n", "    from torch.nn import functional as F\n"],
    "function": ["torch.permute(y, (0, 2, 1))", "torch.flatten(self.pool(x), 1)", "self.norm(x)"],
    "method": ["x.softmax(dim=1)", ".relu()"],
    "unbound-method": ["torch.Tensor.permute(y, 0, 2, 1)"],
    "other-namespace": ["torch.nn.functional.softmax(x, dim=1)", "torch.relu("],
    "module": ["torch.nn.Softmax(dim=1)(x)", 'torch.nn.CrossEntropyLoss(reduction="sum")(head(x), x)'],
    "functional": ["torch.nn.functional.adaptive_avg_pool2d(x, 1).flatten(1)"],
    "keyword": ["permute(dims=(0, 2, 1))", "zeros(size=(4,))", "nn.Linear(in_features=2, out_features=3)(y)"],
    "position": ["torch.softmax(x, 1)", 'F.cross_entropy(head(x), x, None, "sum")'],
    "spread": ['torch.softmax(x, **{"dim": 1})', 'nn.Linear(in_features=2, **{"out_features": 3})'],
    "partial": ["= partial(torch.softmax, dim=1)", "= partial(nn.Linear, 2)"],
    "own-gates": ["# softmax( Linear\n"],
}  # fmt: skip
"""By rewrite: what it makes of `OPERATORS`; a program with torch is read and not run."""
OF_PYTHON = [name for name in REWRITES if name not in SPELLED]


@pytest.fixture(autouse=True)
def _no_modules_are_left_behind() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def run(program: Program, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the proof computes."""
    monkeypatch.setattr(sys, "argv", ["example.py"])
    for name, text in program.others.items():
        monkeypatch.setitem(sys.modules, name, _import(name, text))
    return vars(_import("example", program.text + program.proof))["result"]


def _import(name: str, text: str) -> ModuleType:
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look for it
    exec(compile(text, f"{name}.py", "exec"), vars(module))
    return module


def rewrite(name: str, text: str, signatures: Mapping[str, tuple[Parameter, ...]]) -> Program:
    program = Program(text, proof=PROOF, gates=("softmax(", "Linear"), signatures=signatures)
    made = REWRITES[name](program)
    assert made.text != program.text
    compile(made.text, "example.py", "exec")
    return made


@pytest.mark.parametrize("name", OF_PYTHON)
def test_a_rewrite_computes_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = run(Program(ARITHMETIC, proof=PROOF), monkeypatch)
    assert wanted == (8.0, ([(25.0, "done"), (27.0, "done")], 52.0), (35, "done"))
    assert run(rewrite(name, ARITHMETIC, {}), monkeypatch) == wanted


@pytest.mark.parametrize("name", SPELLED)
def test_a_rewrite_spells_torch_otherwise(name: str) -> None:
    made = rewrite(name, OPERATORS, OF_TORCH)
    for part in SPELLED[name]:
        assert part in made.text


def test_programs_end_as_their_proofs_do(tmp_path: Path) -> None:
    texts = {
        "def half(n):\n    return n / 2\n": "",
        "def half(n):\n    return n // 2\n": "AssertionError",
        "import os\nos._exit(0)\n": "died",
        "while True:\n    pass\n": "died",
        "import warnings\nwarnings.warn('as errors are')\n": "UserWarning",
        "from math import *\nfrom os import *\ndef half(n):\n    return n / 2\n": "",
    }
    prover = Prover(tmp_path, jobs=1, exporters=False)
    try:
        for text, raised in texts.items():
            program = Program(
                text, proof="assert half(floor(3.5)) == 1.5\nopen(floor.__name__, 'w')"
            )
            ending = prover.prove(program, "from math import floor\n", seconds=1)
            assert ending.raised == raised, text
        asked = prover.read_signatures([".permute", "torch.softmax", "torch.nn.Linear", "len"])
    finally:
        prover.close()
    assert [each.name for each in asked["torch.nn.Linear"]][:3] == [
        "in_features",
        "out_features",
        "bias",
    ]
    assert asked["torch.nn.Linear"][2].default == "True"
    assert asked["torch.softmax"][0] == Parameter("input")
    assert asked[".permute"] == (Parameter("dims"),)
    kept = (tmp_path / "answers.jsonl").read_text()
    assert len(kept.splitlines()) == 5  # what died may have been the machine's fault


def test_the_command_counts_what_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("neutral-names", "re-export", "other-words")  # the example imports nothing
    asked = [word for name in names for word in ("--rewrite", name)]
    monkeypatch.setattr(sys, "argv", ["", "--keep", str(tmp_path), "--match", "LT505", *asked])
    variants.main()
    shown = capsys.readouterr().out
    assert "2 pairs, 0 proven, 2 of rules without a proof" in shown
    assert "| data | 1/1 100 % | 1/1 100 % | 2/2 100 % | 0 |" in shown
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--show"])
    variants.main()
    assert "# LT505 neutral-names good\ndef work1(p1, p2, p3, p4):" in capsys.readouterr().out


def test_misses_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    rule = build_catalog().rules["LT505"]
    pairs = [Pair(rule, name, *make_programs(rule)) for name in ("local", "walrus", "match")]
    missed, found, broken = pairs
    judged = [
        Judged(missed, Standing.PROVEN),
        Judged(found, Standing.PROVEN, found=True, false=True),
        Judged(broken, Standing.BROKEN, "good: NameError"),
    ]
    print_report(judged, broken=True)
    shown = capsys.readouterr().out
    assert "3 pairs, 2 proven, 0 of rules" in shown
    assert "| data | 1/2 50 % | 1/2 50 % | 1 |" in shown
    assert "missed:\n  LT505 host-sync-in-loop (1 of 2): local\n" in shown
    assert "good twin:\n  LT505 host-sync-in-loop (1 of 2): walrus\n" in shown
    assert "  LT505 match: good: NameError\n" in shown


def test_callees_are_named_as_signatures_are() -> None:
    assert list_callees(Program(OPERATORS)) >= OF_TORCH.keys()


def test_what_a_proof_uses_stays_reachable() -> None:
    text = REWRITES["neutral-names"](Program(ARITHMETIC, proof=PROOF)).text
    assert "class Net1:" in text
    assert "Scale = Net2" in text
    assert "total" not in text
    assert "limit = " in text
