"""Loops over rows and what models return, rewritten: the same in eager mode, and followed at every size."""

from __future__ import annotations

import re
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_rewrites import IN_USE, RULES, settle_twice  # noqa: E402

from lintorch.core.dispatch import lint_subject  # noqa: E402
from lintorch.core.finding import Finding  # noqa: E402
from lintorch.source import Source  # noqa: E402

HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.fc = nn.Linear(6, 6)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x, lengths):
"""
LOOPS = {
    "outs = []|for i in range(x.size(0)):|    f = self.conv(x)[i]|    outs.append(f - 1)|return torch.stack(outs)": "",
    "y = self.conv(x)|outs = []|for i in range(y.size(0)):|    f = y[i]|    outs.append((f - f.mean()) / 3)|return torch.stack(outs, dim=0)": "f",
    "y = self.conv(x)|last = []|for b in range(y.shape[0]):|    last.append(y[b, lengths[b] - 1])|last = torch.stack(last)|return last + 1": "last = y[torch.arange(y.shape[0], device=y.device), lengths - 1]",
    "y = self.conv(x)|return torch.stack([y[b, int(lengths[b]) - 1, :] for b in range(len(y))])": "return y[torch.arange(y.shape[0], device=y.device), lengths.long() - 1, :]",
    "y = self.conv(x)|z = y + 1|return torch.stack([a * b for a, b in zip(y, z)])": "return y * z",
    "ys = []|for i in range(x.shape[0]):|    ys.append(self.conv(x[i:i + 1]).relu())|return torch.cat(ys)": "ys = self.conv(x).relu()",
    "ys = []|for i in range(x.shape[0]):|    ys.append(self.norm(x[i:i + 1]))|return torch.cat(ys)": "",
    "ys = [self.conv(x[i:i + 1]) for i in range(x.size(0))]|return torch.cat(ys, dim=0).relu()": "return ys.relu()",
    "ys = [self.conv(x[i:i + 1]) for i in range(x.size(0))]|return torch.cat(ys) + len(ys)": "",
    "ys = []|for part in x.split(2, dim=1):|    ys.append(self.fc(part))|return torch.cat(ys, dim=1)": "ys = self.fc(x)",
    "ys = []|for part in x.split(2, dim=2):|    ys.append(self.fc(part))|return torch.cat(ys, dim=1)": "",
    "ys = []|for part in x.split(2, dim=1):|    ys.append(part - part.mean())|return torch.cat(ys, dim=1)": "",
    "y = self.conv(x)|mask = torch.zeros(y.shape[0], y.shape[3])|for i in range(y.shape[0]):|    mask[i, :lengths[i]] = 1|return mask": "mask = mask.masked_fill(torch.arange(mask.shape[1], device=mask.device) < lengths[:, None], 1)",
    "y = self.conv(x)|mask = torch.zeros(lengths.shape[0], y.shape[3], dtype=torch.bool)|for i, n in enumerate(lengths):|    mask[i, n:] = True|return mask": "mask = mask | (torch.arange(mask.shape[1], device=mask.device) >= lengths[:, None])",
    "y = self.conv(x)|n = y.shape[3]|mask = torch.ones(n, n)|for i in range(n):|    mask[i, max(0, i - 1):i + 2] = -1|return mask": "mask = mask.masked_fill(",
    "y = self.conv(x)|n = y.shape[3]|mask = torch.ones(n, n)|for i in range(n):|    mask[i, i - 1:] = -1|return mask": "",
    "y = self.conv(x)|n = y.shape[3]|mask = torch.ones(n, n)|for i in range(2):|    mask[i, :i + 1] = -1|return mask": "",
}  # fmt: skip
"""Bodies of forward, and a line that is written instead; "" of those whose loop stays."""


def mend(text: str, code: str) -> str:
    """With the fixes of one rule, also those that wait for a run."""

    def find(now: str) -> list[Finding]:
        found = lint_subject(Source("/alone/net.py", now, IN_USE), RULES)
        return [each for each in found if each.code == code]

    return settle_twice(text, find)


def write_model(body: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in body.split("|"))


def build(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    torch.manual_seed(0)
    return names["Net"]()


def is_close(found: Any, wanted: Any) -> bool:
    return found.shape == wanted.shape and bool(
        torch.allclose(found.float(), wanted.float(), atol=1e-6)
    )


@pytest.mark.parametrize("body", LOOPS)
def test_a_loop_over_rows_is_computed_at_once(body: str) -> None:
    text = write_model(body)
    after = mend(text, "LT105")
    assert (LOOPS[body] in after) if LOOPS[body] else (after == text)
    assert bool(re.search(r"\bfor\b", after)) == (after == text)
    example = torch.randn(2, 3, 6, 6), torch.tensor([2, 3])
    others = torch.randn(4, 3, 8, 6), torch.tensor([1, 4, 2, 3])
    before, now = build(text), build(after)
    assert all(is_close(now(*each), before(*each)) for each in (example, others))
    if after != text:
        traced = torch.jit.trace(now, example, check_trace=False)
        assert is_close(traced(*others), before(*others))


RETURNED = {
    'return {"a": x, "b": x * 2}': ("outputs = {", "return tuple(outputs.values())"),
    'result = {}|result["a"] = x * 2|return result': ("return tuple(result.values())",),
    "return x, None": ("return tuple(each for each in outputs if each is not None)",),
    "return [x, [x, x + 1]]": ("return tuple(outputs)",),
    'outputs = 1|return {"a": x, "b": {"c": x}}': ("return list_tensors(result)",),
    "return None": (),
    "if lengths is None: return None, x|return None, x": (),
}


@pytest.mark.parametrize("body", RETURNED)
def test_a_tracer_is_given_the_tensors_of_what_is_returned(body: str) -> None:
    text = write_model(body)
    after = mend(text, "LT114")
    assert all(line in after for line in RETURNED[body])
    assert (after == text) == (not RETURNED[body])
    if after != text:
        x = torch.randn(2, 3, 6, 6), torch.tensor([2, 3])
        given, told = build(after)(*x), build(text)(*x)
        assert type(given) is type(told)
        traced = torch.jit.trace(build(after), x)(*x)
        assert torch.equal(traced[0], given["a"] if isinstance(given, dict) else given[0])
        program = torch.export.export(build(after), x).module()
        assert type(program(*x)) is type(told)


CLASSES = """from collections import OrderedDict
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn
{imported}

@dataclass
class Boxes:
    scores: torch.Tensor
    boxes: Optional[torch.Tensor] = None


@dataclass
class Counted:
    scores: torch.Tensor
    count: int


@dataclass
class Doubled:
    scores: torch.Tensor

    def __post_init__(self):
        self.count, self.twice = 2, self.scores * 2


class Named(OrderedDict):
    pass


"""
OBJECTS = {
    "return Boxes(x)": "tuple(each for each in vars(outputs).values() if each is not None)",
    "return Boxes(x, x * 2)": "tuple(each for each in vars(outputs).values() if each is not None)",
    "found = Named(a=x, b=x * 2)|return found": "return tuple(found.values())",
    "if self.training:|    return x, x|return Named(a=x, b=x * 2)": "return tuple(outputs.values())",
    "return Counted(x, 3)": "",
    "return Doubled(x)": "",
    "return Boxes(|    x,  # those|)": "outputs = Boxes(\n            x,  # those\n        )\n",
}


@pytest.mark.parametrize("body", OBJECTS)
def test_a_tracer_is_given_the_tensors_of_an_object(body: str) -> None:
    text = CLASSES.format(imported="") + write_model(body).partition("from torch import nn\n")[2]
    after = mend(text, "LT114")
    assert (after == text) == (not OBJECTS[body])
    assert OBJECTS[body] in after
    if OBJECTS[body]:
        assert "if torch.jit.is_tracing() or torch.compiler.is_exporting():" in after
        x = torch.randn(2, 3, 6, 6), torch.tensor([2, 3])
        model, varied = build(after).eval(), torch.randn(4, 3, 7, 9)
        assert type(model(*x)).__name__ == type(build(text).eval()(*x)).__name__
        assert torch.equal(torch.jit.trace(model, x)(varied, x[1])[0], varied)
        program = torch.export.export(model, x).module()
        assert torch.equal(program(*x)[0], x[0])


NESTED = {
    "return x, {'a': x * 2}": "(outputs[0], *outputs[1].values())",
    "kept = {}|return x, kept": "(outputs[0], *outputs[1].values())",
    "found = [{'a': x}, None, x * 2]|return found": "(*found[0].values(), found[2])",
    "return None, {'a': x}": "(*outputs[1].values(),)",
    "return x, 0.5": "(outputs[0],)",
    "loss = 0|return [x, x + 1], None, loss, 'name'": "(outputs[0],)",
    "return 0, 'name'": "",
    "return x, {'a': x, 'b': 'name'}": "list_tensors(outputs)",
    "return {'a': x, 'b': 0.5}": "list_tensors(outputs)",
    "return x, None, x.shape[1]": "list_tensors(outputs)",
    "return [(x, [x * 2]), (x, [x])]": "tuple(outputs)",
    "kept = {}|kept['a', 0] = x|return kept, [None, (x, {1: 'name'})]": "list_tensors(outputs)",
    "return {}, None": "",
    "return x, {'a': {'b': x}}": "list_tensors(outputs)",
}


@pytest.mark.parametrize("body", NESTED)
def test_a_tracer_is_given_the_tensors_of_a_dict_in_what_is_returned(body: str) -> None:
    text = write_model(body)
    after = mend(text, "LT114")
    assert (after == text) == (not NESTED[body])
    if NESTED[body]:
        assert f"if torch.jit.is_tracing():\n            return {NESTED[body]}" in after
        assert ("def list_tensors(value):" in after) == ("list_tensors" in NESTED[body])
        x = torch.randn(2, 3, 6, 6), torch.tensor([2, 3])
        model, varied = build(after).eval(), torch.randn(4, 3, 7, 9)
        assert str(model(*x)) == str(build(text).eval()(*x))
        traced = torch.jit.trace(model, x)(varied, x[1])
        first = traced[0][0] if isinstance(traced[0], (list, tuple)) else traced[0]
        assert torch.equal(first, varied)


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("from transformers.utils import ModelOutput as Base\n\nclass Out(Base): pass", "Out(a=x)"),
        ("from transformers.modeling_outputs import BaseModelOutput as Out", "Out(x)"),
        ("from diffusers.models.modeling_outputs import Transformer2DModelOutput as Out", "Out(x)"),
    ],
)
def test_an_output_of_transformers_waits_for_a_refusal_and_gives_its_tuple(
    imported: str, made: str
) -> None:
    head = CLASSES.format(imported=imported)
    text = head + write_model(f"return {made}").partition("from torch import nn\n")[2]
    assert not [f for f in lint_subject(Source("/alone/net.py", text, IN_USE), RULES) if f.code == "LT114" and not f.confirms]  # fmt: skip
    after = mend(text, "LT114")
    assert "if torch.jit.is_tracing():\n            return outputs.to_tuple()" in after


def test_a_smaller_of_a_setting_and_a_size_is_reckoned_where_a_run_shows_that_it_varies() -> None:
    text = write_model("n = self.conv(x).flatten(1).shape[1]|return x.flatten(1).topk(min(self.k, n), 1).values")  # fmt: skip
    text = text.replace("self.fc =", "self.k = 60\n        self.fc =")
    after = mend(text, "LT101")
    assert "topk(n + (self.k - n) * ((2 * (n - self.k) + 2**30 - 1) // 2**30), 1)" in after
    large, small = torch.randn(2, 3, 8, 8), torch.randn(2, 3, 5, 5)
    traced = torch.jit.trace(build(after), (large, large), check_trace=False)
    assert torch.equal(traced(small, small), build(text)(small, small))


PADS = {
    "return F.pad(x, (0, 8 - h % 8 if h % 8 != 0 else 0))": "(0, -h % 8)",
    "up = ((h + 5) // 5) * 5|return F.pad(x, (0, up - h if h % 5 else 0))": "(0, -h % 5)",
    "up, _ = math.ceil(h / 4) * 4, 1|return F.pad(x, (0, 0 if h % 4 == 0 else up - h))": "(0, -h % 4)",
    "return F.pad(x, (0, 8 - h % 4 if h % 4 != 0 else 0))": "",
    "return F.pad(x, (0, 7 - h % 8 if h % 8 != 0 else 0))": "",
}


@pytest.mark.parametrize("body", PADS)
def test_a_pad_to_the_next_multiple_is_reckoned(body: str) -> None:
    text = write_model(f"h = self.conv(x).shape[-1]|{body}").replace("import torch\n", "import math\n\nimport torch\nimport torch.nn.functional as F\n", 1)  # fmt: skip
    after = mend(text, "LT104")
    assert (PADS[body] in after) if PADS[body] else (after == text)
    for width in range(4, 20):
        x = torch.randn(1, 3, 4, width)
        assert torch.equal(build(after)(x, None), build(text)(x, None))


SPECTRA = {
    "s = torch.stft(y, 8, return_complex=True)|return s.abs()": "return s.pow(2).sum(-1).sqrt()",
    "s = torch.stft(y, 8, return_complex=True)|s = torch.abs(s) + s.real|return s.relu()": "s = s.pow(2).sum(-1).sqrt() + s[..., 0]",
    "return torch.stft(y, 8, return_complex=True).abs()": "torch.stft(y, 8, return_complex=False).pow(2).sum(-1).sqrt()",
    "s = torch.view_as_real(torch.stft(y, 8, return_complex=True))|return s[..., 0]": "s = torch.stft(y, 8, return_complex=False)",
    "s = torch.stft(y, 8, return_complex=True)|return s.abs() + s.angle()": "",
    "s = torch.stft(y, 8, return_complex=True)|return torch.view_as_real(s * 2)": "",
    "return y.unfold(1, 4, 2)": "return windows_along(y, 1, 4, 2)",
    "return y.unfold(step=2, dimension=1, size=4)": "return windows_along(y, 1, 4, 2)",
    "return self.conv(x).unfold(2, 3, 1).unfold(-2, 2, 2)": "windows_along(windows_along(self.conv(x), 2, 3, 1), -2, 2, 2)",
}  # fmt: skip


CAST = {
    "return torch.einsum('i,j->ij', torch.arange(n), w)": "torch.einsum('i,j->ij', torch.arange(n).to(w.dtype), w)",
    "return torch.outer(torch.arange(n) + 1, w)": "torch.outer((torch.arange(n) + 1).to(w.dtype), w)",
    "return torch.einsum('i,j->ij', torch.arange(n), w * 2)": "",
    "return torch.einsum('i,j->ij', torch.arange(n) > 2, w)": "",
}


@pytest.mark.parametrize("body", CAST)
def test_whole_numbers_are_cast_where_an_operator_has_place_for_one_type(body: str) -> None:
    text = write_model(f"n, w = x.shape[1], self.fc.weight[0]|{body}")
    after = mend(text, "LT121")
    assert (CAST[body] in after) if CAST[body] else (after == text)
    for length in (1, 4, 9):
        x = torch.randn(2, length)
        assert torch.equal(build(after)(x, None), build(text)(x, None))


@pytest.mark.parametrize("body", SPECTRA)
def test_windows_and_spectra_are_written_for_the_legacy_exporter(body: str) -> None:
    text = write_model(f"y = self.conv(x).flatten(1)|{body}")
    after = mend(text, "LT121")
    assert (SPECTRA[body] in after) if SPECTRA[body] else (after == text)
    before, now = build(text), build(after)
    for side in (5, 6, 9):
        x = torch.randn(2, 3, side, side)
        assert is_close(now(x, None), before(x, None))
