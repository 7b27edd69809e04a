"""What models compute is followed over files, and each finding stands in the file it is about."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from running import findings, lintorch

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.training_code import find_training_functions, runs_backward
from lintorch.evaluator.training_parts import is_training_part

BLOCKS = """def halve(x, h):
    if h % 2 != 0:
        return x
    return x[:, :, : h // 2]
"""
NET = """from blocks import halve
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        x = self.conv(x)
        return halve(x, x.shape[2])
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "blocks.py").write_text("import torch\n" + BLOCKS)
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def places(project: Path, *given: str) -> list[str]:
    found = findings("--select", "LT104", *given, cwd=project)
    return [f"{each['filename']}:{each['location']['row']}" for each in found]


def test_a_line_that_a_model_of_another_file_leads_to_is_told_once(project: Path) -> None:
    assert places(project) == ["blocks.py:3"]
    assert places(project) == ["blocks.py:3"], "the second time out of the cache"


def test_a_size_that_a_model_fixes_is_not_told_of(project: Path) -> None:
    (project / "net.py").write_text(NET.replace("x.shape[2]", "x.shape[1]"))
    assert places(project) == []


def test_a_change_of_the_model_is_seen_in_the_other_file(project: Path) -> None:
    assert places(project) == ["blocks.py:3"]
    (project / "net.py").write_text(NET.replace("x.shape[2]", "16"))
    assert places(project) == []


def test_files_that_are_not_checked_are_not_told_of(project: Path) -> None:
    assert places(project, "net.py") == []


def test_a_comment_in_the_other_file_excuses_its_line(project: Path) -> None:
    text = (project / "blocks.py").read_text()
    excused = text.replace("!= 0:", "!= 0:  # lintorch: ignore[LT104]")
    (project / "blocks.py").write_text(excused)
    assert places(project) == []


def test_a_file_without_the_word_torch_is_checked_where_it_defines_models(project: Path) -> None:
    (project / "common.py").write_text("from torch import nn\n")
    text = NET.replace("from torch import nn", "from common import nn")
    (project / "net.py").write_text(text)
    assert places(project) == ["blocks.py:3"]


def test_a_file_without_the_word_torch_is_checked_where_it_splits_data(tmp_path: Path) -> None:
    (tmp_path / "common.py").write_text("from torch.utils.data import random_split\n")
    text = "from common import random_split\n\nparts = random_split(range(10), [0.7, 0.2])\n"
    (tmp_path / "split.py").write_text(text)
    assert [each["code"] for each in findings(cwd=tmp_path)] == ["LT515"]


def test_a_model_that_calls_itself_without_end_takes_nothing_down(project: Path) -> None:
    endless = """
class Endless(nn.Module):
    def forward(self, x):
        while True:
            x = self.forward([x, *[x for _ in range(10 ** 9)]])
"""
    (project / "net.py").write_text(NET + endless)
    done = lintorch("check", "--select", "LT104", "--output-format", "concise", cwd=project)
    assert "blocks.py:3" in done.stdout
    assert done.stderr == ""


POOLED = """from torch import nn


class Pooled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.pool = nn.AdaptiveAvgPool2d(size)

    def forward(self, x):
        return self.pool(self.conv(x))
"""
GUIDE = """# Nets

    pip install nets

```bash
python -m nets  # Pooled(9)
```

```python
this is no Python: Pooled(
```

~~~Python
>>> from nets import Pooled
>>> model = Pooled({})
Pooled(...)
~~~
"""


@pytest.mark.parametrize(("size", "rows"), [("7", [11]), ("1", [])])
def test_a_readme_says_what_a_model_is_built_with(
    tmp_path: Path, size: str, rows: list[int]
) -> None:
    (tmp_path / "nets.py").write_text(POOLED)
    (tmp_path / "README.md").write_text(GUIDE.format(size))
    found = findings("--select", "LT116", "nets.py", cwd=tmp_path)
    assert [each["location"]["row"] for each in found] == rows


def test_what_was_worked_out_of_a_file_goes_with_it() -> None:
    file = CodeFile("train.py", "for x in y:\n    loss(x).backward()\n", "train", "")
    assert runs_backward(file, file.tree.body[0])
    assert find_training_functions(file) == {}
    gone = weakref.ref(file)
    del file
    gc.collect()
    assert gone() is None


PYRAMID = """from torch import nn


class Pyramid(nn.Module):
    def __init__(self, classes=18, width=2048, kind="small"):
        super().__init__()
        self.body = nn.Conv2d(3, 512 if kind == "small" else 2048, 3)
        self.head = nn.Conv2d(width, 64, 1)
        self.first = nn.Linear(64, classes)
        self.last = nn.Linear(classes + 1, 4)

    def forward(self, x):
        return self.last(self.first(self.head(self.body(x)).mean((2, 3))))
"""


def test_defaults_that_do_not_go_together_are_none_where_other_files_build_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "pyramid.py").write_text(PYRAMID)
    (tmp_path / "train.py").write_text(
        "from pyramid import Pyramid\n\nmodels = {'a': lambda n: Pyramid(n, width=512)}\n"
    )
    told = [each["location"]["row"] for each in findings("--select", "LT806", cwd=tmp_path)]
    assert told == [10], "what raises however it is built is told"
    (tmp_path / "train.py").unlink()
    told = findings("--select", "LT806", cwd=tmp_path)
    assert [each["location"]["row"] for each in told] == [8]
    (tmp_path / "train.py").write_text("from pyramid import Pyramid\n\nnet = Pyramid()\n")
    assert [e["severity"] for e in findings("--select", "LT806", cwd=tmp_path)] == ["error"]


def test_other_files_build_a_class_by_another_name_too(tmp_path: Path) -> None:
    (tmp_path / "pyramid.py").write_text(PYRAMID)
    use = "from pyramid import Pyramid as net\n\nmodels = {'a': lambda n: net(n, width=512)}\n"
    (tmp_path / "train.py").write_text(use)
    assert [e["location"]["row"] for e in findings("--select", "LT806", cwd=tmp_path)] == [10]


def test_other_files_build_a_class_in_small_letters_too(tmp_path: Path) -> None:
    (tmp_path / "pyramid.py").write_text(PYRAMID.replace("class Pyramid", "class pyramid_net"))
    use = "from pyramid import pyramid_net\n\nmodels = {'a': lambda n: pyramid_net(n, width=512)}\n"
    (tmp_path / "train.py").write_text(use)
    assert [e["location"]["row"] for e in findings("--select", "LT806", cwd=tmp_path)] == [10]
    other = "class pyramid_net(dict):\n    pass\n\n\nprint(models.pyramid_net(width=512))\n"
    (tmp_path / "train.py").write_text(other)
    told = findings("--select", "LT806", cwd=tmp_path)
    assert [e["location"]["row"] for e in told] == [8], "a class of that name, a method"


def test_a_second_run_sees_who_builds_a_class_in_a_file_that_is_new(tmp_path: Path) -> None:
    (tmp_path / "pyramid.py").write_text(PYRAMID)
    for name, text in (
        ("tools/train.py", "from pyramid import Pyramid\n\nnet = Pyramid()\n"),
        ("run.py", "from pyramid import Pyramid\n\nnet = Pyramid(width=512)\n"),
        ("README.md", "```python\nnet = Pyramid(kind='large')\n```\n"),
    ):
        findings("--select", "LT806", cwd=tmp_path)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        warm = findings("--select", "LT806", cwd=tmp_path)
        assert warm == findings("--select", "LT806", "--no-cache", cwd=tmp_path), name


def test_defaults_that_nobody_builds_with_are_not_told_as_certain(tmp_path: Path) -> None:
    (tmp_path / "pyramid.py").write_text(PYRAMID)
    told = findings("--select", "LT806", cwd=tmp_path)
    assert [(e["location"]["row"], e["severity"]) for e in told] == [(8, "note")]
    assert "if it is built with its defaults" in told[0]["message"]
    fixed = PYRAMID.replace("512 if kind", "2048 if kind")
    (tmp_path / "pyramid.py").write_text(fixed)
    told = findings("--select", "LT806", cwd=tmp_path)
    assert [(e["location"]["row"], e["severity"]) for e in told] == [(10, "error")]


ASKED = """import torch.nn.functional as F
from torch import nn


class Asked(nn.Module):
    def __init__(self, size=None):
        super().__init__()
        self.size = size

    def forward(self, x):
        if self.size is None:
            return F.avg_pool2d(x, x.size()[2:])
        return F.adaptive_avg_pool2d(x, self.size)
"""


@pytest.mark.parametrize(
    ("use", "rows"),
    [
        ("from asked import Asked\n\nmake = lambda: Asked(size=1)\n", []),
        ("from asked import Asked\n\nmake = lambda n: Asked(size=n)\n", [12]),
        ("from asked import Asked\n\nmake = lambda: (Asked(1), Asked())\n", [12]),
        ("class Asked(dict):\n    pass\n\n\nmake = lambda: Asked(size=1)\n", [12]),
    ],
)
def test_a_class_is_as_all_other_files_build_it(tmp_path: Path, use: str, rows: list[int]) -> None:
    (tmp_path / "asked.py").write_text(ASKED)
    (tmp_path / "train.py").write_text(use)
    told = findings("--select", "LT101", cwd=tmp_path)
    assert [each["location"]["row"] for each in told] == rows


BRANCH = """import torch
from torch import nn


class Branch(nn.Module):
    def forward(self, x):
        return dict(out=x * 2)


def create_branch(kind):
    return {}


torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2))
"""


@pytest.mark.parametrize("made", ["Branch()", "eval(kind)()", "globals()[kind]()"])
def test_what_a_function_builds_for_models_of_other_files_is_a_part(
    tmp_path: Path, made: str
) -> None:
    (tmp_path / "branch.py").write_text(BRANCH.format(made))
    found = findings("--select", "LT114", cwd=tmp_path)
    assert [each["location"]["row"] for each in found] == [7]
    user = "from branch import create_branch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
    build = "    def __init__(self):\n        super().__init__()\n"
    build += "        self.branch = create_branch('Branch')\n\n"
    run = "    def forward(self, x):\n        return self.branch(x)['out']\n"
    (tmp_path / "net.py").write_text(user + build + run)
    assert findings("--select", "LT114", "branch.py", cwd=tmp_path) == []


@pytest.mark.parametrize(("taker", "rows"), [("nn.Module", []), ("object", [7])])
def test_what_a_model_of_another_file_is_made_with_is_a_part(
    tmp_path: Path, taker: str, rows: list[int]
) -> None:
    (tmp_path / "branch.py").write_text(BRANCH.format("0"))
    taken = f"from torch import nn\n\n\nclass Taker({taker}):\n    def __init__(self, net, lr):\n"
    (tmp_path / "taker.py").write_text(f"{taken}        self.net = net\n")
    made = "from branch import Branch\nfrom taker import Taker\n\n\ndef build():\n"
    made += "    branch = Branch()\n    return Taker(branch, lr=1)\n"
    (tmp_path / "build.py").write_text(made)
    found = findings("--select", "LT114", "branch.py", cwd=tmp_path)
    assert [each["location"]["row"] for each in found] == rows


def test_a_project_trusts_its_own_hub(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text("import torch\n\nnet = torch.hub.load('me/nets', 'small')\n")
    assert len(findings("--select", "LT702", cwd=tmp_path)) == 1
    (tmp_path / "hubconf.py").write_text("def small(pretrained=True):\n    return None\n")
    assert findings("--select", "LT702", cwd=tmp_path) == []


LANGUAGE = """import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed, self.head = nn.Embedding(words, 4), nn.Linear(4, words)

    def forward(self, tokens, targets=None):
        logits = self.head(self.embed(tokens))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss
"""
TRAINED = """import torch

from model import Model

model = Model(9)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    tokens, targets = torch.zeros(2, 3, dtype=torch.long), torch.zeros(2, 3, dtype=torch.long)
    optimizer.zero_grad()
    _, loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
"""


def test_what_training_gives_for_a_loss_is_no_input_of_what_is_exported(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(LANGUAGE)
    (tmp_path / "train.py").write_text(TRAINED)
    (tmp_path / "lintorch.toml").write_text('exporters = ["torchscript-trace"]\n')
    (found,) = findings("--select", "LT114", cwd=tmp_path)
    assert (found["location"]["row"], found["code"]) == (15, "LT114")


HELD = """class Flow(nn.Module):
    def __init__(self):
        self.warp = Warp()

    def forward(self, x, target):
        return (self.warp(x) - target).abs().mean()
"""
INFER = """
    def infer(self, x):
        return self.warp(x)
"""


@pytest.mark.parametrize(("text", "is_for_training"), [(HELD, True), (HELD + INFER, False)])
def test_a_part_of_what_nobody_exports_is_a_models_own_where_it_is_run_otherwise(
    text: str, is_for_training: bool
) -> None:
    file = CodeFile("flow.py", text, "flow", "")
    assert is_training_part("Warp", [file], lambda name: name != "Flow") is is_for_training


ASSIGNED = """
class Head(nn.Module):
    def __init__(self):
        self.warp = Warp()

    def assign(self, batch):
        return self.warp.forward(batch)

    def forward(self, x):
        if {}:
            x = self.assign(x)
        return x
"""


@pytest.mark.parametrize(
    ("test", "is_for_training"), [("self.training", True), ("x.ndim > 3", False)]
)
def test_a_part_is_for_training_where_only_training_calls_the_method_that_runs_it(
    test: str, is_for_training: bool
) -> None:
    file = CodeFile("head.py", ASSIGNED.format(test), "head", "")
    assert is_training_part("Warp", [file], lambda name: True) is is_for_training


def test_classes_that_derive_from_each_other_by_name_end() -> None:
    text = "class Warp(Bend):\n    pass\n\n\nclass Bend(Warp):\n    pass\n"
    file = CodeFile("ring.py", text, "ring", "")
    assert not is_training_part("Warp", [file], lambda name: True)


def test_what_another_file_gives_unknown_is_not_left_out_of_options(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text(
        "from torch import nn\nfrom torch.nn.functional import interpolate\n\n\n"
        "class Resize(nn.Module):\n"
        "    def __init__(self, **options):\n"
        "        super().__init__()\n"
        "        self.conv, self.options = nn.Conv2d(3, 3, 1), options\n\n"
        "    def forward(self, x):\n"
        "        return interpolate(self.conv(x), **self.options)\n"
    )
    for given in ("scale_factor=-size, mode='nearest'", "mode='nearest', **more"):
        use = f"from layers import Resize\n\n\ndef make(size, more):\n    return Resize({given})\n"
        (tmp_path / "make.py").write_text(use)
        assert findings("--select", "LT806", cwd=tmp_path) == []
    use = "from layers import Resize\n\nRESIZE = Resize(mode='nearest')\n"
    (tmp_path / "make.py").write_text(use)
    assert [e["location"]["row"] for e in findings("--select", "LT806", cwd=tmp_path)] == [11]


def test_what_models_take_by_its_base_is_a_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "pyramid.py").write_text(
        "from torch import nn\n\n\nclass Backbone(nn.Module):\n    pass\n\n\n"
        "class Pyramid(Backbone):\n"
        "    def forward(self, x):\n        return {'low': x, 'high': x * 2}\n"
    )
    trace = "import torch\n\ntorch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))\n"
    (tmp_path / "trace.py").write_text(trace)
    asked = ("--select", "LT114")
    assert [e["location"]["row"] for e in findings(*asked, cwd=tmp_path)] == [10]
    (tmp_path / "detector.py").write_text(
        "from torch import nn\n\nfrom pyramid import Backbone\n\n\n"
        "class Detector(nn.Module):\n"
        "    def __init__(self, backbone: Backbone):\n"
        "        super().__init__()\n        self.backbone = backbone\n\n"
        "    def forward(self, x):\n        return self.backbone(x)['low']\n"
    )
    assert findings(*asked, cwd=tmp_path) == []


def test_steps_of_a_helper_are_told_of_their_own_loop_where_its_caller_clears(
    tmp_path: Path,
) -> None:
    (tmp_path / "steps.py").write_text(
        "def learn(parts, model, opt):\n    for x in parts:\n"
        "        model(x).mean().backward()\n        opt.step()\n"
    )
    told = findings("--select", "LT403", cwd=tmp_path)
    assert [e["message"].partition(":")[0] for e in told] == ["gradients are cleared nowhere"]
    (tmp_path / "train.py").write_text(
        "from steps import learn\n\n\ndef train(loader, model, opt):\n"
        "    for parts in loader:\n        opt.zero_grad()\n        learn(parts, model, opt)\n"
    )
    (again,) = findings("--select", "LT403", cwd=tmp_path)
    assert again["message"].startswith("gradients are cleared nowhere in this loop")


def test_a_loop_is_not_judged_where_a_file_it_imports_from_clears(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(
        "from optim import warm_up\n\n\ndef learn(batches, model, opt):\n    warm_up(opt)\n"
        "    for x in batches:\n        model(x).mean().backward()\n        opt.step()\n"
    )
    optim = tmp_path / "optim.py"
    optim.write_text("def warm_up(opt):\n    print(opt)\n")
    asked = ("--select", "LT403")
    assert len(findings(*asked, cwd=tmp_path)) == 1
    optim.write_text("class Noam:\n    def step(self):\n        self.optimizer.zero_grad()\n")
    assert findings(*asked, cwd=tmp_path) == []


TRAINER = """import torch
from torch import nn


class Trainer(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.make, self.judge = nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1)
        self.second = torch.optim.Adam(self.make.parameters())
        self.first = torch.optim.Adam(self.judge.parameters())

    def forward(self, x):
        y = self.make(x)
        losses = {"d": self.judge(y.detach()).mean(), "p": self.judge(y.detach()).std()}
        losses["l"] = (y - x).abs().mean()
        losses["g"] = self.judge(y).mean()
        return losses, y
"""
STEPS = """from trainers import Trainer


def main(settings, loader):
    trainer = Trainer(settings).cuda()
    for batch in loader:
        losses, images = trainer(batch)
        trainer.first.zero_grad()
        loss_d = losses["d"] + losses["p"]
        loss_d.backward()
        trainer.first.step()
        trainer.second.zero_grad()
        loss_g = losses["l"] + losses["g"]
        loss_g.backward()
        trainer.second.step()
"""


def test_losses_that_a_model_gives_may_each_have_a_graph_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "trainers.py").write_text(TRAINER)
    (tmp_path / "steps.py").write_text(STEPS)
    asked = ("--select", "LT433", "steps.py")
    assert findings(*asked, cwd=tmp_path) == []
    (tmp_path / "trainers.py").write_text(TRAINER.replace("y.detach()", "y"))
    outputs = STEPS.replace("losses, images", "outputs, images").replace("losses[", "outputs[")
    (tmp_path / "steps.py").write_text(outputs)
    assert [each["location"]["row"] for each in findings(*asked, cwd=tmp_path)] == [14]
