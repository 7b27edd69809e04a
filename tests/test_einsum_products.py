"""An einsum as a product of matrices: equal to what torch computes, gradients too, or left alone."""

from __future__ import annotations

import pytest
import torch

from lintorch.facts.exporting.einsum_products import find_product

SIZES = {label: 2 + number % 4 for number, label in enumerate("abcdefghijklmnopqrstuvwxyz")}
PRODUCTS = [
    ("bij,bjk->bik", "matmul(a, b)"),
    ("bij,bkj->bik", "matmul(a, b.transpose(-1, -2))"),
    ("bji,bjk->bik", "matmul(a.transpose(-1, -2), b)"),
    ("ij,jk->ki", "matmul(a, b).transpose(-1, -2)"),
    ("bhij,bhjd->bhid", "matmul(a, b)"),
    ("bqhd,bkhd->bhqk", "matmul(a.permute(0, 2, 1, 3), b.permute(0, 2, 3, 1))"),
    ("bhqk,bkhd->bqhd", "matmul(a, b.permute(0, 2, 1, 3)).permute(0, 2, 1, 3)"),
    ("nctv,vw->nctw", "matmul(a, b)"),
    ("bchw,co->bohw", "matmul(a.permute(0, 2, 3, 1), b).permute(0, 3, 1, 2)"),
    ("ij,bjk->bik", "matmul(a, b)"),
    ("bhn,bnd->bhd", "matmul(a, b)"),
    ("... i d, ... j d -> ... i j", "matmul(a, b.transpose(-1, -2))"),
]
OTHERS = [
    "bi,bj->bij", "bij,bij->b", "ii,ij->j", "bij,bjk", "abij,bjk->aik", "nkctv,kvw->nctw",
    "bij->b", "i,j,k->ijk", "...ij,...jk->ik...", "bchw,bcHW->bhwHW", "", "->", "b1,b2->b",
]  # fmt: skip


def make(labels: str, more: int) -> torch.Tensor:
    dots = [2, 3] if "..." in labels else []
    sizes = [SIZES[label] + more for label in labels.replace("...", "").replace(" ", "")]
    return torch.randn(*dots, *sizes, requires_grad=True)


@pytest.mark.parametrize(("equation", "written"), PRODUCTS, ids=[e for e, _ in PRODUCTS])
@pytest.mark.parametrize("more", [0, 1, 5])
def test_a_product_computes_the_same(equation: str, written: str, more: int) -> None:
    product = find_product(equation)
    assert product is not None
    text = product.write("matmul", "a", "b")
    assert text == written
    left, right = equation.partition("->")[0].split(",")
    a, b = make(left, more), make(right, more)
    wanted = torch.einsum(equation, a, b)
    found = eval(text, {"matmul": torch.matmul, "a": a, "b": b})
    torch.testing.assert_close(found, wanted)
    of = torch.randn_like(wanted)
    grads = [torch.autograd.grad(each, (a, b), of) for each in (found, wanted)]
    torch.testing.assert_close(grads[0], grads[1])


@pytest.mark.parametrize("equation", OTHERS)
def test_what_is_no_product_of_matrices_is_left_alone(equation: str) -> None:
    assert find_product(equation) is None
