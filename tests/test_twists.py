"""A small slice of `benchmarks/fuzz_fixes.py`: fixes of rules' examples in other layouts."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

CHECKOUT = Path(__file__).parent.parent
sys.path.append(str(CHECKOUT / "benchmarks"))

import fuzz_fixes  # noqa: E402
from mending.taken_names import list_missing  # noqa: E402
from rewriting.asking import read_profile  # noqa: E402
from twisting.all_twists import LAYOUTS, TWISTS  # noqa: E402
from twisting.bindings import count_bindings, list_late, list_unbound  # noqa: E402
from twisting.mending import EVERY, mend  # noqa: E402

from lintorch.catalog import build_catalog  # noqa: E402

RULES = sorted(rule.code for rule in build_catalog().rules.values() if rule.bad and rule.fix)
TEXT = """import torch

class Net(torch.nn.Module):
    def forward(self, x, y=1):
        z = torch.add(x, y)
        return z
"""


@settings(deadline=None, max_examples=12)
@given(st.sampled_from(RULES), st.sampled_from(sorted(TWISTS)))
def test_no_layout_makes_a_fix_do_damage(code: str, twist: str) -> None:
    judged = fuzz_fixes.judge_case(fuzz_fixes.Case(code, "", twist))
    assume(judged.texts)
    assert judged.wrong == []


@pytest.mark.parametrize("twist", LAYOUTS)
def test_a_layout_leaves_the_program_as_it_is(twist: str) -> None:
    made = TWISTS[twist](TEXT)
    assert made not in (TEXT, TEXT.encode()) or twist == "form-feeds"
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(TEXT))


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (
            "a = 1; loss.backward(); opt.step()",
            "a = 1; opt.zero_grad(); loss.backward(); opt.step()",
        ),
        ("loss.backward(); opt.step()", "opt.zero_grad()\n        loss.backward(); opt.step()"),
    ],
)
def test_a_statement_is_put_ahead_of_the_one_that_is_meant(line: str, mended: str) -> None:
    head = "import torch\n\n\ndef train(net, opt, batches):\n    for x in batches:\n"
    head += "        loss = net(x).sum()\n        "
    done = mend((head + line + "\n").encode(), EVERY, read_profile(()))
    assert done.text == head + mended + "\n"


def test_names_that_a_fix_lost_or_doubled_are_noticed() -> None:
    assert list_unbound("import a\nprint(a, b)\n") == {"b"}
    assert list_late("print(a)\nimport a\n") == {"a"}
    assert max(count_bindings("import a\nimport a\n").values()) == 2
    files = {
        "own.py": b"from torch.amp import autocast\n",
        "other.py": b"from .own import autocast\n",
    }
    after = {**files, "own.py": b"import torch\n"}
    assert list(list_missing(files, after)) == [("own.py", "autocast (taken by other.py)")]
    assert list(list_missing(files, files)) == []
