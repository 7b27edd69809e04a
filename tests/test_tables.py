"""The tables beside the rules: complete, consistent, and true of the torch that is installed."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import re
import subprocess
import sys
import warnings
from operator import attrgetter
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Applicability, Evidence, Finding
from lintorch.core.profile import MEASURED_TORCH, Profile
from lintorch.core.rule import Rule
from lintorch.core.tables import Table, release
from lintorch.core.torch_methods import INPLACE_FUNCTIONS, MODULE_RETURNING
from lintorch.facts.names.torch_aliases import documented_name
from lintorch.fix.fix_rounds import settle
from lintorch.source import Source

RULES = Path(__file__).parent.parent / "rules"
LINTORCH = RULES.parent / "lintorch"
CATALOG = catalog.build_catalog()
NAMES = json.loads((RULES / "api/_retired_names.json").read_text(encoding="utf-8"))
ARGUMENTS = json.loads((RULES / "api/_retired_arguments.json").read_text(encoding="utf-8"))
BUILDERS = json.loads((RULES / "api/_vision_builders.json").read_text(encoding="utf-8"))
SETUP = """
import torch, functorch
import torch.nn as nn
import torch.nn.functional as F
import torch.ao.nn.quantized.functional
import torch.utils._pytree
import torch.autograd.profiler
from torch.utils.data import ConcatDataset
torch.manual_seed(0)
A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
B = torch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]])
LU, PIV = torch.linalg.lu_factor(A)
x = torch.arange(12.0).reshape(1, 1, 3, 4)
p = torch.sigmoid(torch.arange(6.0).reshape(2, 3) / 7)
q = torch.tensor([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
layer = nn.Linear(3, 3)
"""
CALLS = """
torch.cholesky(A)
torch.cholesky(A, upper=True)
torch.cholesky(A, True)
torch.cholesky(A, upper=False)
torch.qr(B)
torch.qr(B, some=False)
torch.qr(B, True)
torch.chain_matmul(A, A, B)
torch.chain_matmul(*[A, B])
torch.range(0, 3)
torch.range(1, len(A))
torch.lu(A)
torch.lu_solve(B, LU, PIV)
torch.ger(A[0], A[1])
torch.norm(A)
torch.norm(A, dim=1)
torch.norm(A, dim=(0, 1))
torch.norm(A, p=2, dim=(0, 1), keepdim=True)
torch.norm(A, 1, dim=0)
torch.norm(A, p=0.5)
torch.norm(A, p="nuc")
torch.norm(A, 2, -1, True)
torch.svd(A)
torch.triangular_solve(B, A)
torch.meshgrid(A[0], A[1])
torch.meshgrid([A[0], A[1]])
torch.meshgrid(*[A[0], A[1]])
torch.cross(A, A + 1)
F.softmax(A)
F.log_softmax(A)
F.softmin(A)
nn.Softmax()(A)
nn.LogSoftmax()(A)
nn.Softmin()(A)
F.upsample(x, scale_factor=2)
F.upsample(x, (6, 8), None, "bilinear")
F.upsample_nearest(x, scale_factor=2)
F.upsample_nearest(x, (6, 8))
F.upsample_bilinear(x, scale_factor=2)
nn.UpsamplingNearest2d(scale_factor=2)(x)
nn.UpsamplingBilinear2d((6, 8))(x)
nn.NLLLoss2d()(torch.log(x[:, :, :, :3] + 1), torch.zeros(1, 3, 3, dtype=torch.long))
nn.Container()
nn.init.uniform(A.clone())
nn.init.constant(A.clone(), 2.0)
nn.init.eye(A.clone())
nn.init.xavier_uniform(A.clone())
nn.init.kaiming_normal(A.clone())
nn.init.orthogonal(A.clone())
nn.utils.clip_grad_norm([nn.Parameter(A)], 1.0)
nn.utils.weight_norm(nn.Linear(3, 3))(A)
nn.utils.stateless.functional_call(layer, {"weight": A}, (A,))
nn.utils.stateless.functional_call(layer, {"weight": A}, A, {})
torch.nn.modules.rnn.apply_permutation(A, torch.tensor([2, 0, 1]))
torch.nn.modules.rnn.apply_permutation(A, torch.tensor([2, 0, 1]), 0)
torch.nn.parallel.scatter_gather.is_namedtuple((1,))
functorch.vmap(torch.sin)(A)
functorch.grad(lambda a: a.sum())(A)
functorch.grad_and_value(lambda a: a.sum())(A)
functorch.vjp(torch.sin, A)[0]
functorch.jacrev(torch.sin)(A[0])
functorch.jacfwd(torch.sin)(A[0])
functorch.hessian(lambda a: a.sum())(A[0])
functorch.functionalize(torch.sin)(A)
functorch.make_functional(layer)
functorch.combine_state_for_ensemble([layer])
torch.testing.assert_allclose(A, A)
torch.testing.assert_allclose(A, A, rtol=1e-3, atol=1e-3)
torch.cuda.memory_cached()
torch.cuda.max_memory_cached()
torch.backends.cuda.sdp_kernel()
torch.has_mps
torch.has_cuda
torch.has_cudnn
torch.has_mkldnn
torch.set_default_tensor_type(torch.FloatTensor)
torch.is_autocast_cpu_enabled()
torch.set_autocast_cpu_enabled(False)
torch.get_autocast_gpu_dtype()
torch.get_autocast_cpu_dtype()
torch.set_autocast_gpu_dtype(torch.float16)
torch.set_autocast_cpu_dtype(torch.bfloat16)
torch.is_autocast_xla_enabled()
torch.FloatStorage(3)
torch.sparse.FloatTensor(2, 3)
torch.distributions.Normal(A, A).sample_n(2)
ConcatDataset([[1], [2, 3]]).cummulative_sizes
torch.utils._pytree.pytree_to_str(torch.utils._pytree.tree_flatten([1])[1])
torch.utils._pytree.LeafSpec()
torch.ao.quantization.get_default_qconfig_dict()
torch.ao.quantization.QConfigDynamic()
torch.symeig(A, eigenvectors=True)
torch.symeig(A, True, upper=False)
torch.matrix_rank(A)
torch.matrix_rank(A, symmetric=True)
torch.solve(A, A)
torch.eig(A)
torch.lstsq(A, A)
torch.rfft(A, 1)
torch.fft(A, 1)
torch.gels(A, A)
torch.is_deterministic()
torch.set_deterministic(False)
torch.testing.randn(2, 3)
torch.testing.get_all_dtypes()
torch.onnx.dynamo_export(layer, A)
torch.onnx.ExportOptions()
torch.export.export_for_training(layer, (A,))
torch.autograd.variable(A)
nn.Hardtanh(min_value=-2.0, max_value=2)(A)
F.gumbel_softmax(A, eps=1e-9).shape
F.gumbel_softmax(A, 1.0, False, 1e-9, 0).shape
F.mse_loss(p, q, size_average=False)
F.mse_loss(p, q, reduce=False)
F.mse_loss(p, q, False, True)
F.mse_loss(p, q, size_average=True, reduce=None)
F.binary_cross_entropy(p, q, None, False)
F.binary_cross_entropy_with_logits(p, q, size_average=False, reduce=False)
F.cross_entropy(p, torch.tensor([0, 2]), size_average=False, ignore_index=2)
F.cross_entropy(p, torch.tensor([0, 2]), None, False, 2)
nn.MSELoss(size_average=False)(p, q)
nn.MSELoss(False)(p, q)
nn.MSELoss(True, False)(p, q)
nn.MSELoss(size_average=False, reduction="none")(p, q)
nn.CrossEntropyLoss(reduce=False)(p, torch.tensor([0, 2]))
nn.SmoothL1Loss(size_average=len(A) > 5)(p, q)
nn.KLDivLoss(reduction="elementwise_mean")(p, q)
A.clone().add_(2, A)
torch.ones(3).add(2, A)
torch.add(A, 2, A)
torch.sub(A, 2, A)
A.clone().sub_(0.5, A)
A.clone().addcmul_(0.5, A, A)
torch.addcdiv(A, 0.5, A, A)
A.clone().addcdiv_(-0.5, A, A + 9)
torch.autograd.backward(A.clone().requires_grad_().sum(), grad_variables=torch.tensor(1.0))
torch.autograd.profiler.profile(use_cuda=True)
torch.profiler.profile(use_cuda=False)
torch.stft(torch.ones(400), 64, window=torch.ones(64), return_complex=False).shape
""".strip().splitlines()


def findings(text: str, profile: Profile | None = None) -> list[Finding]:
    rules = [CATALOG.rules["LT601"], CATALOG.rules["LT602"]]
    return list(
        lint_subject(Source("model.py", text, profile), index_detectors(rules, Evidence.SOURCE))
    )


def expression(text: str) -> str:
    return text.rpartition("    return ")[2].strip()


ALIASES = json.loads((LINTORCH / "facts/names/_torch_aliases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("home", ALIASES)
def test_a_name_of_torch_is_the_same_object_where_torch_documents_it(home: str) -> None:
    defining = importlib.import_module(home)
    for module, names in ALIASES[home].items():
        documenting = importlib.import_module(module)
        for name in names:
            assert getattr(defining, name) is getattr(documenting, name)
            assert documented_name(f"{home}.{name}") == f"{module}.{name}"


def test_a_name_is_known_by_the_module_that_defines_it() -> None:
    text = "from torch.nn.modules.conv import Conv2d\nfrom torch.optim.sgd import SGD as S\nS(Conv2d)\n"
    source = Source("m.py", text)
    (call,) = source.nodes(cst.Call)
    assert source.name(call.func) == "torch.optim.SGD"
    assert source.name(call.args[0].value) == "torch.nn.Conv2d"


def test_methods_that_return_the_module_are_those_that_torch_says() -> None:
    from torch import nn

    methods = {name: each for name, each in vars(nn.Module).items() if inspect.isfunction(each)}
    returns = {name: inspect.signature(each).return_annotation for name, each in methods.items()}
    own = {n for n, what in returns.items() if getattr(what, "__name__", what) in ("Self", "T")}
    layer = nn.Identity()
    overloaded = {"to"} if layer.to("cpu") is layer else set()
    assert overloaded | {name for name in own if not name.startswith("_")} == MODULE_RETURNING


def test_functions_that_write_where_they_are_told_to_are_those_that_take_inplace() -> None:
    from torch.nn import functional

    public = (n for n in dir(functional) if not n.startswith("_"))
    taking = {n for n in public if "inplace" in parameters_of(getattr(functional, n))}
    assert {f"torch.nn.functional.{name}" for name in taking} == INPLACE_FUNCTIONS


def parameters_of(value: object) -> set[str]:
    try:
        return set(inspect.signature(value).parameters) if callable(value) else set()
    except ValueError:  # some of those written in C
        return set()


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, Any]]:
    """For each call what the rules say of it, and what running it and its fix gave.

    Everything runs in one process of its own: torch starts threads, which forks do not survive.
    """
    cases: dict[str, dict[str, Any]] = {}
    for call in CALLS:
        text = f"{SETUP}\n\ndef run():\n    return {call}\n"
        before = findings(text)
        allowed = frozenset({Applicability.SAFE, Applicability.UNSAFE})
        settled = settle(text, findings, allowed)
        cases[call] = {
            "severities": [int(f.severity) for f in before],
            "unsettled": settled.unsettled,
            "safe": all(
                f.fix.applicability is Applicability.SAFE for f in settled.applied if f.fix
            ),
            "setup": settled.text.partition("def run")[0],
            "fixed": expression(settled.text) if settled.applied else "",
        }
    command = [sys.executable, __file__]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    judged: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return judged


@pytest.mark.parametrize("call", CALLS)
def test_what_is_reported_warns_or_fails_and_its_fix_gives_the_same(
    call: str, outcomes: dict[str, dict[str, Any]]
) -> None:
    case = outcomes[call]
    assert case["severities"], "not reported"
    assert case["said"] or max(case["severities"]) == 0, "reported, but torch says nothing"
    assert case["unsettled"] == []
    if case["fixed"]:
        assert not case["still"]
        if case["safe"]:
            assert case["same"]


def evaluated(expression: str, setup: str) -> tuple[object, str]:
    """The value, and what was said against it: an error, or warnings that tell of retirement."""
    import torch

    scope: dict[str, object] = {}
    exec(setup, scope)
    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = eval(expression, scope)
        except (AttributeError, RuntimeError, TypeError) as error:
            return None, f"{type(error).__name__}: {error}"
    return value, "; ".join(str(w.message) for w in said if _TELLS.search(str(w.message)))


_TELLS = re.compile(r"deprecat|removed|required to pass|renamed|is now|no longer|reset_peak", re.I)


def judge(cases: dict[str, dict[str, Any]]) -> None:
    """Run each call and its fix, and add what they gave."""
    import torch

    torch._C._set_warnAlways(True)  # else what warned in an earlier call says nothing now
    for call, case in cases.items():
        value, case["said"] = evaluated(call, SETUP)
        case["still"], case["same"] = "", True
        if case["fixed"]:
            again, case["still"] = evaluated(case["fixed"], case["setup"])
            failed = re.match(r"\w+Error: ", case["said"])
            case["same"] = bool(failed) or same(value, again)


def same(value: object, other: object) -> bool:
    import torch

    if isinstance(value, (tuple, list)):
        assert isinstance(other, (tuple, list))
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, torch.Tensor):
        assert isinstance(other, torch.Tensor)
        alike = value.dtype == other.dtype
        return alike and bool(torch.allclose(value, other, rtol=0, atol=1e-6))
    return value == other if isinstance(value, (int, float, str)) else type(value) is type(other)


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row["name"])
def test_a_retired_name_is_told_completely(row: dict[str, Any]) -> None:
    assert release(row["since"]) <= MEASURED_TORCH
    assert row["removed"] is None or release(row["since"]) <= release(row["removed"])
    assert row["form"].partition(" of ")[0] in ("any", "call", "method", "value", "namespace")
    assert row["arguments"] in ("same", "listed", "none")
    assert row["applicability"] in (None, "safe", "unsafe")
    assert (row["applicability"] is None) == (row["arguments"] == "none")
    assert ("rewrites" in row) == (row["arguments"] == "listed")
    assert bool(row["replacement"]) >= (row["arguments"] == "same")
    assert row["message"]
    assert row["source"]
    if row["replacement"]:
        assert release(row["replacement_since"])


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row["name"])
def test_a_retired_name_is_there_as_long_as_the_table_says(row: dict[str, Any]) -> None:
    for name in (row["name"], *row.get("also", ())):
        stub = "Error" in row["source"] or "error of torch" in row["source"]
        assert (resolve(name) is not None) == (row["removed"] is None or stub), name
    if row["replacement"] and row["replacement"] != "logging":
        assert resolve(row["replacement"]) is not None


def test_fixes_need_no_more_than_import_torch() -> None:
    """A name that a fix writes by `import torch` is there, unless the old one lay beside it."""
    written = {
        name
        for row in NAMES
        if row["applicability"]
        for name in (row["replacement"], *re.findall(r"<([\w.]+)>", json.dumps(row)))
        if name and name.rpartition(".")[0] != row["name"].rpartition(".")[0]
    }
    program = (
        "import functools, json, sys, torch\n"
        "def there(name):\n"
        "    try:\n        functools.reduce(getattr, name.split('.')[1:], torch)\n"
        "    except AttributeError:\n        return False\n"
        "    return True\n"
        "print(json.dumps([n for n in json.loads(sys.argv[1]) if not there(n)]))\n"
    )
    command = [sys.executable, "-c", program, json.dumps(sorted(written))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def resolve(dotted: str) -> object | None:
    """What a dotted name stands for, importing what has to be imported; None if nothing."""
    parts = dotted.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = importlib.import_module(".".join(parts[:end]))
                return functools.reduce(getattr, parts[end:], found)
        except (ImportError, AttributeError):
            continue
    return None


def test_a_table_names_nothing_twice() -> None:
    names = [name for row in NAMES for name in (row["name"], *row.get("also", ()))]
    assert len(names) == len(set(names))
    arguments = [(row["name"], row["argument"]) for row in ARGUMENTS]
    assert len(arguments) == len(set(arguments))


@pytest.mark.parametrize("row", ARGUMENTS, ids=lambda row: f"{row['name']} {row['argument']}")
def test_a_retired_argument_is_one_that_torch_still_takes(row: dict[str, Any]) -> None:
    assert release(row["since"]) <= MEASURED_TORCH
    assert row["kind"] in ("argument", "reduction")
    assert (row["applicability"] is None) or row["kind"] == "reduction" or "becomes" in row
    assert row["message"]
    assert row["source"]
    found = resolve(row["name"])
    if not inspect.isbuiltin(found):
        taking = attrgetter("__init__")(found) if isinstance(found, type) else found
        assert callable(taking)
        signature = inspect.signature(taking).parameters
        assert row["argument"] in signature
        assert [n for n in signature if n in row["parameters"]] == row["parameters"]


def test_builders_of_torchvision_name_an_argument_and_weights() -> None:
    assert BUILDERS["torchvision.models.resnet50"] == {"pretrained": ["weights", "IMAGENET1K_V1"]}
    for name, switches in BUILDERS.items():
        assert name.startswith("torchvision.models.")
        for old, (new, weights) in switches.items():
            assert (old, new) in (
                ("pretrained", "weights"),
                ("pretrained_backbone", "weights_backbone"),
            )
            assert weights is None or re.fullmatch(r"[A-Z0-9_]*", weights)


def test_every_name_of_the_table_passes_the_gate() -> None:
    rule = CATALOG.rules["LT601"]
    for row in NAMES:
        for name in (row["name"], *row.get("also", ())):
            home, _, last = name.rpartition(".")
            spelled = f"import {home} as h\nh.{last}("
            if "method" in row["form"]:
                spelled = f"x.{last}("
            elif home == "torch":
                spelled = f"torch.{last}("
            assert any(word in spelled for word in words(rule)), name


def test_every_method_of_the_table_is_listened_for() -> None:
    methods = {row["name"] for row in NAMES if row["form"] == "method"}
    keys = {key for each in CATALOG.rules["LT601"].detectors for key in each.keys}
    assert methods == {key for key in keys if isinstance(key, str)}


def words(rule: Rule) -> set[str]:
    return {word for detector in rule.detectors for word in detector.needs}


def test_nothing_is_said_before_a_name_was_retired() -> None:
    text = "import torch\n\n\ndef f(a):\n    return torch.cholesky(a), torch.symeig(a)\n"
    assert findings(text, Profile(torch=(1, 8))) == []
    told = findings(text, Profile(torch=(1, 12)))
    assert [str(f.severity) for f in told] == ["note", "note"]
    assert [str(f.severity) for f in findings(text)] == ["note", "error"]


MENDED = {
    "an alias, and the import it leaves idle": (
        "from torch import cholesky as c\n\n\ndef f(a):\n    return c(a)  # keep\n",
        "import torch\n\n\ndef f(a):\n    return torch.linalg.cholesky(a)  # keep\n",
    ),
    "a decorator without call": (
        "from functorch import vmap\n\n\n@vmap\ndef f(x):\n    return x\n",
        "import torch\n\n\n@torch.func.vmap\ndef f(x):\n    return x\n",
    ),
    "other names of the import stay": (
        "from torch.nn.utils import clip_grad_norm, rnn\n\nclip_grad_norm(p, 1)\nrnn.f()\n",
        "from torch.nn.utils import rnn\nimport torch\n\n"
        "torch.nn.utils.clip_grad_norm_(p, 1)\nrnn.f()\n",
    ),
    "a comment between arguments": (
        "import torch\n\nx = torch.lu_solve(a,  # rhs\n    b, c)\n",
        "import torch\n\nx = torch.lu_solve(a,  # rhs\n    b, c)\n",
    ),
    "a call over several lines": (
        "import torch.nn.functional as F\n\nF.upsample_nearest(\n    x,\n    scale_factor=2,  # twice\n)\n",
        "import torch.nn.functional as F\n\n"
        'F.interpolate(\n    x,\n    scale_factor=2, mode="nearest",  # twice\n)\n',
    ),
    "star arguments": (
        "import torch\n\nx = torch.range(*a), torch.meshgrid(*a), torch.lu_solve(*a)\n",
        'import torch\n\nx = torch.range(*a), torch.meshgrid(*a, indexing="ij"), torch.lu_solve(*a)\n',
    ),
    "a tensor method": (
        "import torch\n\n\ndef f(x: torch.Tensor):\n    return (x + 1).qr(some=False)\n",
        "import torch\n\n\ndef f(x: torch.Tensor):\n"
        '    return torch.linalg.qr((x + 1), mode="complete")\n',
    ),
    "both names of an import": (
        "from torch.cuda.amp import autocast, GradScaler\n\nscaler = GradScaler(enabled=True)\n"
        "with autocast(True, dtype):\n    pass\nwith autocast():\n    pass\n",
        'from torch.amp import autocast, GradScaler\n\nscaler = GradScaler("cuda", enabled=True)\n'
        'with autocast("cuda", enabled=True, dtype=dtype):\n    pass\n'
        'with autocast("cuda"):\n    pass\n',
    ),
    "a name of an import that has to stay": (
        "from functools import partial\nfrom torch.cuda.amp import autocast\n\n"
        "make = partial(autocast, enabled=False)\nwith autocast():\n    pass\n",
        "from functools import partial\nfrom torch.cuda.amp import autocast\nimport torch\n\n"
        'make = partial(autocast, enabled=False)\nwith torch.amp.autocast("cuda"):\n    pass\n',
    ),
    "decorators of custom gradients": (
        "import torch\n\n\n@torch.cuda.amp.custom_fwd\ndef f(c, x):\n    return x\n\n\n"
        "@torch.cuda.amp.custom_fwd(cast_inputs=None)\ndef g(c, x):\n    return x\n",
        'import torch\n\n\n@torch.amp.custom_fwd(device_type="cuda")\ndef f(c, x):\n    return x\n\n\n'
        '@torch.amp.custom_fwd(cast_inputs=None, device_type="cuda")\ndef g(c, x):\n    return x\n',
    ),
    "a class imported as a module": (
        "import torch.cuda.amp.autocast as ac\n\nwith ac():\n    pass\n",
        'from torch.amp import autocast as ac\n\nwith ac("cuda"):\n    pass\n',
    ),
    "a switch that is an expression": (
        "from torchvision.models import resnet50\n\nresnet50(pretrained=args.pretrained)\n",
        "from torchvision.models import resnet50\n\n"
        'resnet50(weights="IMAGENET1K_V1" if args.pretrained else None)\n',
    ),
    "a switch with others behind it": (
        "from torch import nn\n\nnn.CrossEntropyLoss(w, False, 255)\n",
        'from torch import nn\n\nnn.CrossEntropyLoss(w, None, 255, reduction="sum")\n',
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_a_fix_keeps_imports_and_layout_right(name: str) -> None:
    before, after = MENDED[name]
    rules = [CATALOG.rules[code] for code in ("LT601", "LT602", "LT603")]
    detectors = index_detectors(rules, Evidence.SOURCE)
    allowed = frozenset({Applicability.SAFE})
    settled = settle(
        before, lambda t: list(lint_subject(Source("model.py", t), detectors)), allowed
    )
    assert settled.text == after


def test_a_table_is_read_only_when_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "_facts.json").write_text('[{"name": "a", "also": ["b"]}]')
    table = Table(str(tmp_path / "rule.py"), "_facts.json")
    assert "rows" not in vars(table)
    assert set(table.by_name) == {"a", "b"}


def test_a_changed_table_changes_the_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "_facts.json").write_text("[]")
    before = catalog.build_catalog([str(tmp_path)]).fingerprint
    (tmp_path / "_facts.json").write_text("[1]")
    assert catalog.build_catalog([str(tmp_path)]).fingerprint != before


if __name__ == "__main__":
    given = json.load(sys.stdin)
    judge(given)
    print(json.dumps(given))
