"""What is known of torch's signatures: that calls bind as torch itself binds them."""

from __future__ import annotations

from typing import Any

import pytest

from lintorch.evaluator.signatures.bind_arguments import bind_arguments, bind_call
from lintorch.evaluator.signatures.find_signatures import find_signatures


def bind_given(name: str, *positional: Any, **keyword: Any) -> dict[str, Any]:
    """What a call gives, without the defaults."""
    bound = bind_arguments(find_signatures(name)[0], positional, keyword)
    assert bound is not None
    defaults = {p.name: p.default for p in find_signatures(name)[0].parameters}
    return {each: value for each, value in bound.items() if value is not defaults[each]}


def test_arguments_are_bound_by_position_and_by_name() -> None:
    assert bind_given("torch.nn.Conv2d", 3, 8, 3, padding=1) == {
        "in_channels": 3,
        "out_channels": 8,
        "kernel_size": 3,
        "padding": 1,
    }


def test_sizes_that_are_given_one_by_one_are_a_tuple() -> None:
    assert bind_given("torch.Tensor.view", 2, -1) == {"size": (2, -1)}
    assert bind_given("torch.einsum", "ij,jk", 1, 2) == {"equation": "ij,jk", "operands": (1, 2)}


def test_defaults_are_those_of_torch() -> None:
    (signature,) = find_signatures("torch.nn.functional.interpolate")
    bound = bind_arguments(signature, (1,), {"scale_factor": 2})
    assert bound is not None
    assert (bound["mode"], bound["align_corners"]) == ("nearest", None)


@pytest.mark.parametrize(
    ("name", "positional", "keyword"),
    [
        ("torch.nn.Linear", (3,), {}),
        ("torch.nn.Linear", (3, 4), {"in_features": 3}),
        ("torch.nn.Linear", (3, 4), {"no_such": 3}),
        ("torch.nn.Module.eval", (1,), {}),
        ("torch.nn.functional.relu", (1, True, 3), {}),
    ],
)
def test_what_torch_refuses_binds_to_nothing(
    name: str, positional: tuple[Any, ...], keyword: dict[str, Any]
) -> None:
    assert bind_arguments(find_signatures(name)[0], positional, keyword) is None


def test_of_several_ways_the_first_that_fits_is_taken() -> None:
    numbers = ("int", "number", "bool")
    bound = bind_call("torch.max", ("x", 1), {}, lambda p, v: (p.type in numbers) is (v == 1))
    assert bound == {"input": "x", "dim": 1, "keepdim": False, "out": None}


def test_what_torch_does_not_have_is_not_known() -> None:
    assert find_signatures("torch.no_such_function") == ()
