"""What has one cause is told once, with all its places, and mended in all of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from running import lintorch

from lintorch.core.causes import fold_findings
from lintorch.core.finding import Evidence, Finding, Harm, Note, Place, Severity
from lintorch.report.wording import write_message

LOADS = """import torch

from nets import Net


def build(first, second):
    a, b = Net(), Net()
    a.load_state_dict(torch.load(first))
    b.load_state_dict(torch.load(second))
    return a.cpu(), b


def other(model, path):
    model.load_state_dict(torch.load(path))
    return model
"""


def check(folder: Path, *options: str) -> list[dict[str, Any]]:
    (folder / "load.py").write_text(LOADS)
    done = lintorch("check", "--select=LT214", "--output-format=json", *options, cwd=folder)
    return list(json.loads(done.stdout))


def test_loads_of_one_function_are_one_finding_that_names_the_other_line(tmp_path: Path) -> None:
    first, second = check(tmp_path)
    assert (first["location"], second["location"]) == (
        {"row": 8, "column": 23},
        {"row": 14, "column": 27},
    )
    assert str(first["message"]).endswith("; also in line 9")
    (also,) = first["also"]
    assert also["location"] == {"row": 9, "column": 23}
    assert second["also"] == []


def test_loads_with_safe_and_unsafe_fixes_are_one_finding(tmp_path: Path) -> None:
    text = LOADS.replace(
        "b.load_state_dict(torch.load(second))", "pick(b).load_state_dict(torch.load(second))"
    )
    (tmp_path / "load.py").write_text(text.replace("    return a.cpu(), b", "    return a, b"))
    done = lintorch("check", "--select=LT214", "--output-format=json", cwd=tmp_path)
    first, _ = json.loads(done.stdout)
    assert [each["location"]["row"] for each in first["also"]] == [9]
    assert first["fix"]["applicability"] == "unsafe"


def test_a_helper_inside_of_a_function_is_a_part_of_it(tmp_path: Path) -> None:
    helper = "def load():\n        a.load_state_dict(torch.load(first))\n\n    load()"
    text = LOADS.replace("a.load_state_dict(torch.load(first))", helper)
    (tmp_path / "load.py").write_text(text)
    done = lintorch("check", "--select=LT214", "--output-format=json", cwd=tmp_path)
    rows = [
        [each["location"]["row"], *(a["location"]["row"] for a in each["also"])]
        for each in json.loads(done.stdout)
    ]
    assert rows == [[9, 12], [17]]


def test_a_fix_of_one_finding_mends_all_its_places(tmp_path: Path) -> None:
    assert check(tmp_path, "--fix", "--unsafe-fixes") == []
    mended = (tmp_path / "load.py").read_text()
    assert mended.count('map_location="cpu"') == 3


RESIZED = """import math

import torch
import torch.nn.functional as F
from torch import nn


class Halves(nn.Module):
    def forward(self, x):
        h = int(x.shape[2] / 2)
        w = int(x.shape[3] / 2)
        n = int(math.ceil(x.shape[0] / 3))
        return F.interpolate(x, size=(h, w)), x.new_zeros(int(n))
"""


def test_a_pattern_of_one_function_is_told_once_and_one_value_by_one_code(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(RESIZED)
    done = lintorch("check", "--select=LT1", "--output-format=json", cwd=tmp_path)
    told = {(f["code"], f["location"]["row"]): f for f in json.loads(done.stdout)}
    assert set(told) == {("LT119", 10), ("LT119", 12)}
    assert [each["location"]["row"] for each in told["LT119", 10]["also"]] == [11]
    fixed = lintorch("check", "--select=LT1", "--fix", cwd=tmp_path)
    assert fixed.stdout.endswith("All checks passed!\n"), fixed.stdout
    text = (tmp_path / "net.py").read_text()
    assert "h = x.shape[2] // 2\n        w = x.shape[3] // 2\n" in text


def test_what_one_export_raised_is_told_at_one_line() -> None:
    place = Place("net.py", 3)
    shown = Note(Evidence.EXPORT, "off by 2", exporter="onnx", tried=Harm.SILENT)
    first = Finding(
        "LT101", "dynamic-size", "off by 2", Severity.ERROR, place, Evidence.EXPORT, "net.py:Net",
        exporter="onnx", tried=Harm.SILENT, notes=(Note(Evidence.SOURCE, "int() of a size"), shown),
    )  # fmt: skip
    branch = Note(Evidence.SOURCE, "a branch")
    second = replace(first, code="LT104", place=replace(place, row=7), notes=(branch, shown))
    told = fold_findings([second, first], {})
    assert [write_message(each) for each in told] == [
        "off by 2",
        "a branch: silently wrong under onnx",
    ]
    assert [each.evidence for each in told] == [Evidence.EXPORT, Evidence.EXPORT]


PADDED = """from torch import nn
from torch.nn import functional as F


class Pad(nn.Module):
    def forward(self, x):
        _, _, h, w = x.shape
        if w % 8 != 0:
            x = F.pad(x, (0, 8 - w % 8))
        if h % 8 != 0:
            x = F.pad(x, (0, 0, 0, 8 - h % 8))
        if h > 64:
            x = x[:, :, :64]
        return x
"""


def test_what_is_asked_of_height_and_width_alike_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "pad.py").write_text(PADDED)
    done = lintorch("check", "--select=LT104", "--output-format=json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert [each["location"]["row"] for each in found] == [8, 12]
    assert [each["location"]["row"] for each in found[0]["also"]] == [10]


READ = """from torch import nn


class Scale(nn.Module):
    def forward(self, x):
        most = x.max().item()
        if most > 4:
            x = x / most
        if most < 1:
            x = x * 2
        if x.min() > 0:
            x = x + 1
        return x
"""


def test_questions_about_one_number_that_was_read_are_one_finding(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(READ)
    done = lintorch("check", "--select=LT102", "--output-format=json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert [each["location"]["row"] for each in found] == [7, 11]
    assert [each["location"]["row"] for each in found[0]["also"]] == [9]


def test_files_of_python_2_are_told_once(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("import torch\nprint torch.ones(2)\n")
    (tmp_path / "d.py").write_text("import torch\nx = (\n")
    done = lintorch("check", "--output-format=json", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert [each["filename"] for each in told] == ["a.py", "d.py"]
    assert "so it is in b.py, c.py; this is Python 2" in told[0]["message"]


HALVED = """from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.lin = nn.Linear(width, width / 2)
"""


def test_quotients_are_whole_where_a_project_is_in_python_2(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(HALVED)
    done = lintorch("check", "--select=LT811", "--output-format=json", cwd=tmp_path)
    assert [each["location"]["row"] for each in json.loads(done.stdout)] == [7]
    (tmp_path / "train.py").write_text("import torch\nprint 'loss', 2\n")
    done = lintorch("check", "--output-format=json", cwd=tmp_path)
    assert [each["code"] for each in json.loads(done.stdout)] == ["LT001"]


COPIED = """import torch

from nets import Net


def evaluate(path):
    model = Net()
    model.load_state_dict(torch.load(path))
    return {}
"""


def test_lines_copied_to_other_files_are_told_once_and_mended_in_each(tmp_path: Path) -> None:
    for name, ends, said in (("a.py", "model", ""), ("b.py", "model.cpu()", "  # the last")):
        text = COPIED.replace("load(path))", f"load(path)){said}")
        (tmp_path / name).write_text(text.format(ends))
    other = COPIED.replace("model = Net()", "model = Net().eval()").format("model.cpu()")
    (tmp_path / "c.py").write_text(other.replace("return model.cpu()", "print(path)"))
    done = lintorch("check", "--select=LT214", "--output-format=concise", cwd=tmp_path)
    first, _ = done.stdout.splitlines()
    assert first.startswith("a.py:8:")
    assert "; also in b.py:8 and c.py:8" in first
    done = lintorch("check", "--select=LT214", "--output-format=json", cwd=tmp_path)
    assert [each["filename"] for each in json.loads(done.stdout)] == ["a.py", "b.py", "c.py"]
    lintorch("check", "--select=LT214", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert all("map_location" in (tmp_path / name).read_text() for name in ("a.py", "b.py"))


def test_the_same_words_of_other_functions_and_files_are_told_once(tmp_path: Path) -> None:
    wide = "import torch\n\n\ndef widen(x: torch.Tensor):\n    return x.sum()[0]\n"
    (tmp_path / "a.py").write_text(
        wide + "\n\ndef other(y: torch.Tensor):\n    return y.mean()[0]\n"
    )
    (tmp_path / "b.py").write_text(wide.replace("x", "z").replace("sum", "max"))
    done = lintorch("check", "--select=LT805", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert told.startswith("a.py:5:")
    assert "; also in line 9 and in b.py:5" in told
    done = lintorch("check", "--select=LT805", "--output-format=json", cwd=tmp_path)
    assert len(json.loads(done.stdout)) == 3


SAVED = """import torch


def train(path):
    model = torch.nn.Linear(4, 2)
    torch.save(model, path)
"""
LOADED = """import torch


def predict(path, x):
    return torch.load(path)(x)
"""


def test_a_whole_model_is_told_where_it_is_loaded_and_names_its_save(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SAVED)
    (tmp_path / "use.py").write_text(LOADED)
    done = lintorch("check", "--select=LT213,LT220", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert "LT220" in told
    assert "; also in train.py:6" in told


OLD = """import torch


class Scale(torch.autograd.Function):
    def forward(self, x):
        return x * 2
"""


def test_callers_of_a_class_that_cannot_be_called_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(OLD)
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(
            f"import torch\nfrom scale import Scale\n\n\ndef {name}(x):\n    return Scale()(x)\n"
        )
    done = lintorch("check", "--select=LT611", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert "also in b.py" in told


ASKED = """from torch import nn


class Steps(nn.Module):
    def forward(self, a, b, c, d):
        if a.sum() > b.sum():
            a = a + 1
        if b.sum() > c.sum():
            b = b + 1
        if c.sum() > d.sum():
            c = c + 1
        if (a + b).sum() > 4:
            raise ValueError
        return a, b, c, d


class Ends(nn.Module):
    def forward(self, x, y):
        if x.max() > 1:
            x = x - 1
        if x.min() < 0:
            x = x + 1
        if y.sum() > x.sum():
            return y
        elif y.mean() > x.mean():
            return x
        return x + y
"""


def test_what_one_function_asks_in_three_places_is_one_finding_and_so_is_a_chain(
    tmp_path: Path,
) -> None:
    (tmp_path / "steps.py").write_text(ASKED)
    done = lintorch("check", "--select=LT102", "--output-format=json", cwd=tmp_path)
    found = json.loads(done.stdout)
    rows = [
        [each["location"]["row"], *(a["location"]["row"] for a in each["also"])] for each in found
    ]
    assert rows == [[6, 8, 10], [12], [19, 21], [23, 25]]


FITTED = """from torch import nn
import torch.nn.functional as F


class Fitted(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 3)

    def forward(self, x):
        x = self.conv(x)
        if x.size(-1) < 32:
            x = F.pad(x, (0, 32 - x.size(-1)))
        elif x.size(-1) > 32:
            x = x * 2
        return x
"""


def test_more_and_less_of_one_size_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "fitted.py").write_text(FITTED)
    done = lintorch("check", "--select=LT104", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert told.startswith("fitted.py:12:")
    assert "; also in line 14" in told


def test_tensors_that_one_function_fails_to_move_are_one_finding(tmp_path: Path) -> None:
    lines = ("", "    x.cuda()", "    y.cuda()", "    x.clamp(0)", "    return x + y\n")
    body = "\n".join(lines)
    (tmp_path / "moved.py").write_text(
        f"from torch import Tensor\ndef f(x: Tensor, y: Tensor):{body}"
    )
    done = lintorch("check", "--select=LT802", "--output-format=concise", cwd=tmp_path)
    first, second, _ = done.stdout.splitlines()
    assert first.startswith("moved.py:3:")
    assert "; also in line 4" in first
    assert second.startswith("moved.py:5:")


NESTED = """import torch
from torch import nn


class Pairs(nn.Module):
    def forward(self, x: torch.Tensor, u: torch.Tensor, v: torch.Tensor):
        total = x.new_zeros(())
        for first in x:
            for second in x:
                total = total + first.sum() * second.sum()
        for third in x:
            total = total - third.sum()
        v.data = u.data * total
        u.data = v.data + total
        return u + v
"""


def test_rows_within_rows_are_one_finding_and_so_is_data_that_is_exchanged(tmp_path: Path) -> None:
    (tmp_path / "pairs.py").write_text(NESTED)
    done = lintorch("check", "--select=LT105,LT131", "--output-format=json", cwd=tmp_path)
    found = [
        each
        for each in json.loads(done.stdout)
        if "row" in each["message"] or each["code"] == "LT131"
    ]
    rows = [
        [each["location"]["row"], *(a["location"]["row"] for a in each["also"])] for each in found
    ]
    assert rows == [[8, 9], [11], [13, 14]]


def test_files_that_write_async_for_an_argument_are_told_once(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(
            f"import torch\n\n\ndef {name[0]}(x):\n    return x.cuda(async=True)\n"
        )
    done = lintorch("check", "--output-format=json", cwd=tmp_path)
    (told,) = json.loads(done.stdout)
    assert "so it is in b.py; async is a keyword" in told["message"]


LEAVES = """from torch import nn


class Scaled(nn.Linear):
    def __init__(self):
        super().__init__(4, 4)
        self.weight.normal_()
        self.bias.normal_()
"""


def test_leaves_that_one_constructor_changes_are_one_finding(tmp_path: Path) -> None:
    (tmp_path / "scaled.py").write_text(LEAVES)
    done = lintorch("check", "--select=LT418", "--output-format=json", cwd=tmp_path)
    (told,) = json.loads(done.stdout)
    assert told["message"].endswith("also in line 8")


CHOSEN = """from torch import nn


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = nn.Linear(4, 4)
        self.new = nn.Linear(4, 4)

    def forward(self, x, y):
        known, new = x[y >= 0], x[y < 0]
        total = x.sum()
        if known.size(0) != 0:
            total = total + self.known(known).sum()
        if len(new) > 0:
            total = total + self.new(new).sum()
        return total
"""


def test_questions_how_many_rows_data_choose_are_one_finding(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(CHOSEN)
    done = lintorch("check", "--select=LT102", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert told.startswith("parts.py:13:")
    assert "takes an empty tensor too" in told
    assert "; also in line 15" in told


POOLED = """import torch.nn.functional as F
from torch import nn


class Pooled(nn.Module):
    def forward(self, x):
        mean = F.avg_pool2d(x, (x.size(2), x.size(3)), stride=(2, 2))
        most = F.max_pool2d(x, (x.size(2), x.size(3)), stride=(2, 2))
        return mean + most
"""


def test_windows_of_one_size_are_one_finding(tmp_path: Path) -> None:
    (tmp_path / "pooled.py").write_text(POOLED)
    done = lintorch("check", "--select=LT101", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert told.startswith("pooled.py:7:")
    assert "; also in line 8" in told


PARSED = """import argparse

import torch.distributed as dist


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    return parser.parse_args()
"""


def test_parsers_without_the_launchers_option_are_one_finding(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        f"{PARSED}\n\ndist.barrier(device_ids=[parse().local_rank])\n"
    )
    (tmp_path / "options.py").write_text(PARSED)
    done = lintorch("check", "--select=LT413", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert told.startswith("train.py:8:")
    assert "error" in told
    assert "; also in options.py:8" in told


SPECTRA = """import torch
from torch import nn


class Mixed(nn.Module):
    def forward(self, x, other):
        spectrum = torch.fft.rfft(x, dim=-1)
        kept = torch.zeros(2, 4, 8, dtype=torch.cfloat)
        for i in range(3):
            kept[:, :, i] = spectrum[:, :, i * 2]
        kept = kept.tanh()
        mixed = torch.einsum("bhx,bhx->bhx", kept, torch.fft.fft(other))
        return torch.fft.ifft(mixed).real
"""


def test_complex_numbers_of_one_function_are_one_finding_though_their_fixes_clash(
    tmp_path: Path,
) -> None:
    (tmp_path / "spectra.py").write_text(SPECTRA)
    done = lintorch("check", "--select=LT165", "--output-format=concise", cwd=tmp_path)
    told, _ = done.stdout.splitlines()
    assert told.startswith("spectra.py:10:13: ")
    assert "; also in lines 11 and 12" in told


MAPS = """import torch
from torch import nn
import torch.nn.functional as F


class Pyramid(nn.Module):
    def __init__(self, levels=4):
        super().__init__()
        self.levels = levels

    def forward(self, inputs):
        assert len(inputs) == self.levels
        kept = [each.clone() for each in inputs]
        for i in range(self.levels - 1, 0, -1):
            inputs[i - 1] = inputs[i - 1] + F.interpolate(inputs[i], scale_factor=2)
        return inputs, kept
"""


def test_a_list_of_maps_is_copied_as_a_list(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MAPS)
    done = lintorch("check", "--select=LT109", "--output-format=json", cwd=tmp_path)
    (found,) = json.loads(done.stdout)
    assert (found["remedy"], found["fix"]) == ("begin with inputs = list(inputs)", None)
