"""Each exporter on small models whose fate under it was measured on torch 2.13 and ONNX Runtime."""

from __future__ import annotations

import importlib.util
import inspect
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.autograd import Function  # noqa: E402

from lintorch.core.profile import EXPORTERS, MEASURED  # noqa: E402
from lintorch.guest.export import exporters, find_exporter, try_export  # noqa: E402
from lintorch.guest.export.exporter import Exporter  # noqa: E402
from lintorch.guest.export.module_state import copy_module  # noqa: E402
from lintorch.guest.feed.other_sizes import vary_sizes  # noqa: E402
from lintorch.record.models import Input, Model  # noqa: E402
from lintorch.record.outcomes import (  # noqa: E402
    AS_TRACED,
    IN_TRAINING,
    Outcome,
    SizeLimit,
    Variation,
)
from lintorch.record.sites import Site  # noqa: E402

ALL = MEASURED
logging.getLogger("torch.onnx").setLevel(logging.ERROR)


class Flattened(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x).mean(3)
        return y.view(x.size(0), -1)


class IntSize(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        batch = int(x.size(0))
        return (x * 2).view(batch, -1)


class DataSize(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x * 2).view(x.data.size(0), -1)


class Looped(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        total = x[:, :, 0]
        for row in range(x.size(2)):
            total = total + x[:, :, row]
        return total, x


class Pooled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(8)

    def forward(self, x: Tensor) -> Tensor:
        x = x + 1
        return self.pool(x)


class ViewWrite(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x * 2
        y.flatten(1).mul_(3)
        return y + 1


class Normed(nn.Module):
    def __init__(self, norm: type[nn.Module] = nn.BatchNorm2d) -> None:
        super().__init__()
        self.norm = norm(3)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x)


class Resized(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


class Untranslated(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        q = torch.linalg.qr(x)[0]
        return torch.special.bessel_j0(q)


class Special(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x = torch.special.i0e(x)
        return torch.special.bessel_j0(x)


class Noisy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(x, 0.5)


class RarelyNoisy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        scale = 2.0 if float(torch.rand(())) < 0.1 else 1.0
        return x * scale * float(x.shape[0])


class Lucky(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2 if float(torch.rand(())) < 0.1 else x + 1


KEPT: dict[str, Tensor] = {}


def keep_output(module: nn.Module, given: object, output: Tensor) -> None:
    KEPT["conv"] = output


class HookedToDict(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.kept = nn.Conv2d(3, 4, 1), KEPT
        self.conv.register_forward_hook(keep_output)

    def forward(self, x: Tensor) -> Tensor:
        self.conv(x)
        return self.kept["conv"] * 2


class HookedToItself(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.kept: dict[str, Tensor] = {}
        self.conv.register_forward_hook(lambda _, given, output: self.kept.update(conv=output))

    def forward(self, x: Tensor) -> Tensor:
        self.conv(x)
        return self.kept["conv"] * 2


class NoisyBaked(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(x, 0.5).view(int(x.size(0)), -1)


names: dict[str, Any] = {"__name__": __name__}
exec("def unread(x):\n    return x * 2", names)


class Unread(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return unread(x)


unread = names["unread"]


def spread(*tensors: Tensor, **options: object) -> Tensor:
    return tensors[0] * 2


class Spread(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return spread(x)


class Asked(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        peak = int(x.amax())
        return x + peak if peak > 1 else x


class Named(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor | None]:
        return {"twice": x * 2, "none": None}


def label(x: Tensor) -> dict[str, Tensor]:
    return {"share": x / float(x.size(0))}


class Labelled(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return label(x)


@dataclass
class Holder:
    held: Tensor


class Cached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.grid: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.grid is None or self.grid.shape != x.shape[2:]:
            self.grid = torch.ones(x.size(2), x.size(3)).cumsum(1)
        return x * self.grid


class Renewed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        self.grid = torch.ones(x.size(2), x.size(3)).cumsum(1)
        return x * self.grid


class Held(nn.Module):
    def forward(self, x: Tensor) -> Holder:
        return Holder(x * 2)


class Counted(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, None, int]:
        lost = 0
        return x * 2, None, lost


class Sized(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        return x * 2, x.size(2)


class Fixed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        assert x.size(2) == 16
        return x * 2


class Divisible(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(3, 4, 2, 2)
        self.up = nn.ConvTranspose2d(4, 3, 2, 2)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(2) % 16 or x.size(3) % 16:
            raise ValueError("sizes must be divisible by 16")
        return x + self.up(self.down(x))


class Rounding(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.round()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


class Rounded(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(Rounding.apply(4 * x))


class Pair(NamedTuple):
    first: Tensor
    second: Tensor


class Paired(nn.Module):
    def forward(self, x: Tensor) -> Pair:
        return Pair(2 * x, x + 1)


def tried(
    module: nn.Module,
    exporter: str,
    directory: Path,
    *,
    opset: int | None = None,
    train: bool = False,
    shape: tuple[int | str, ...] | None = None,
    strict: bool = True,
) -> Outcome:
    image = Input("x", "float32", shape or ("batch", 3, "height", "width"))
    model = Model("m.py", "M", 1, inputs=(image,), sizes={"batch": 2, "height": 16, "width": 16})

    def runs(sizes: Mapping[str, int]) -> bool:
        try:
            with copy_module(module) as copied:
                copied(
                    *(torch.zeros([s if isinstance(s, int) else sizes[s] for s in image.shape]),)
                )
        except Exception:
            return False
        return True

    return try_export(
        exporter,
        module.eval(),
        model,
        vary_sizes(model.sizes, runs),
        opset=opset,
        train=train,
        user_file=lambda path: "m.py" if path == __file__ else None,
        directory=directory,
        strict=strict,
    )


def row_of(model: type[nn.Module], text: str) -> int:
    lines, first = inspect.getsourcelines(model)
    return next(first + i for i, line in enumerate(lines) if text in line)


def site_of(outcome: Outcome) -> Site:
    assert outcome.site is not None, outcome.message
    return outcome.site


@pytest.mark.parametrize("name", EXPORTERS)
def test_an_exporter_is_a_module_that_takes_what_it_is_given(name: str) -> None:
    for function in ("available", "export", "explain", "script"):
        given = inspect.signature(getattr(find_exporter(name), function))
        asked = inspect.signature(getattr(Exporter, function))
        assert list(given.parameters.values()) == list(asked.parameters.values())[1:]
        assert given.return_annotation == asked.return_annotation


def test_every_exporter_that_is_there_can_be_asked_for() -> None:
    files = Path(exporters.__file__).parent.glob("*.py")
    there = {path.stem for path in files if "\ndef export(" in path.read_text("utf-8")}
    assert there == {name.replace(".", "_").replace("-", "_") for name in EXPORTERS}


@pytest.mark.parametrize(
    ("exporter", "package"),
    [
        ("openvino", "openvino"),
        ("ncnn", "pnnx"),
        ("executorch", "executorch"),
        ("litert", "litert_torch"),
        ("coreml", "coremltools"),
        ("tvm", "tvm"),
        ("mnn", "MNN"),
        ("onnx2tf", "onnx2tf"),
    ],
)
class TestConverter:
    """Converters that are installed by themselves; their telemetry writes to a home."""

    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))

    def test_its_absence_says_what_to_install(
        self, exporter: str, package: str, tmp_path: Path
    ) -> None:
        outcome = tried(Flattened(), exporter, tmp_path)
        there = importlib.util.find_spec(package) is not None
        assert (outcome.status == "unavailable") == (not there)
        named = (f"pip install {package}", f'pip install "lintorch[{exporter}]"')
        assert there or any(each in outcome.message for each in named)

    def test_numbers_are_right_at_every_size(
        self, exporter: str, package: str, tmp_path: Path
    ) -> None:
        pytest.importorskip(package)
        assert tried(Normed(), exporter, tmp_path).status == "ok"
        outcome = tried(Named(), exporter, tmp_path)
        assert (outcome.status, outcome.message) == ("ok", "")
        varied = bool(outcome.compared) and any(outcome.compared)
        assert varied == (exporter not in ("litert", "coreml", "onnx2tf")), outcome.detail

    def test_every_operator_without_translation_is_named(
        self, exporter: str, package: str, tmp_path: Path
    ) -> None:
        pytest.importorskip(package)
        outcome = tried(Special(), exporter, tmp_path)
        assert (outcome.status, outcome.stage) == ("failed", "export")
        operators = ("aten::special_i0e", "aten::special_bessel_j0")
        first_only = exporter == "executorch"  # it says no more
        named = operators[:1] if first_only else operators
        assert set(outcome.operators) == set(named)
        assert site_of(outcome).row == row_of(Special, "i0e")


@pytest.mark.parametrize("exporter", ALL)
def test_plain_sizes_are_right_at_every_size(exporter: str, tmp_path: Path) -> None:
    outcome = tried(Flattened(), exporter, tmp_path)
    assert (outcome.status, outcome.wrong, outcome.detail) == ("ok", (), "")
    assert (outcome.opset is not None) == exporter.startswith("onnx")


@pytest.mark.parametrize("exporter", ["onnx-legacy", "torchscript-trace"])
@pytest.mark.parametrize("model", [IntSize, DataSize])
def test_a_baked_batch_is_wrong_at_another_batch(
    exporter: str, model: type[nn.Module], tmp_path: Path
) -> None:
    outcome = tried(model(), exporter, tmp_path)
    assert outcome.status == "wrong"
    assert set(outcome.wrong_at) == {Variation(("batch",), (3,))}
    assert "at batch 3" in outcome.detail
    warned = [site for text, site in outcome.warnings if site]
    assert [site.row for site in warned] == ([row_of(model, "int(")] if model is IntSize else [])


@pytest.mark.parametrize("exporter", ["torch.export", "onnx", "torchscript-script"])
def test_a_read_through_data_is_right_where_it_stays_symbolic(
    exporter: str, tmp_path: Path
) -> None:
    assert tried(DataSize(), exporter, tmp_path).status == "ok"


def test_a_baked_batch_is_refused_by_torch_export_at_its_line(tmp_path: Path) -> None:
    outcome = tried(IntSize(), "torch.export", tmp_path)
    assert (outcome.status, outcome.stage) == ("failed", "export")
    assert "batch (2)" in outcome.message
    assert (site_of(outcome).path, site_of(outcome).row) == ("m.py", row_of(IntSize, "int("))


def test_a_loop_over_a_size_is_refused_by_onnx_at_its_line(tmp_path: Path) -> None:
    outcome = tried(Looped(), "onnx", tmp_path)
    assert (outcome.status, site_of(outcome).row) == ("failed", row_of(Looped, "range("))
    assert "height (16)" in outcome.message


def test_a_loop_over_a_fixed_size_is_right_and_inputs_can_be_given_back(tmp_path: Path) -> None:
    assert tried(Looped(), "onnx", tmp_path, shape=("batch", 3, 4, 4)).status == "ok"


def test_a_module_that_cannot_be_copied_is_left_as_it_was(tmp_path: Path) -> None:
    module = nn.Sequential(nn.BatchNorm2d(3), nn.Conv2d(3, 3, 1))
    module.kept = module[1].weight * 2
    before = {name: value.clone() for name, value in module.state_dict().items()}
    tried(module, "torchscript-trace", tmp_path, train=True)
    assert not any(part.training for part in module.modules())
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


class Halving(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[2] * x.shape[3] > 4_000_000:
            return x[:, :, ::2, ::2]
        return x.relu()


def test_what_is_too_large_to_be_tried_is_a_limit_of_a_right_export(tmp_path: Path) -> None:
    outcome = tried(Halving(), "torch.export", tmp_path)
    site = Site("m.py", row_of(Halving, "4_000_000"), "forward")
    assert outcome.status == "ok"
    assert outcome.limits == (SizeLimit("height*width <= 4000000", site, (), decided=True),)


class Squared(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.relu() if x.shape[2] == x.shape[3] else x.sigmoid()


def test_sizes_that_the_example_ties_are_a_limit_of_a_wrong_export(tmp_path: Path) -> None:
    outcome = tried(Squared(), "torch.export", tmp_path)
    (limit,) = outcome.limits
    assert limit.condition == "height == width"
    assert {at.sizes for at in limit.at} == {(33, 41), (8, 12)}
    assert outcome.is_explained(decided=True)


class Halved(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + F.interpolate(F.avg_pool2d(x, 2), scale_factor=2.0)


def test_what_the_model_itself_asks_of_sizes_is_no_limit(tmp_path: Path) -> None:
    outcome = tried(Halved(), "torch.export", tmp_path)
    assert (outcome.status, outcome.limits) == ("ok", ())


def test_a_pool_to_a_fixed_size_is_wrong_at_another_size(tmp_path: Path) -> None:
    outcome = tried(Pooled(), "onnx", tmp_path)
    larger, smaller = (33, 41), (8, 12)
    sides = ("height", "width")
    assert outcome.wrong_at == {Variation(sides, larger): None, Variation(sides, smaller): None}
    assert "at height,width 33×41" in outcome.detail


def test_a_pool_to_a_fixed_size_is_refused_by_the_legacy_exporter(tmp_path: Path) -> None:
    outcome = tried(Pooled(), "onnx-legacy", tmp_path)
    assert (outcome.status, outcome.operators) == ("failed", ())
    assert "adaptive_avg_pool2d" in outcome.message
    assert site_of(outcome).row == row_of(Pooled, "self.pool(x)")


def test_a_pool_to_a_fixed_size_is_right_where_the_size_is_fixed(tmp_path: Path) -> None:
    shape = ("batch", 3, 16, 16)
    assert tried(Pooled(), "onnx", tmp_path, shape=shape).status == "ok"
    assert tried(Pooled(), "onnx-legacy", tmp_path, shape=shape).status == "ok"


def test_a_write_through_a_view_is_lost_by_the_legacy_exporter(tmp_path: Path) -> None:
    wrong = tried(ViewWrite(), "onnx-legacy", tmp_path).wrong_at[AS_TRACED]
    assert wrong is not None
    assert wrong > 1
    assert tried(ViewWrite(), "onnx", tmp_path).status == "ok"


def test_script_refuses_sync_batch_norm(tmp_path: Path) -> None:
    outcome = tried(Normed(nn.SyncBatchNorm), "torchscript-script", tmp_path)
    assert (outcome.status, outcome.stage) == ("failed", "export")
    assert tried(Normed(nn.SyncBatchNorm), "torch.export", tmp_path).status == "ok"


@pytest.mark.parametrize("exporter", ALL)
def test_training_mode_changes_what_some_exporters_write(exporter: str, tmp_path: Path) -> None:
    module = Normed()
    before = module.norm.running_mean.clone()
    outcome = tried(module, exporter, tmp_path, train=True)
    as_in_eval = exporter.startswith("onnx")
    assert set(outcome.wrong_at) == (set() if as_in_eval else {IN_TRAINING})
    assert not module.norm.training
    assert torch.equal(module.norm.running_mean, before)


def test_dropout_in_training_mode_stays_in_the_file_but_for_the_legacy_exporter(
    tmp_path: Path,
) -> None:
    module = nn.Sequential(nn.Dropout(0.5))
    assert set(tried(module, "onnx", tmp_path, train=True).wrong_at) == {IN_TRAINING}
    assert tried(module, "onnx-legacy", tmp_path, train=True).status == "ok"


def test_bilinear_resizing_is_wrong_at_opset_10_only(tmp_path: Path) -> None:
    old = tried(Resized(), "onnx-legacy", tmp_path, opset=10)
    assert (old.status, old.opset) == ("wrong", 10)
    new = tried(Resized(), "onnx-legacy", tmp_path, opset=11)
    assert (new.status, new.opset) == ("ok", 11)


@pytest.mark.parametrize("exporter", ["onnx", "onnx-legacy"])
def test_every_operator_without_translation_is_named(exporter: str, tmp_path: Path) -> None:
    outcome = tried(Untranslated(), exporter, tmp_path)
    assert (outcome.status, outcome.stage) == ("failed", "export")
    assert outcome.operators == ("aten::linalg_qr", "aten::special_bessel_j0")
    assert site_of(outcome).row == row_of(Untranslated, "linalg.qr")


def test_a_random_model_is_said_to_be_random(tmp_path: Path) -> None:
    outcome = tried(Noisy(), "torch.export", tmp_path)
    assert (outcome.status, outcome.drawn_once) == ("random", False)
    assert "itself is random" in outcome.detail


def test_a_model_that_draws_is_run_until_a_draw_matters(tmp_path: Path) -> None:
    torch.manual_seed(0)
    rare = tried(RarelyNoisy(), "torchscript-trace", tmp_path)
    assert (rare.status, rare.drawn_once) == ("random", True)


def test_what_agrees_by_luck_alone_is_random(tmp_path: Path) -> None:
    torch.manual_seed(2)
    lucky = tried(Lucky(), "torchscript-trace", tmp_path)
    assert (lucky.status, lucky.drawn_once) == ("random", True)


@pytest.mark.parametrize("hooked", [HookedToDict, HookedToItself])
@pytest.mark.parametrize("exporter", ["torch.export", "torchscript-trace"])
def test_what_hooks_write_is_there_for_the_forward_that_reads_it(
    hooked: type[nn.Module], exporter: str, tmp_path: Path
) -> None:
    assert tried(hooked(), exporter, tmp_path).status == "ok"


def test_a_random_model_can_be_of_a_wrong_shape(tmp_path: Path) -> None:
    batch = Variation(("batch",), (3,))
    assert tried(NoisyBaked(), "torchscript-trace", tmp_path).wrong_at == {batch: None}


def test_an_opset_below_what_the_new_exporter_writes_is_reached_where_all_converts(
    tmp_path: Path,
) -> None:
    reached = tried(nn.Sequential(nn.Conv2d(3, 4, 3)), "onnx", tmp_path, opset=17)
    assert (reached.status, reached.opset, reached.detail) == ("ok", 17, "")
    kept = tried(Flattened(), "onnx", tmp_path, opset=17)  # no conversion of a mean
    assert (kept.status, kept.opset) == ("ok", 18)
    assert kept.detail == "opset 17 was asked for, 18 was written"


def test_a_message_is_the_same_at_every_run(tmp_path: Path) -> None:
    outcome = tried(Unread(), "torchscript-script", tmp_path)
    assert "<function unread>" in outcome.message


def test_a_value_asked_of_a_tensor_is_refused_at_its_line(tmp_path: Path) -> None:
    outcome = tried(Asked(), "torch.export", tmp_path)
    assert (outcome.status, site_of(outcome).row) == ("failed", row_of(Asked, "int("))
    assert "data-dependent" in outcome.message
    assert "unhinted" not in outcome.message


def test_a_function_that_the_compiler_refuses_is_named(tmp_path: Path) -> None:
    assert tried(Spread(), "torchscript-script", tmp_path).message.endswith(": spread()")


@pytest.mark.parametrize("exporter", ALL[:3])
def test_mappings_and_none_can_be_given_back(exporter: str, tmp_path: Path) -> None:
    assert tried(Named(), exporter, tmp_path).status == "ok"


def test_what_a_trace_does_not_take_is_refused_where_it_is_returned(tmp_path: Path) -> None:
    outcome = tried(Labelled(), "torchscript-trace", tmp_path)
    assert (outcome.status, outcome.returned) == ("failed", "a dict")
    assert outcome.site is not None
    assert outcome.site.row == row_of(Labelled, "return label")
    assert "strict=False takes it, and is then wrong: at batch 3" in outcome.message


@pytest.mark.parametrize("exporter", ["torchscript-trace", "torchscript-script"])
def test_what_cannot_be_saved_is_refused_at_its_line(exporter: str, tmp_path: Path) -> None:
    outcome = tried(Rounded(), exporter, tmp_path)
    assert (outcome.status, outcome.stage) == ("failed", "save")
    assert site_of(outcome).row == row_of(Rounded, "Rounding.apply")


def test_a_named_tuple_is_exported_and_not_saved(tmp_path: Path) -> None:
    outcome = tried(Paired(), "torch.export", tmp_path)
    assert (outcome.status, outcome.stage, outcome.returned) == ("failed", "save", "a named tuple")
    assert site_of(outcome).row == row_of(Paired, "return")
    assert tried(Paired(), "onnx", tmp_path).status == "ok"


def test_a_trace_takes_dicts_where_the_project_says_so(tmp_path: Path) -> None:
    wrong = tried(Labelled(), "torchscript-trace", tmp_path, strict=False).wrong_at
    assert wrong.keys() == {Variation(("batch",), (3,))}


@pytest.mark.parametrize("exporter", ALL[:4])
def test_an_object_is_refused_where_it_is_returned(exporter: str, tmp_path: Path) -> None:
    outcome = tried(Held(), exporter, tmp_path)
    assert (outcome.status, outcome.returned) == ("failed", "an object of class Holder")
    assert outcome.site is not None
    assert outcome.site.row == row_of(Held, "return")


@pytest.mark.parametrize("exporter", ["onnx", "onnx-legacy"])
def test_of_several_odd_outputs_the_one_that_is_refused_is_told(
    exporter: str, tmp_path: Path
) -> None:
    outcome = tried(Counted(), exporter, tmp_path)
    assert (outcome.status, outcome.returned) == ("failed", "a number")
    assert outcome.message.startswith("forward returns a number; return tensors alone")
    assert site_of(outcome).row == row_of(Counted, "return")


def test_what_a_run_leaves_is_found_in_an_export_after_it(tmp_path: Path) -> None:
    told = "exported after a run, which leaves grid: "
    outcome = tried(Cached(), "torchscript-trace", tmp_path)
    assert (outcome.status, outcome.kept, outcome.wrong) == ("wrong", ("grid",), ())
    assert outcome.detail.startswith(f"{told}at height,width 33×41")
    outcome = tried(Cached(), "torch.export", tmp_path)
    assert (outcome.status, outcome.kept) == ("failed", ("grid",))
    assert outcome.message.startswith(f"{told}ConstraintViolationError")


def test_what_each_run_writes_before_it_is_read_is_no_state(tmp_path: Path) -> None:
    assert tried(Renewed(), "torchscript-trace", tmp_path).status == "ok"


def test_sizes_among_outputs_are_not_compared(tmp_path: Path) -> None:
    for exporter in ("onnx", "onnx-legacy", "torchscript-trace"):
        assert tried(Sized(), exporter, tmp_path).status == "ok", exporter


def test_a_size_that_the_model_itself_fixes_is_exported_fixed(tmp_path: Path) -> None:
    assert tried(Fixed(), "torch.export", tmp_path).status == "ok"


@pytest.mark.parametrize("exporter", ALL)
def test_a_size_that_must_be_divisible_is_still_dynamic(exporter: str, tmp_path: Path) -> None:
    assert tried(Divisible(), exporter, tmp_path).status == "ok"


def test_nothing_is_written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "given").mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    tried(Untranslated(), "onnx", Path(tmp_path / "given"))
    assert list(elsewhere.iterdir()) == []
