"""Files whose imports need what is not there: the project's own modules, missing packages, names that moved."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from examining import examine_files, write_files
from reported import failure_of, model_of, subject_of
from running import lintorch

from lintorch.host.reports import Report
from lintorch.record.model_options import ModelLimits

HEAD = """
import torch
from torch import nn
"""
_BETWEEN = re.compile("__(?!init__|$)")
NET = """
class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 1)
        {building}

    def forward(self, x):
        {running}
        return self.layer(x)
"""


def net(name: str, *, head: str = "", building: str = "pass", running: str = "pass") -> str:
    return HEAD + head + NET.format(name=name, building=building, running=running)


def examine(folder: Path, seconds: float = 60, **files: str) -> dict[str, Report]:
    """Reports by class, of files given by their names with `__` for `/`; a leading `_` is not examined."""
    texts = {_BETWEEN.sub("/", name.removeprefix("_")): text for name, text in files.items()}
    paths = write_files(folder, texts)
    chosen = [path for path, name in zip(paths, files, strict=True) if not name.startswith("_")]
    limits = ModelLimits(seconds=seconds)
    reports = examine_files(chosen, folder, trace=False, limits=limits)
    return {subject_of(report).qualname: report for report in reports}


def said(report: Report) -> tuple[str, ...]:
    assert report.failure is None, report.failure
    return model_of(report).assumptions


def cause(report: Report) -> str:
    return failure_of(report).cause


def test_what_is_missing_is_stood_in_for_until_it_is_used(tmp_path: Path) -> None:
    head = """
import absent_sounds, absent_logs.writer as logs
from absent_sounds.filters import mel, MELS
from absent_logs import logger, Registry
NETS, SIZE = Registry("nets"), MELS * 2
logs.options["width"] = 80
@absent_sounds.jit(nopython=True)
def double(x):
    return x * 2
@absent_sounds.jit
def halve(x):
    return x / 2
"""
    uses = {
        "Idle": {
            "building": "assert absent_sounds.check_types()",
            "running": "logger.info('run'); x = halve(double(x))",
        },
        "Calling": {"running": "x = mel(x)"},
        "Counting": {"building": "self.out = nn.Linear(SIZE, 3)"},
        "Adding": {"running": "x = x + MELS"},
        "Asking": {"running": "x = x if SIZE == 3 else 2 * x"},
        "Writing": {"running": "mel(x, out=x)"},
    }
    blank = {"building": "pass", "running": "pass"}
    nets = (
        f"@NETS.register()\n{NET.strip().format(name=n, **{**blank, **u})}" for n, u in uses.items()
    )
    reports = examine(tmp_path, nets=HEAD + head + "\n".join(nets))
    assert said(reports["Idle"]) == ("stood in for: absent_sounds, absent_logs (not installed)",)
    for name in ("Calling", "Counting", "Adding", "Asking", "Writing"):
        assert "needs absent_sounds, which is not installed" in cause(reports[name])


def test_code_that_deals_with_an_absence_sees_it(tmp_path: Path) -> None:
    handled = """
import importlib.util
from contextlib import suppress
try:
    import absent_fast
except ImportError:
    absent_fast = None
try:
    from ops import convolve
except Exception as error:
    convolve = None
absent_found = importlib.util.find_spec("absent_found")
with suppress(ImportError):
    import absent_other
    absent_fast = 1
"""
    reports = examine(
        tmp_path,
        handled=net(
            "Handled",
            head=handled,
            running="assert (absent_fast, convolve, absent_found) == (None,) * 3",
        ),
        given_up=net(
            "GivenUp", head="try:\n    import absent_core\nexcept ImportError:\n    raise\n"
        ),
        _ops="import absent_compiled\ndef convolve(x):\n    return absent_compiled.run(x)\n",
    )
    assert said(reports["Handled"]) == ()
    assert said(reports["GivenUp"]) == ("stood in for: absent_core (not installed)",)


def test_bases_of_missing_packages(tmp_path: Path) -> None:
    lightning = """
import pytorch_lightning as pl

class Lit(pl.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Conv2d(3, self.hparams.width, 1)

    def forward(self, x):
        self.log("mean", 0)
        return self.layer(x)

class Graph(pl.nn.MessagePassing):
    def forward(self, x):
        return x

class Settings(pl.Settings, frozen=True):
    width = 4
"""
    reports = examine(tmp_path, lit=HEAD + lightning)
    assert said(reports["Lit"]) == ("stood in for: pytorch_lightning (not installed)",)
    assert "needs pytorch_lightning" in cause(reports["Graph"])
    assert set(reports) == {"Lit", "Graph"}


def test_extensions_that_a_project_compiles(tmp_path: Path) -> None:
    reports = examine(
        tmp_path,
        ops____init__="",
        ops__plain=net("Plain", head="from . import fast_cuda\nfrom ._ext import run\n"),
        ops__fast=net("Fast", head="from . import fast_cuda\n", running="return fast_cuda.run(x)"),
    )
    assert said(reports["Plain"]) == ("stood in for: ops.fast_cuda, ops._ext (not here)",)
    assert "needs ops.fast_cuda, which is not here" in cause(reports["Fast"])


def test_nothing_is_compiled(tmp_path: Path) -> None:
    head = """
from torch.utils.cpp_extension import load
fast = load(name="fast", sources=["fast.cpp"])
try:
    faster = load(name="faster", sources=["faster.cpp"])
except Exception:
    faster = None
"""
    reports = examine(
        tmp_path,
        idle=net("Idle", head=head, running="assert faster is None"),
        used=net("Used", head=head, running="return fast.run(x)"),
    )
    assert said(reports["Idle"]) == ("stood in for: fast (an extension that is not compiled here)",)
    assert "needs fast, which is an extension that is not compiled here" in cause(reports["Used"])


def test_names_that_moved_are_provided(tmp_path: Path) -> None:
    head = """
import collections, inspect
from collections import Mapping
import numpy as np
from torch._six import container_abcs, string_classes
from torch.nn.modules.linear import _LinearWithBias
assert container_abcs.Mapping is Mapping and isinstance("", string_classes)
assert inspect.getargspec(lambda x: x).args == ["x"]
try:
    from collections import Sequence
except ImportError:
    Sequence = None
assert Sequence is None
"""
    reports = examine(
        tmp_path, old=net("Old", head=head, building="int(np.float(np.product([2, 3])))")
    )
    assert [text.split(": ")[1] for text in said(reports["Old"])] == [
        "collections.Mapping (collections.abc.Mapping)",
        "torch._six.container_abcs (collections.abc)",
        "torch._six.string_classes (builtins.str)",
        "torch.nn.modules.linear._LinearWithBias (torch.nn.modules.linear.NonDynamicallyQuantizableLinear)",
        "inspect.getargspec",
        "numpy.float (builtins.float)",
        "numpy.product (numpy.prod)",
    ]


def test_modules_are_found_where_scripts_of_the_project_find_them(tmp_path: Path) -> None:
    layer = "from torch import nn\nclass Layer(nn.Conv2d):\n    WHERE = {where!r}\n"
    uses = "assert Layer.WHERE == {where!r}"
    reports = examine(
        tmp_path,
        # beside the file, relatively, where no folder is a package
        tools__beside=net(
            "Beside", head="from .layers import Layer", running=uses.format(where="tools")
        ),
        _tools__layers=layer.format(where="tools"),
        # in the root, under the name of an installed package
        model__model=net(
            "Named",
            head="from libcst.layers import Layer\nfrom model.parts import Layer as Part",
            running=uses.format(where="libcst") + "; assert Part.WHERE == 'model'",
        ),
        _libcst__layers=layer.format(where="libcst"),
        _model__parts=layer.format(where="model"),
        # in a folder that other scripts put on their path
        deep____init__="",
        deep__er=net("Far", head="from far_layers import Layer", running=uses.format(where="far")),
        _elsewhere__far__far_layers=layer.format(where="far"),
        # of several of one name, that which has what is wanted
        apart__two____init__="",
        apart__two__one=net(
            "One", head="from common import Layer", running=uses.format(where="two")
        ),
        _apart__common="WIDTH = 4",
        _common____init__="from .layers import *",
        _common__layers=layer.format(where="two"),
        # a module inside a package of its name, which a shell script puts on the path
        src__nets__shaded=net(
            "Shaded", head="from shades import Layer", running=uses.format(where="inner")
        ),
        _src__shades____init__="",
        _src__shades__shades=layer.format(where="inner"),
        # above the package
        ops__inner__up=net(
            "Up", head="from ..outer import Layer", running=uses.format(where="ops")
        ),
        _ops__inner____init__="",
        _ops__outer=layer.format(where="ops"),
    )
    assert set(reports) == {"Beside", "Named", "Far", "One", "Shaded", "Up"}
    assert all(said(report) == () for report in reports.values())


def test_the_root_is_the_package_that_its_folder_is_elsewhere(tmp_path: Path) -> None:
    """A project that is imported from the folder above, by a name that its folder need not have here."""
    found = examine(
        tmp_path,
        _text__symbols="SYMBOLS = 'abc'\n",
        net=net("Own", head="from Speaker.text.symbols import SYMBOLS"),
        other=net("Absent", head="from Speaker.sound import WAVES", running="x = x + WAVES"),
    )
    assert said(found["Own"]) == ()
    assert "needs Speaker" in cause(found["Absent"])


def test_a_package_that_is_missing_is_not_the_project_as_one_of_its_modules_is_alike(
    tmp_path: Path,
) -> None:
    text = net(
        "Net",
        head="from sklearnlike.utils import shuffle\nfrom importlib.util import find_spec\n",
        running="assert find_spec('torch') and not find_spec('sklearnlike')",
    )
    own = "def smooth(x):\n    return x\n"
    report = examine(tmp_path, nets=text, _utils____init__=own, _setup="")["Net"]
    assert "stood in for: sklearnlike (not installed)" in said(report)


def test_the_root_of_a_repository_is_known_by_its_text_files(tmp_path: Path) -> None:
    tmp_path.joinpath("requirements.txt").touch()
    (path,) = write_files(tmp_path, {"nets/one": net("One", head="from parts.layers import WIDTH")})
    write_files(tmp_path, {"parts/layers": "WIDTH = 4"})
    (report,) = examine_files([path], tmp_path / "nets", trace=False)
    assert said(report) == ()


def test_files_are_read_by_a_path_relative_to_the_project(tmp_path: Path) -> None:
    tmp_path.joinpath("configs").mkdir()
    tmp_path.joinpath("configs", "net.json").write_text('{"width": 5}')
    head = """
import json, os
from pathlib import Path
assert os.path.exists("configs/net.json") and os.listdir("configs") == ["net.json"]
width = json.loads(Path("configs/net.json").read_text())["width"]
with open(os.path.abspath("configs/net.json")) as file:
    assert json.load(file)["width"] == width
os.makedirs("runs")
with open("net.log", "w") as file:
    file.write("begun")
"""
    reports = examine(tmp_path, nets__net=net("Net", head=head, running="assert width == 5"))
    assert said(reports["Net"]) == ()
    assert {path.name for path in tmp_path.iterdir()} == {"configs", "nets"}


def test_of_a_file_that_does_things_when_imported_the_definitions_are_run(tmp_path: Path) -> None:
    train = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--width", type=int, default=6)
args = parser.parse_args()
print(args.width)
WIDTH = args.width
if torch.__version__ > "1":
    KERNEL = 1
images = open(args.data).read()
{class_}
model = Net()
while True:
    model(images)
"""
    class_ = NET.format(
        name="Net", building="self.layer = nn.Conv2d(3, WIDTH, KERNEL)", running="pass"
    )
    hanging = "while True:\n    pass\n" + NET.format(name="Late", building="pass", running="pass")
    reports = examine(
        tmp_path,
        seconds=4,
        train=HEAD + train.format(class_=class_),
        late=HEAD + hanging,
    )
    text = "only the definitions of train.py were run: its import raised TypeError (train.py:14)"
    asked = "None for arguments of the command line: data (train.py:9)"
    assert said(reports["Net"]) == (asked, text)
    assert "its import took too long (late.py:" in said(reports["Late"])[0]


def test_a_class_whose_default_raises_is_none_to_those_that_import_it(tmp_path: Path) -> None:
    labels = """
import os
PLACE = os.path.join("data", "labels.txt")
class Labels:
    def __init__(self, transform=open(PLACE).read()):
        self.transform = transform
"""
    net = "from labels import PLACE, Labels\n" + NET.format(
        name="Net", building="self.layer = nn.Conv2d(3, len(PLACE), 1)", running="pass"
    )
    reports = examine(tmp_path, net=HEAD + net, labels=labels)
    text = "only the definitions of labels.py were run: its import raised FileNotFoundError"
    assert said(reports["Net"]) == (f"{text} (labels.py:4)",)


def test_settings_that_a_missing_package_would_keep_are_kept(tmp_path: Path) -> None:
    hparams = """
import tensorflow_that_is_not_there as tf
def create_hparams():
    hparams = tf.contrib.training.HParams(width=3, depth=6, name="net", sides=[1, 2])
    return hparams
"""
    building = "h = create_hparams(); self.layer = nn.Conv2d(h.width, h['depth'], h.sides[0])"
    net = "from hparams import create_hparams\n" + NET.format(
        name="Net", building=building, running="pass"
    )
    reports = examine(tmp_path, net=HEAD + net, hparams=hparams)
    assert said(reports["Net"]) == ("stood in for: tensorflow_that_is_not_there (not installed)",)


def test_dictionaries_of_missing_packages_hold_settings(tmp_path: Path) -> None:
    settings = """
from ml_collections import config_dict
from easydict import EasyDict as edict
from addict import Dict
def get_config():
    config = config_dict.ConfigDict()
    config.net = config_dict.ConfigDict({"width": 3})
    config.net.depths = (2, 6)
    config.grown = Dict()
    config.grown.deep.er = 1
    config.plain = edict({"inner": {"one": 1}})
    config.plain.update(two=2)
    return config.copy_and_resolve_references()
"""
    building = (
        "c = get_config(); assert not hasattr(c.net, 'heads') and c['net'].get('heads') is None;"
        " self.layer = nn.Conv2d(c.net.width, c.net.depths[c.plain.inner.one], c.grown.deep.er);"
        " self.two = c.plain.two"
    )
    net = "from settings import get_config\n" + NET.format(
        name="Net", building=building, running="pass"
    )
    reports = examine(tmp_path, net=HEAD + net, settings=settings)
    assert said(reports["Net"]) == (
        "stood in for: ml_collections, easydict, addict (not installed)",
    )


def test_a_configuration_of_a_missing_package_is_merged_with_a_file(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    defaults = """
from yacs.config import CfgNode as CN
_C = CN()
_C.MODEL = CN()
_C.MODEL.WIDTH = 8
_C.MODEL.NAME = "net"
class Config(CN):
    pass
def get_config():
    config = _C.clone()
    config.merge_from_file("configs/net.yaml")
    config.merge_from_list(["MODEL.SIDE", "1"])
    config.freeze()
    assert isinstance(config, CN) and isinstance(Config(config), CN) and not isinstance(1, CN)
    return config
"""
    tmp_path.joinpath("configs").mkdir()
    tmp_path.joinpath("configs/net.yaml").write_text("MODEL:\n  WIDTH: 3\n")
    building = "m = get_config().MODEL; self.layer = nn.Conv2d(m.WIDTH, 4, m.SIDE); self.a = m.NAME"
    net = "from defaults import get_config\n" + NET.format(
        name="Net", building=building, running="pass"
    )
    reports = examine(tmp_path, net=HEAD + net, defaults=defaults)
    assert reports["Net"].failure is None, reports["Net"].failure


def test_a_model_of_a_missing_package_is_not_taken_for_settings(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(
        "from absent_zoo import Vit\n\n\ndef build():\n    return Vit(width=3, depth=6, heads=2)\n"
    )
    tmp_path.joinpath("lintorch.toml").write_text('[models.vit]\nfactory = "net.py:build"\n')
    done = lintorch("models", "net.py", "--output-format", "json", cwd=tmp_path)
    (told,) = json.loads(done.stdout)
    assert "needs absent_zoo, which is not installed" in told["cause"]


GPU = """
DEVICE = torch.device("cuda:0")

class Moves(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 8).cuda()

    def forward(self, x):
        x = self.layer(x.to("cuda", torch.float32).cuda(non_blocking=True))
        return x + torch.zeros(8, device=DEVICE) + torch.cuda.FloatTensor([1.0])

class Kept(nn.Module):
    def __init__(self, device="cuda:1", *, other="mps"):
        super().__init__()
        self.layer = nn.Linear(4, 8)
        self.to(device)
        self.register_buffer("one", torch.ones(8, device=other), persistent=False)

    def forward(self, x):
        return self.layer(x) + self.one

class Asked(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.layer, self.device = nn.Linear(4, 8), device

    def forward(self, x):
        return self.layer(x.to(self.device))

class Typed(Asked):
    def __init__(self, where: torch.device):
        super().__init__(where.type)

class Set(Asked):
    def __init__(self, args):
        super().__init__(args.device)
        self.wide = nn.Linear(8, args.wide)
"""


def test_the_cpu_is_taken_for_a_gpu(tmp_path: Path) -> None:
    reports = examine(
        tmp_path,
        gpu=HEAD + GPU,
        named=net("Named", running="x = x * torch.ones(3, 1, 1, device=torch.device('cuda'))"),
        bare=net("Bare"),
        _train="import argparse\np = argparse.ArgumentParser()\np.add_argument('--device', default='cuda:2')\np.add_argument('--wide', default=5)\n",
    )
    for name in ("Moves", "Kept", "Asked", "Typed", "Set"):
        assert "the CPU is taken wherever a GPU is asked for (gpu.py)" in said(reports[name])
    assert said(reports["Named"]) == ("the CPU is taken wherever a GPU is asked for (named.py:12)",)
    assert model_of(reports["Asked"]).arguments == {"device": "cpu"}
    assert said(reports["Bare"]) == ()


def test_an_error_that_comes_of_a_missing_package_names_it(tmp_path: Path) -> None:
    guarded = "try:\n    from absent_filters import spread\nexcept ImportError:\n    pass\n"
    reports = examine(
        tmp_path,
        guarded=net("Guarded", head=guarded, running="x = spread(x)"),
        whole=net("Whole", head="import absent_sounds\ntorch.from_numpy(absent_sounds.mel(3))\n"),
        table=net(
            "Table",
            head="import absent_sounds\nMEL = absent_sounds.mel\n",
            building="self.mel = torch.from_numpy(np_of(MEL))",
        ).replace("class Table", "def np_of(value):\n    return value\n\n\nclass Table"),
    )
    needed = "needs absent_filters, which is not installed (pip install absent_filters)"
    assert needed in cause(reports["Guarded"])
    assert "needs absent_sounds, which is not installed" in cause(reports["Table"])


def test_a_class_loses_a_decorator_that_raises_and_what_was_not_made_is_stood_in_for(
    tmp_path: Path,
) -> None:
    texts = """
def told(**kwargs):
    raise TypeError("no such keyword")
def start(text):
    return lambda function: function
"""
    reports = examine(
        tmp_path,
        _texts=texts,
        _inner=net(
            "Inner",
            head="from texts import told, start\ntable = told(size=3)\n",
        ).replace("    def forward", '    @told(name="x")\n    def forward'),
        outer=net(
            "Outer",
            head="from inner import Inner, table\n",
            building="self.inner = Inner()",
            running="x = x + self.inner(x).mean()",
        ),
    )
    assert any("only the definitions of inner.py" in text for text in said(reports["Outer"]))


def test_a_traceback_leaves_out_how_torch_calls_modules(tmp_path: Path) -> None:
    reports = examine(tmp_path, net=net("Net", running="x = x.no_such_method()"))
    told = failure_of(reports["Net"]).traceback
    assert "no_such_method" in told
    assert "torch/nn/modules/module.py" not in told.partition("\n  File")[2]


def test_torchvision_that_does_not_fit_is_mended_where_a_package_asks_for_it_late(
    tmp_path: Path,
) -> None:
    packages = tmp_path / "site-packages"
    write_files(
        packages,
        {
            "torchvision": """
                import torch
                torch.library.register_fake("torchvision::nms")(lambda *given: None)
                WIDTH = 3
            """,
            "late": """
                def read_width():
                    import torchvision
                    return torchvision.WIDTH
            """,
        },
    )
    head = f"import sys\nsys.path.insert(0, {str(packages)!r})\nimport late\n"
    text = net("Net", head=head, building="self.width = late.read_width()")
    (report,) = examine(tmp_path, net=text).values()
    assert any(each.startswith("torchvision's own operators") for each in said(report))


def test_names_that_a_missing_package_would_give_by_a_star_are_those_of_torch(
    tmp_path: Path,
) -> None:
    text = """
from absent_learner.vision import *

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.helper = nn.Conv2d(3, 4, 1), first_of
    def forward(self, x):
        return F.relu(self.layer(x))

class Needy(nn.Module):
    def __init__(self, size=None):
        super().__init__()
        self.layer = nn.Conv2d(3, first_of(size, 4), 1)
    def forward(self, x):
        return self.layer(x)
"""
    reports = examine(tmp_path, net=text)
    assert said(reports["Net"]) == ("stood in for: absent_learner (not installed)",)
    assert "needs absent_learner, which is not installed" in cause(reports["Needy"])
