"""An einsum as `*`, `permute` and `sum`: equal to what torch computes, gradients too, or left alone."""

from __future__ import annotations

import pytest
import torch

from lintorch.facts.exporting.einsum_elementwise import find_elementwise

SIZES = {label: 2 + number % 4 for number, label in enumerate("abcdefghijklmnopqrstuvwxyz")}
WRITTEN = [
    ("bchw,bchw->bchw", "a * b"),
    ("bchw,c->bchw", "a * b[:, None, None]"),
    ("o,oihw->oihw", "a[:, None, None, None] * b"),
    ("oihw,ohw->oihw", "a * b[:, None]"),
    ("i,j->ij", "a[:, None] * b"),
    ("bi,bj->bij", "a[:, :, None] * b[:, None]"),
    ("ij,ji->ij", "a * b.permute(1, 0)"),
    ("b h n, b h n -> b n", "(a * b).sum(1)"),
    ("i,i->", "(a * b).sum(0)"),
    ("ikmn,k->imn", "(a * b[:, None, None]).sum(1)"),
    ("bchw,c->whb", "(a * b[:, None, None]).sum(1).permute(2, 1, 0)"),
    ("bchw->bhwc", "a.permute(0, 2, 3, 1)"),
    ("bchw->bc", "a.sum((2, 3))"),
    ("bchw->hb", "a.sum((1, 3)).permute(1, 0)"),
    ("ij->", "a.sum((0, 1))"),
]
OTHERS = [
    "bchw,bkhw->bck", "ii->i", "ij->ij", "i,j,k->ijk", "ij,jk->ik", "...i,...i->...", "i,j->", "ij", "", "->",
    "ij->ik", "ij->ii",
]  # fmt: skip


def make(labels: str, more: int) -> torch.Tensor:
    sizes = [SIZES[label] + more for label in labels.replace(" ", "")]
    return torch.randn(sizes, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize(("equation", "written"), WRITTEN, ids=[e for e, _ in WRITTEN])
@pytest.mark.parametrize("more", [0, 1, 5])
def test_an_elementwise_einsum_computes_the_same(equation: str, written: str, more: int) -> None:
    plain = find_elementwise(equation)
    assert plain is not None
    names = ["a", "b"][: equation.count(",") + 1]
    text = plain.write(names)
    assert text == written
    given = [make(labels, more) for labels in equation.partition("->")[0].split(",")]
    wanted = torch.einsum(equation, *given)
    found = eval(text, dict(zip(names, given, strict=True)))
    torch.testing.assert_close(found, wanted)
    of = torch.randn_like(wanted)
    grads = [torch.autograd.grad(each, given, of) for each in (found, wanted)]
    torch.testing.assert_close(grads[0], grads[1])


@pytest.mark.parametrize("equation", OTHERS)
def test_what_takes_more_is_left_alone(equation: str) -> None:
    assert find_elementwise(equation) is None
