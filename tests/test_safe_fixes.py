"""What a fix must not do to code as people write it: break another file, a guard or a comment."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Applicability, Edit, Evidence, Finding
from lintorch.fix.fix_rounds import settle
from lintorch.fix.lost_comments import strands_comment
from lintorch.run import CheckRequest, check_and_fix
from lintorch.source import Source

EVERY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
AMP = """import torch
from torch.cuda.amp import autocast


def run(model, x):
    with autocast(enabled=True):
        return model(x)
"""
RULES = index_detectors(catalog.build_catalog().rules.values(), Evidence.SOURCE)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mended(text: str) -> str:
    """A text with every fix in it, as one that stands alone."""

    def check(now: str) -> list[Finding]:
        found = lint_subject(Source("model.py", now), RULES)
        return [finding for finding in found if not finding.confirms]

    return settle(text, check, EVERY).text


ADVISED = {"extend_select": ("advice",)}
"""With notes, which many fixes are of."""


def mend_files(folder: Path) -> None:
    request = CheckRequest((str(folder),), fix=True, unsafe_fixes=True, no_cache=True)
    done = check_and_fix(replace(request, settings=ADVISED))
    assert done.errors == ()


# what other files take


@pytest.mark.parametrize(
    "other",
    [
        "from pack.own import autocast\n",
        "from .own import autocast as cast\n",
        "from .own import *\n\nautocast()\n",
        "import pack.own\n\npack.own.autocast()\n",
        "from . import own as o\n\no.autocast()\n",
        "import pack.own as o\n\nNAME = getattr(o, 'autocast')\n",
        "def test(mocker):\n    mocker.patch('pack.own.autocast')\n",
    ],
)
def test_a_name_that_another_file_takes_keeps_its_meaning(project: Path, other: str) -> None:
    own, pack = project / "pack" / "own.py", project / "pack"
    pack.mkdir()
    own.write_text(AMP)
    (pack / "__init__.py").write_text("")
    (pack / "other.py").write_text(other)
    done = check_and_fix(CheckRequest((".",), settings=ADVISED, no_cache=True))
    fixes = [f.fix for f in done.result.findings if f.place.path.endswith("own.py") and f.fix]
    assert {fix.applicability for fix in fixes} == {Applicability.DISPLAY}
    mend_files(project)
    assert own.read_text() == AMP
    (pack / "other.py").write_text("from other.thing import autocast\n\nown = autocast()\n")
    mend_files(project)
    assert "from torch.amp import autocast" in own.read_text()


def test_an_import_that_a_fix_left_idle_stays_where_another_file_takes_it(project: Path) -> None:
    text = AMP.replace("import autocast", "import autocast, GradScaler as Scaler")
    text = text.replace("import torch\n", "import torch\nimport torch.cuda.amp as amp\n")
    text = text.replace("autocast(enabled", "amp.autocast(enabled")
    (project / "own.py").write_text(text)
    (project / "other.py").write_text("from own import amp\n")
    mend_files(project)
    after = (project / "own.py").read_text()
    assert "import torch.cuda.amp as amp\n" in after
    assert "with torch.amp.autocast(" in after
    (project / "other.py").unlink()
    (project / "own.py").write_text(text)
    mend_files(project)
    assert "as amp" not in (project / "own.py").read_text()


def test_a_text_from_standard_input_is_no_file_of_the_project(project: Path) -> None:
    (project / "other.py").write_text("from own import autocast\n")
    request = CheckRequest(("own.py",), settings=ADVISED, fix=True, unsafe_fixes=True, text=AMP)
    done = check_and_fix(request)
    assert done.rewritten == ()
    (project / "other.py").unlink()
    (after,) = check_and_fix(request).rewritten
    assert "torch.amp" in after.after


def test_a_name_that_is_offered_keeps_its_meaning(project: Path) -> None:
    offered = AMP + '\n\n__all__ = ["autocast"]\n'
    (project / "own.py").write_text(offered)
    mend_files(project)
    assert (project / "own.py").read_text() == offered


def test_the_names_of_a_package_belong_to_whoever_imports_it(project: Path) -> None:
    (project / "__init__.py").write_text(AMP)
    mend_files(project)
    assert (project / "__init__.py").read_text() == AMP


# names that are there when the line runs


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\nR = torch.cholesky(torch.eye(2))\n\nimport torch.linalg as la\n",
        "import torch\n\nif not torch:\n    import torch.linalg as la\nR = torch.cholesky(torch.eye(2))\n",
        "import torch\n\ntry:\n    R = torch.cholesky(torch.eye(2))\nfinally:\n    import torch.linalg as la\n",
        "import torch\n\n\ndef f():\n    import torch.linalg as la\n\n\nR = torch.cholesky(torch.eye(2))\n",
        "import torch\n\nfor la in ():\n    import torch.linalg as la\nR = torch.cholesky(torch.eye(2))\n",
        "import torch\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import torch.linalg as la\n"
        "R = torch.cholesky(torch.eye(2))\n",
    ],
)  # fmt: skip
def test_a_fix_names_nothing_that_is_not_imported_yet(text: str) -> None:
    after = mended(text)
    assert "torch.linalg.cholesky(" in after
    names: dict[str, object] = {}
    exec(after, names)
    assert names["R"] is not None


def test_an_alias_that_is_there_is_used() -> None:
    text = "import torch\nimport torch.linalg as la\n\nR = torch.cholesky(torch.eye(2))\n"
    assert "R = la.cholesky(" in mended(text)


# code that asks which release runs it

GUARDED = [
    """if torch.__version__ < "1.9":
    {}
""",
    """old = torch.meshgrid.__kwdefaults__ is None
if old:
    {}
""",
    """try:
    {}
except TypeError:
    pass
""",
    """if hasattr(torch, "compile"):
    pass
else:
    {}
""",
    """def grid():
    if torch.meshgrid.__kwdefaults__ is not None:
        return None
    {}
""",
]
LINES = [
    "grid = torch.meshgrid(a, a)",
    'torch.onnx.export(m, (a,), "m.onnx", dynamo=True, do_constant_folding=True)',
    "s = torch.optim.lr_scheduler.StepLR(o, 1, verbose=True)",
    "loss = torch.nn.MSELoss(size_average=False)",
    "scaler = torch.cuda.amp.GradScaler()",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("guard", GUARDED)
def test_what_runs_under_some_releases_only_is_left_as_it_is(guard: str, line: str) -> None:
    head = "import torch\n\n\n"
    assert mended(head + line + "\n") != head + line + "\n", "there is nothing to mend"
    assert mended(head + guard.format(line)) == head + guard.format(line)


# comments


def comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(t.string for t in tokens if t.type == tokenize.COMMENT)


CLIP = """import torch

scaler = torch.amp.GradScaler("cuda")
for x in loader:
    optimizer.zero_grad()
    scaler.scale(model(x)).backward()
    # bound the step
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # by one
    # back to true size
    scaler.unscale_(optimizer)  # once
    scaler.step(optimizer)
    scaler.update()
"""


def test_lines_that_change_places_take_their_comments_along() -> None:
    head, tail = CLIP.split("    # bound the step\n")[0], "    scaler.step(optimizer)\n"
    assert mended(CLIP) == (
        head
        + "    # back to true size\n    scaler.unscale_(optimizer)  # once\n"
        + "    # bound the step\n"
        + "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # by one\n"
        + tail
        + CLIP.split(tail)[1]
    )


def test_a_line_that_is_added_stands_above_the_comments_of_the_next() -> None:
    missing = CLIP.replace("    # back to true size\n    scaler.unscale_(optimizer)  # once\n", "")
    assert "    scaler.unscale_(optimizer)\n    # bound the step\n" in mended(missing)


ARGUMENTS = """import torch

loader = torch.utils.data.DataLoader(
    data,  # all of it
    # none is needed
    persistent_workers=True,{}
    batch_size=4,  # small
)
"""


def test_an_argument_that_a_comment_speaks_of_stays() -> None:
    for said in ("  # kept", ""):
        assert mended(ARGUMENTS.format(said)) == ARGUMENTS.format(said)


SAMPLED = """import argparse

from torch.utils.data import DataLoader, RandomSampler

parser = argparse.ArgumentParser()
parser.add_argument("--plain", action="store_true")
if not parser.parse_args().plain:
    sampler = RandomSampler(data)
else:
    sampler = None
loader = DataLoader(data, shuffle=True, sampler=sampler)
"""


def test_a_loader_still_shuffles_where_its_sampler_is_none() -> None:
    assert "shuffle=sampler is None, sampler=sampler" in mended(SAMPLED)


KEPT = """import argparse

import torch


def save(model, path):
    args = argparse.ArgumentParser().parse_args()
    torch.save({"settings": args, "model": model.state_dict()}, path)
"""


def test_arguments_stay_a_namespace_where_the_project_asks_them_for_attributes(
    project: Path,
) -> None:
    (project / "train.py").write_text(KEPT)
    reader = project / "translate.py"
    reader.write_text("import torch\n\nwidth = torch.load('a.pt')['settings'].width\n")
    mend_files(project)
    assert (project / "train.py").read_text() == KEPT
    reader.write_text("")
    mend_files(project)
    assert "vars(args)" in (project / "train.py").read_text()


SAVED_WHOLE = """import torch
from torch import nn


def save(path):
    net = nn.Linear(2, 2)
    torch.save(net, path)
"""


def test_a_model_is_saved_whole_where_the_project_loads_it_as_one(project: Path) -> None:
    (project / "train.py").write_text(SAVED_WHOLE)
    reader = project / "sample.py"
    reader.write_text("import torch\n\nnet = torch.load('a.pt')  # newest\nnet.cpu()\n")
    mend_files(project)
    assert (project / "train.py").read_text() == SAVED_WHOLE
    reader.write_text("import torch\n\nnet.load_state_dict(torch.load('a.pt'))\n")
    mend_files(project)
    assert "torch.save(net.state_dict(), path)" in (project / "train.py").read_text()


def test_a_comment_is_stranded_where_its_lines_go() -> None:
    text = "f(\n    a,\n    b,  # of b\n    c,\n)  # of f\n"
    gone = text.index(",\n    b")
    assert strands_comment(text, [Edit(gone, gone + len(",\n    b"), "")])
    assert not strands_comment(text, [Edit(gone, gone + len(",\n    b"), ", d")])
    assert not strands_comment("f(a, b)  # of f\n", [Edit(3, 6, "")])
    assert strands_comment("f(  # why\n)\n", [Edit(0, 11, "g()")])
    assert not strands_comment("f(  # why\n)\n", [Edit(0, 11, "g()  # why")])
    assert not strands_comment('f("# no")\n', [Edit(0, 9, "g()")])


STATEMENTS = {
    each.bad
    for each in catalog.build_catalog().rules.values()
    if each.fix and not each.example_profile
}


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(STATEMENTS)), st.data())
def test_no_fix_loses_a_comment(bad: str, data: st.DataObject) -> None:
    """The rules' own examples, with comments behind and above their lines."""
    lines = []
    for number, line in enumerate(bad.splitlines()):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() and data.draw(st.booleans()):
            lines.append(f"{indent}# above {number}")
        lines.append(line + (f"  # behind {number}" if data.draw(st.booleans()) else ""))
    text = "\n".join(lines) + "\n"
    try:
        ast.parse(text)
        before = comments(text)
    except (SyntaxError, tokenize.TokenError):
        return
    after = mended(text)
    ast.parse(after)
    assert comments(after) == before
    assert mended(after) == after


# what changes numbers or behaviour is no safe fix

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import init\n\n\n"
INIT = HEAD + "init.kaiming_normal_(w, nonlinearity={!r})\n"
BAD = {code: rule.bad for code, rule in catalog.build_catalog().rules.items()}
"""The examples of the rules."""
DATA = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        x = self.fc(x)
        {}
        return x + y
"""


@pytest.mark.parametrize(
    ("text", "promise"),
    [
        (INIT.format("leaky-relu"), "safe"),
        (INIT.format("ReLU"), "safe"),
        (INIT.format("lrelu"), None),
        (INIT.format("elu"), None),
        (INIT.format("prelu"), None),
        (BAD["LT210"], "safe"),
        (BAD["LT210"] + "\nmodel.register_forward_hook(print)\n", "unsafe"),
        (HEAD + DATA.format("y = torch.exp(x.data)"), "safe"),
        (HEAD + DATA.format("y = x.data.max()"), "safe"),
        (HEAD + DATA.format("y = x.data[0]"), "unsafe"),
        (HEAD + "net = nn.Linear(2, 2)\ntorch.save(net, path)\n", "unsafe"),
        (
            HEAD + "net = nn.Linear(2, 2)\ntorch.save(net, path)\nagain = torch.load(path)\n",
            None,
        ),
        (BAD["LT401"], "unsafe"),
        (HEAD + "fc = nn.utils.weight_norm(nn.Linear(2, 2))\n", "unsafe"),
        (
            HEAD + "fc = nn.utils.weight_norm(nn.Linear(2, 2))\nfc.weight_g.data.fill_(1)\n",
            "display",
        ),
    ],
)
def test_a_fix_promises_no_more_than_it_holds(
    text: str, promise: str | None, tmp_path: Path
) -> None:
    alone = str(tmp_path / "model.py")
    found = [f for f in lint_subject(Source(alone, text), RULES) if f.code in KINDS]
    assert [f.fix and str(f.fix.applicability) for f in found] == [promise]


KINDS = ("LT415", "LT601", "LT210", "LT213", "LT115", "LT401")


def test_a_call_behind_a_question_for_the_release_is_left(project: Path) -> None:
    own = project / "own.py"
    own.write_text(
        "import inspect\n\nimport torch.nn.functional as F\n\n\ndef warp(x, grid):\n"
        "    if 'align_corners' in inspect.getfullargspec(F.grid_sample).args:\n"
        "        return F.grid_sample(x, grid, align_corners=True)\n"
        "    else:\n        return F.grid_sample(x, grid)\n"
    )
    text = own.read_text()
    mend_files(project)
    assert own.read_text() == text
