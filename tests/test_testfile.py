"""A file is a test by what it asserts, or by the package it lies in, never by its name alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from lintorch.facts.deployment import read_deployment
from lintorch.files import testfile
from lintorch.source import Source

LOADS = "import torch\n\nweights = torch.load('weights.pt')\n"
TESTS = {
    "imports pytest": f"import pytest\n{LOADS}",
    "imports a part of pytest": f"from pytest import fixture\n{LOADS}",
    "imports unittest": f"import unittest\n{LOADS}",
    "derives from a test case": f"from lib import TestCase\n{LOADS}\nclass T(TestCase): ...\n",
    "asserts": f"{LOADS}\ndef test_shape():\n    assert net(x).shape == (1, 3)\n",
    "asserts by a function": f"{LOADS}\ndef test_same(net):\n    torch.testing.assert_close(a, b)\n",
    "asserts in a class": f"{LOADS}\nclass TestNet:\n    async def test_a(self):\n        assert a\n",
}
SCRIPTS = {
    "a script": LOADS,
    "evaluates": f"{LOADS}\ndef test(net):\n    return net(x)\n\ntest(weights)\n",
    "calls what it defines": f"{LOADS}\ndef test_epoch(net, n):\n    assert n\n\ntest_epoch(net, 3)\n",
    "asserts elsewhere": f"{LOADS}\nassert weights\n\ndef test_net():\n    return net\n",
    "mocks": f"from unittest import mock\n{LOADS}",
    "mocks by module": f"import unittest.mock\nfrom unittest.mock import patch\n{LOADS}",
}


def is_test(path: str, text: str) -> bool:
    exporting = f"{text}\nimport torch\ntorch.jit.trace(m, x)\n"
    passed_over = read_deployment([(path, exporting.encode())]) is None
    assert Source(path, text).is_test is passed_over
    return passed_over


@pytest.mark.parametrize("text", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("path", ["test_net.py", "net/net_test.py"])
def test_a_file_that_asserts_is_a_test(path: str, text: str) -> None:
    assert is_test(path, text)


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("path", ["test_widerface.py", "u2net_test.py", "test.py", "run.py"])
def test_a_script_is_none_whatever_its_name(path: str, text: str) -> None:
    assert not is_test(path, text)


def test_a_model_with_a_test_below_it_is_none() -> None:
    assert not is_test("resnet.py", TESTS["asserts"])


def test_a_package_of_tests_holds_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "nets"
    folder.mkdir(parents=True)
    helper = str(folder / "helper.py")
    assert not is_test(helper, LOADS)
    (tmp_path / "tests" / "__init__.py").touch()
    assert is_test(helper, LOADS)
    assert is_test("conftest.py", LOADS)


def test_text_that_is_no_python_is_no_test() -> None:
    assert not testfile.is_test_file("test_net.py", "def test_a(:\n    assert a\n")
