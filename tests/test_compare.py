"""`lintorch compare`: what sets an .onnx file apart from its model, each cause shown by numbers and none told falsely."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import onnx
import pytest
import torch
from running import lintorch
from torch import nn

from lintorch.guest.beside.layer_names import find_layer, list_stripped

MODELS = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x))) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.Sequential(Block(8), Block(8))
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.blocks(self.stem(x)).mean((2, 3))
        return self.head(self.drop(x))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({"places": nn.Embedding(12, 8), "proj": nn.Linear(8, 8), "back": nn.Linear(8, 8)})
        self.normed = nn.utils.weight_norm(nn.Linear(8, 8))

    def forward(self, x):
        x = x + self.parts.places(torch.arange(x.shape[1]))
        return self.parts.back(self.normed(self.parts.proj(x).relu()).relu())


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right, self.out = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, query, key):
        return self.out(torch.tanh(self.left(query) - 2 * self.right(key)))


class Coded(nn.Module):
    def __init__(self, corners=False, act="tanh", fill="zeros", short=False):
        super().__init__()
        self.stem = nn.Conv2d(3, 6, 3, padding=1, padding_mode=fill)
        self.body = nn.Sequential(nn.Conv2d(6, 6, 1), nn.ReLU())
        self.out = nn.Conv2d(6, 2, 1)
        self.corners, self.act, self.short = corners, act, short

    def forward(self, x):
        y = self.stem(x)
        y = getattr(torch, self.act)(y if self.short else self.body(y))
        y = nn.functional.interpolate(y, scale_factor=2, mode="bilinear", align_corners=self.corners)
        return self.out(y)


class Baked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.out = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        y = self.conv(x)
        y = y * (8.0 / int(x.shape[2]))
        return self.out(y)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.LSTM(4, 6, batch_first=True, bidirectional=True), nn.Linear(12, 3)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


class Normalised(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.conv((x - 0.4) / 0.25)


class Idle(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, hint):
        return self.fc(x)


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, mask):
        return self.fc(x * mask)


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x):
        return self.a(x), self.b(x)


class Headed(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.body, self.head = nn.Linear(6, 4), nn.Linear(4, classes)

    def forward(self, x):
        return self.head(self.body(x))


class Channels(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.drop = nn.Dropout2d(0.5)

    def forward(self, x):
        return self.drop(self.conv(x)).relu()


class Tuned(nn.Module):
    def __init__(self, eps=1e-5, act=nn.ReLU, slope=0.01):
        super().__init__()
        self.proj, self.norm, self.act = nn.Linear(4, 8), nn.LayerNorm(8, eps=eps), act()
        self.leak, self.out = nn.LeakyReLU(slope), nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.leak(self.act(self.norm(self.proj(x))) - 0.5))
"""


class Around(nn.Module):  # type: ignore[misc]
    """A model, and something done to its inputs or outputs."""

    def __init__(self, model: nn.Module, change: Callable[..., Any]) -> None:
        super().__init__()
        self.model, self.change = model, change

    def forward(self, *given: Any) -> Any:
        return self.change(self.model, *given)


class Place:
    """A folder with the models, and what `lintorch compare` says there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "nets.py").write_text(MODELS, "utf-8")
        spec = importlib.util.spec_from_file_location("nets_of_tests", folder / "nets.py")
        assert spec is not None
        assert spec.loader is not None
        self.nets: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.nets)

    def make(self, name: str) -> nn.Module:
        """A model with weights and statistics that chance gave it."""
        torch.manual_seed(11)
        model: nn.Module = getattr(self.nets, name)()
        for part in model.modules():
            if isinstance(part, nn.BatchNorm2d):
                nn.init.normal_(part.running_mean)
                nn.init.uniform_(part.running_var, 0.5, 2)
                nn.init.uniform_(part.weight, 0.5, 2)
        return model.eval()

    def export(
        self, model: nn.Module, *given: torch.Tensor, dynamo: bool = False, **how: Any
    ) -> Path:
        path = self.folder / "model.onnx"
        quiet = {"verbose": False} if dynamo else {}
        torch.onnx.export(model, given, str(path), dynamo=dynamo, **quiet, **how)
        return path

    def compare(self, name: str, *options: object, code: int) -> dict[str, Any]:
        """What is told as JSON; `code` is the exit code that has to be."""
        end = lintorch("compare", f"nets.py:{name}", "model.onnx", "--output-format", "json", *options,
                       cwd=self.folder)  # fmt: skip
        assert end.returncode == code, end.stdout + end.stderr
        told: dict[str, Any] = json.loads(end.stdout)
        return told


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def kinds(told: dict[str, Any], of: str = "causes") -> list[str]:
    return [cause["kind"] for cause in told[of]]


IMAGE = torch.randn(2, 3, 16, 16)


@pytest.mark.parametrize("dynamo", [False, True], ids=["legacy", "dynamo"])
def test_a_right_file_with_folded_norms_agrees(place: Place, dynamo: bool) -> None:
    place.export(place.make("Net"), IMAGE, dynamo=dynamo)
    told = place.compare("Net", code=0)
    assert told["agrees"]
    assert kinds(told) == []
    assert "BatchNorm of 2 layers" in told["weights"]
    assert "fixed-size" in kinds(told, "notes")


@pytest.mark.parametrize("dynamo", [False, True], ids=["legacy", "dynamo"])
def test_what_an_exporter_computes_of_weights_is_taken_back(place: Place, dynamo: bool) -> None:
    """Rows of a table at constant places, the weight of weight_norm, layers of a container nobody calls."""
    place.export(place.make("Words"), torch.randn(2, 5, 8), dynamo=dynamo, input_names=["x"])
    assert kinds(place.compare("Words", code=0)) == []


def test_other_weights_and_half_precision_are_both_told(place: Place) -> None:
    model = place.make("Pair")
    state = {key: value * 1.3 for key, value in model.state_dict().items()}
    torch.save(state, place.folder / "other.pt")
    given = torch.randn(2, 6).half(), torch.randn(2, 6).half()
    place.export(model.half(), *given, input_names=["query", "key"])
    told = place.compare("Pair", "--checkpoint", "other.pt", code=1)
    assert kinds(told) == ["weights"]
    assert "precision" in kinds(told, "notes")


def test_a_right_file_agrees_at_other_sizes_and_with_its_checkpoint(place: Place) -> None:
    model = place.make("Net")
    torch.save({"state_dict": {f"module.{k}": v for k, v in model.state_dict().items()}},
               place.folder / "best.pt")  # fmt: skip
    axes = {"x": {0: "batch", 2: "height", 3: "width"}}
    place.export(model, IMAGE, input_names=["x"], dynamic_axes=axes)
    told = place.compare("Net", "--checkpoint", "best.pt", code=0)
    assert kinds(told) == []
    assert len(told["runs"]) > 1
    assert kinds(told, "notes") == []


def test_training_mode_is_told_with_the_first_layer_and_its_line(place: Place) -> None:
    mode = torch.onnx.TrainingMode.TRAINING
    place.export(place.make("Net").train(), IMAGE, training=mode)
    told = place.compare("Net", code=1)
    assert kinds(told) == ["training-mode"]
    assert "BatchNormalization" in told["causes"][0]["text"]
    assert told["first_differing"]["name"] == "blocks.0.norm"
    assert told["last_agreeing"]["name"] == "blocks.0.conv"
    row = told["first_differing"]["called"]["row"]
    assert "self.norm(" in MODELS.splitlines()[row - 1]


def test_channels_that_are_dropped_are_told_as_training(place: Place) -> None:
    """Dropout2d has no operator of its own: the file draws numbers."""
    place.export(place.make("Channels").train(), IMAGE, dynamo=True)
    told = place.compare("Channels", code=1)
    assert kinds(told) == ["training-mode"]
    assert "two runs of the file on the same input differ" in told["causes"][0]["proof"]


SETTINGS = {
    "epsilon": ({"eps": 0.05}, "norm has epsilon 0.05 in the file, and 1e-05 in the model"),
    "slope": ({"slope": 0.3}, "leak has negative_slope 0.3 in the file, and 0.01 in the model"),
    "activation": ({"act": nn.GELU}, "act computes GELU in the file, and ReLU in the model"),
    "other slope": (
        {"act": lambda: nn.LeakyReLU(0.2)},
        "act computes LeakyReLU(0.2) in the file, and ReLU in the model",
    ),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_another_setting_of_a_layer_is_named(setting: str, place: Place) -> None:
    given, said = SETTINGS[setting]
    model = place.nets.Tuned(**given).eval()
    model.load_state_dict(place.make("Tuned").state_dict())
    place.export(model, torch.randn(2, 4), input_names=["x"])
    told = place.compare("Tuned", code=1)
    assert [(each["kind"], each["text"]) for each in told["causes"]] == [("setting", said)]


CODED: dict[str, tuple[dict[str, Any], str, str]] = {
    "corners": ({"corners": True}, "setting", "Resize of mode linear, align_corners"),
    "function": ({"act": "sigmoid"}, "setting", "the file has sigmoid, and the model calls tanh"),
    "padding": ({"fill": "reflect"}, "setting", "stem has padding_mode 'reflect' in the file"),
    "left out": ({"short": True}, "missing-layer", "body (Sequential) is left out in the file"),
}


@pytest.mark.parametrize("changed", CODED)
def test_other_code_is_named(changed: str, place: Place) -> None:
    given, kind, said = CODED[changed]
    state = place.make("Coded").state_dict()
    model = place.nets.Coded(**given).eval()
    model.load_state_dict(state)
    place.export(model, torch.randn(1, 3, 8, 8), input_names=["x"])
    torch.save(state, place.folder / "coded.pt")
    told = place.compare("Coded", "--checkpoint", "coded.pt", code=1)
    (cause,) = (each for each in told["causes"] if each["kind"] in ("setting", "missing-layer"))
    assert cause["kind"] == kind
    assert said in cause["text"]


@pytest.mark.parametrize("dynamo", [False, True], ids=["legacy", "dynamo"])
def test_other_weights_are_named_even_in_folded_layers(place: Place, dynamo: bool) -> None:
    model = place.make("Net")
    place.export(model, IMAGE, dynamo=dynamo)
    state = model.state_dict()
    state["blocks.1.conv.weight"] = state["blocks.1.conv.weight"] * 1.5
    torch.save(state, place.folder / "other.pt")
    told = place.compare("Net", "--checkpoint", "other.pt", code=1)
    assert kinds(told) == ["weights"]
    assert "blocks.1.conv.weight" in told["causes"][0]["text"]
    assert "blocks.0" not in told["causes"][0]["text"]
    assert told["first_differing"]["name"].startswith("blocks.1")


def test_own_weights_that_chance_gave_are_others_than_the_files(place: Place) -> None:
    place.export(
        place.make("Pair"), torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"]
    )
    assert kinds(place.compare("Pair", code=0)) == []
    assert kinds(place.compare("Pair", "--own-weights", code=1)) == ["weights"]


def test_swapped_inputs_are_told_and_those_in_order_are_not(place: Place) -> None:
    given = torch.randn(2, 6), torch.randn(2, 6)
    swapped = Around(place.make("Pair"), lambda model, a, b: model(b, a)).eval()
    place.export(swapped, *given, input_names=["query", "key"])
    told = place.compare("Pair", code=1)
    assert kinds(told) == ["input-order"]
    assert "`query` of the file is `key` of the model" in told["causes"][0]["text"]


def test_a_file_with_its_inputs_in_another_order_is_right_and_said(place: Place) -> None:
    given = torch.randn(2, 6), torch.randn(2, 6)
    turned = Around(place.make("Pair"), lambda model, a, b: model(b, a)).eval()
    place.export(turned, *given, input_names=["key", "query"])
    told = place.compare("Pair", code=0)
    assert "input-places" in kinds(told, "notes")
    (text,) = [each["text"] for each in told["notes"] if each["kind"] == "input-places"]
    assert "order `key`, `query`, forward in the order `query`, `key`" in text
    place.export(place.make("Pair"), *given, input_names=["query", "key"])
    assert "input-places" not in kinds(place.compare("Pair", code=0), "notes")


class Held(nn.Module):  # type: ignore[misc]
    """A wrapper that calls the model by a name that nobody knows."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.body = model

    def forward(self, x: torch.Tensor) -> Any:
        return self.body(x / 255)


def test_weights_are_found_below_a_wrapper_of_any_name(place: Place) -> None:
    """Also those of layers that the file has as one with the norm behind them."""
    place.export(Held(place.make("Net")).eval(), 255 * IMAGE, input_names=["x"], dynamo=False)
    told = place.compare("Net", code=1)
    assert "BatchNorm of 2 layers" in told["weights"]
    assert kinds(told) == ["preprocessing"]


def test_a_size_of_the_example_is_found_at_other_sizes_with_its_line(place: Place) -> None:
    axes = {"x": {0: "batch", 2: "height", 3: "width"}}
    place.export(place.make("Baked"), IMAGE, input_names=["x"], dynamic_axes=axes)
    told = place.compare("Baked", code=1)
    assert kinds(told) == ["baked-size"]
    assert "right at batch=2, height=16, width=16" in told["causes"][0]["text"]
    assert told["last_agreeing"]["name"] == "conv"
    assert told["first_differing"]["name"] == "out"
    assert "int(x.shape[2])" in MODELS.splitlines()[told["between"]["row"] - 1]
    assert "LT101" in [rule["code"] for rule in told["rules"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model, x: model(x / 255), "x / 255"),
        (lambda model, x: model(x.flip(1)), "RGB against BGR"),
        (lambda model, x: model((x - torch.tensor([0.1, 0.2, 0.3])[:, None, None]) * 3), "x * 3"),
    ],
    ids=["scale", "channels", "mean"],
)
def test_a_preparation_inside_the_file_is_found(
    place: Place, change: Callable[..., Any], words: str
) -> None:
    place.export(Around(place.make("Net"), change).eval(), IMAGE)
    told = place.compare("Net", code=1)
    assert kinds(told) == ["preprocessing"]
    assert "the file prepares" in told["causes"][0]["text"]
    assert words in told["causes"][0]["text"]


def test_a_preparation_of_all_inputs_alike_is_found(place: Place) -> None:
    scaled = Around(place.make("Pair"), lambda model, a, b: model(a / 255, b / 255)).eval()
    place.export(scaled, torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"])
    told = place.compare("Pair", code=1)
    assert kinds(told) == ["preprocessing"]
    assert "the file prepares `query`, `key` itself" in told["causes"][0]["text"]


def test_a_preparation_that_only_the_model_does_is_found(place: Place) -> None:
    place.export(place.make("Normalised").conv, IMAGE, input_names=["x"])
    told = place.compare("Normalised", code=1)
    assert kinds(told) == ["preprocessing"]
    assert "the model prepares `x` itself" in told["causes"][0]["text"]


def test_channels_last_is_a_note(place: Place) -> None:
    turned = Around(place.make("Net"), lambda model, x: model(x.permute(0, 3, 1, 2))).eval()
    place.export(turned, torch.randn(2, 16, 16, 3), input_names=["x"])
    told = place.compare("Net", code=0)
    assert "layout" in kinds(told, "notes")


def test_eight_bits_are_told_where_they_set_numbers_apart(place: Place) -> None:
    from onnxruntime.quantization import quantize_dynamic

    model = place.make("Pair")
    torch.save(model.state_dict(), place.folder / "m.pt")
    path = place.export(model, torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"])
    quantize_dynamic(path, path)
    told = place.compare("Pair", "--checkpoint", "m.pt", code=1)
    assert kinds(told) == ["precision"]
    assert "8 bits" in told["causes"][0]["text"]


def test_half_precision_that_stays_within_tolerance_is_a_note(place: Place) -> None:
    path = place.export(place.make("Pair"), torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"])  # fmt: skip
    halve_numbers(path)
    told = place.compare("Pair", code=0)
    assert {"precision", "input-type"} <= {*kinds(told, "notes")}


def halve_numbers(path: Path) -> None:
    """Make all of a file float16."""
    model = onnx.load(str(path))
    for tensor in model.graph.initializer:
        numbers = onnx.numpy_helper.to_array(tensor).astype(numpy.float16)
        tensor.CopyFrom(onnx.numpy_helper.from_array(numbers, tensor.name))
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "value":
                numbers = onnx.numpy_helper.to_array(attribute.t)
                if numbers.dtype == numpy.float32:
                    attribute.t.CopyFrom(
                        onnx.numpy_helper.from_array(numbers.astype(numpy.float16))
                    )
    for info in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        info.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    onnx.save(model, str(path))


def test_an_unused_input_is_a_note_and_one_that_was_baked_a_cause(place: Place) -> None:
    given = torch.randn(2, 4)
    place.export(place.make("Idle"), given, torch.randn(2, 4), input_names=["x", "hint"])
    assert "pruned-input" in kinds(place.compare("Idle", code=0), "notes")
    baked = Around(place.make("Masked"), lambda model, x: model(x, torch.full((2, 4), 0.5)))
    place.export(baked, given, input_names=["x"])
    assert "baked-input" in kinds(place.compare("Masked", code=1))


def test_renamed_inputs_and_reordered_outputs_are_told(place: Place) -> None:
    place.export(place.make("Two"), torch.randn(2, 4), input_names=["pixels"])
    told = place.compare("Two", code=0)
    assert "renamed-input" in kinds(told, "notes")
    other = Around(place.make("Two"), lambda model, x: model(x)[::-1])
    place.export(other, torch.randn(2, 4), input_names=["x"])
    assert kinds(place.compare("Two", code=1)) == ["output-order"]


def test_gates_of_recurrent_layers_are_put_in_torchs_order(place: Place) -> None:
    place.export(place.make("Recurrent"), torch.randn(2, 5, 4), input_names=["x"])
    told = place.compare("Recurrent", code=0)
    assert "10 tensors" in told["weights"]


def test_weights_in_another_file_are_read(place: Place) -> None:
    path = place.export(place.make("Net"), IMAGE)
    onnx.save(onnx.load(str(path)), str(path), save_as_external_data=True, location="model.bin",
              size_threshold=0)  # fmt: skip
    assert kinds(place.compare("Net", code=0)) == []


def test_the_text_says_what_json_says(place: Place) -> None:
    place.export(Around(place.make("Net"), lambda model, x: model(x / 255)).eval(), IMAGE)
    end = lintorch("compare", "nets.py:Net", "model.onnx", cwd=place.folder)
    assert end.returncode == 1
    assert end.stdout.startswith("different model.onnx")
    assert "[preprocessing]" in end.stdout
    assert "differs at batch=2" in end.stdout


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda data: data[: len(data) // 2], "no ONNX file, or is cut short"),
        (lambda data: b"", "no ONNX file, or is cut short"),
        (lambda data: b"\xff" * 4096, "no ONNX file, or is cut short"),
        (lambda data: break_type(data), "ONNX Runtime does not load it"),
    ],
    ids=["cut", "empty", "noise", "type"],
)
def test_a_spoiled_file_gives_one_clear_error(
    place: Place, spoil: Callable[[bytes], bytes], words: str
) -> None:
    path = place.export(place.make("Pair"), torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"])  # fmt: skip
    path.write_bytes(spoil(path.read_bytes()))
    end = lintorch("compare", "nets.py:Pair", "model.onnx", cwd=place.folder)
    assert end.returncode == 2
    assert words in end.stderr
    assert "model.onnx" in end.stderr
    assert len(end.stderr.splitlines()) == 1
    assert end.stdout == ""


def break_type(data: bytes) -> bytes:
    """A file whose operators nobody has."""
    model = onnx.ModelProto.FromString(data)
    model.graph.node[0].op_type = "NoSuchOperator"
    broken: bytes = model.SerializeToString()
    return broken


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nets.py:Nothing", "model.onnx"), "Nothing"),
        (("gone.py:Net", "model.onnx"), "names no model"),
        (("nets.py:Net", "gone.onnx"), "no such file"),
        (("nets.py:Two", "model.onnx"), "is it of another model?"),
    ],
    ids=["class", "file", "onnx", "other"],
)
def test_what_cannot_be_compared_is_said(
    place: Place, arguments: tuple[str, ...], words: str
) -> None:
    place.export(place.make("Pair"), torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"])  # fmt: skip
    end = lintorch("compare", *arguments, cwd=place.folder)
    assert end.returncode == 2
    assert words in end.stderr


def test_a_checkpoint_that_would_run_code_is_refused(place: Place) -> None:
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return (open, (str(place.folder / "touched"), "w"))

    place.export(place.make("Pair"), torch.randn(2, 6), torch.randn(2, 6), input_names=["query", "key"])  # fmt: skip
    (place.folder / "evil.pt").write_bytes(pickle.dumps(Evil()))
    end = lintorch(
        "compare", "nets.py:Pair", "model.onnx", "--checkpoint", "evil.pt", cwd=place.folder
    )
    assert end.returncode == 2
    assert "the checkpoint cannot be loaded" in end.stderr
    assert not (place.folder / "touched").exists()


def test_a_checkpoint_of_a_model_with_other_arguments_claims_nothing(place: Place) -> None:
    torch.manual_seed(11)
    model = place.nets.Headed(classes=5)
    place.export(model, torch.randn(2, 6), input_names=["x"])
    torch.save(model.state_dict(), place.folder / "five.pt")
    end = lintorch(
        "compare", "nets.py:Headed", "model.onnx", "--checkpoint", "five.pt", cwd=place.folder
    )
    assert end.returncode == 2
    assert "head.weight is [5, 4] in it and [3, 4] in the model" in end.stderr


def test_other_weights_that_leave_the_numbers_as_they_are_are_a_note(place: Place) -> None:
    model = place.make("Pair")
    with torch.no_grad():
        model.out.weight[:, 0] = 0
    given = torch.randn(2, 6), torch.randn(2, 6)
    place.export(model, *given, input_names=["query", "key"])
    state = {key: value.clone() for key, value in model.state_dict().items()}
    state["left.weight"][0] += 1
    torch.save(state, place.folder / "other.pt")
    told = place.compare("Pair", "--checkpoint", "other.pt", code=0)
    assert "weights" in kinds(told, "notes")


def test_other_weights_and_eight_bits_are_both_told_of_folded_layers(place: Place) -> None:
    from onnxruntime.quantization import quantize_dynamic

    model = place.make("Net")
    path = place.export(model, IMAGE, input_names=["x"])
    quantize_dynamic(path, path)
    state = {
        key: value * 1.2 if value.dim() > 1 else value for key, value in model.state_dict().items()
    }
    torch.save(state, place.folder / "other.pt")
    told = place.compare("Net", "--checkpoint", "other.pt", code=1)
    assert kinds(told) == ["weights", "precision"]


def test_wrappers_are_taken_away_one_by_one() -> None:
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], name="/model/net/conv1/Conv")
    assert list_stripped("model.net.conv1") == ["model.net.conv1", "net.conv1", "conv1"]
    assert find_layer(node, {"net.conv1", "net.layers.0.conv1"}) == "net.conv1"


def test_a_layer_is_found_below_a_wrapper_and_in_a_container_that_nobody_calls() -> None:
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], name="/held/left/conv/Conv")
    known = {"parts.left.conv", "parts.right.conv", "parts.left.norm"}
    assert find_layer(node, known) == "parts.left.conv"


def test_a_model_that_was_built_with_other_sizes_than_the_file_is_told_so(place: Place) -> None:
    model = place.make("Pair")
    model.out = nn.Linear(model.out.in_features, model.out.out_features + 2)
    given = torch.randn(2, 6), torch.randn(2, 6)
    place.export(model, *given, input_names=["query", "key"])
    end = lintorch("compare", "nets.py:Pair", "model.onnx", cwd=place.folder)
    assert end.returncode == 2
    assert "was built with other sizes" in end.stderr
    assert "out.bias is" in end.stderr
