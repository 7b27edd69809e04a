"""One file's trouble is one finding on that file: depth, circles, odd encodings, crashes, lost processes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from running import codes, findings, lintorch

from lintorch.run.process_pool import spread_tasks
from lintorch.syntax.deep_stack import call_deeply

RETIRED = "import torch\n\n\ndef whiten(cov):\n    return torch.cholesky(cov)\n"
"""LT601, with a fix."""
MODEL = """import torch
from torch import nn
{above}

class Net(nn.Module):
    def forward(self, x):
{body}
        return x.view(int(x.size(0)), -1)
"""
"""LT101 in its last line, whatever stands before."""


def model(body: str = "        pass", above: str = "") -> str:
    return MODEL.format(body=body, above=above)


def line(expression: str) -> str:
    return model(f"        y = {expression}")


def methods(call: str) -> str:
    """99 methods, each of which runs `call` with the numbers that follow its own."""
    text = model() + "\n    def all(self, x):\n        return self.m0(x)\n"
    for number in range(99):
        following = {name: (number + step) % 99 for name, step in (("a", 1), ("b", 2), ("c", 5))}
        text += f"\n    def m{number}(self, x):\n        return {call.format(**following)}\n"
    return text


DEEP = {
    "sum": line(" + ".join(["x"] * 900)),
    "or": line(" or ".join(["x"] * 900)),
    "calls": line("x" + ".b()" * 400),
    "made calls": line("torch.rand(1)" + ".b()" * 200),
    "attributes": line("x" + ".b" * 900),
    "minus": line("-" * 900 + "1"),
    "brackets": line("(" * 190 + "x" + ")" * 190),
    "choices": line("1 if x else " * 300 + "2"),
    "strings": line("(" + "'a' " * 900 + ")"),
    "default": model(above=f"def f(a={'-' * 900}1):\n    pass\n"),
    "elif": model("        if 1:\n            pass" + "\n        elif 2:\n            pass" * 400),
    "made sums": model(
        "        a0 = torch.rand(1)\n"
        + "".join(f"        a{n + 1} = a{n} + a{n}\n" for n in range(60))
        + "        if a60:\n            pass"
    ),
    "swaps": model(
        "        a, b, c, d, e, f, g, h, i = x.shape\n"
        + "        a, b, c, d, e, f, g, h, i = i + h, a + g, b + a, c + b, d, e + c, f, g + e, h\n"
        * 20
    ),
    "methods in a circle": methods("self.m{a}(x)"),
    "methods that branch": methods("self.m{a}(x) + self.m{b}(x) * self.m{c}(x)"),
    "properties": methods("self.m{a} + self.m{b}").replace("    def m", "    @property\n    def m"),
    "classes in a circle": model(
        above="\n".join(
            f"class C{n}(C{(n + 1) % 40}, C{(n + 7) % 40}):\n    def forward(self, x):\n"
            f"        return self.other(x)\n"
            for n in range(40)
        )
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_what_python_compiles_is_checked_however_deep(tmp_path: Path, name: str) -> None:
    compile(DEEP[name], name, "exec")
    (tmp_path / "net.py").write_text(DEEP[name])
    found = [f for f in findings("--no-cache", cwd=tmp_path) if f["code"] != "LT102"]
    row = DEEP[name][: DEEP[name].index("return x.view(int")].count("\n") + 1
    assert ("LT101", row) in {(f["code"], f["location"]["row"]) for f in found}
    assert not {f["code"] for f in found} & {"LT001", "LT002", "LT009"}


@pytest.mark.parametrize(
    "text",
    [
        f"def f(a={'-' * 3000}1):\n    pass\n",
        f"with {'-' * 3000}1:\n    pass\n",
        f"class A(b={'-' * 3000}1):\n    pass\n",
        f"match 1:\n    case 1:\n        x = {'-' * 3000}1\n",
        "x = (" + "'a'\n" * 4000 + ")\n",
        "if 1:\n    pass\n" + "elif 2:\n    pass\n" * 2400,
    ],
    ids=["default", "with", "keyword", "case", "strings", "elif"],
)
def test_what_is_too_deep_is_told_wherever_it_stands(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.py").write_text(f"import torch\n{text}")
    (tmp_path / "net.py").write_text(RETIRED)
    found = findings("--extend-select", "advice", cwd=tmp_path)
    assert [f["code"] for f in found] == ["LT001", "LT601"]
    assert "nested too deeply" in found[0]["message"]


CIRCLES = {
    "shim": "import sys\nif sys.version_info[0] == 3:\n    unicode = str\nelse:\n    str = unicode\n",
    "three": "import torch\na = b\nb = c.d\nc = a.e\nstr = unicode = a\n",
    "stars": "from net import *\nfrom helper import *\n",
    "each other": "from net import str, unicode, Net as Base\n",
    "bases": "import net\nclass A(B): pass\nclass B(A, net.Net): pass\n" * 2,
    "mixins": "".join(
        f"class A{n}({', '.join(f'A{(n + step) % 30}' for step in range(1, 20))}): pass\n"
        for n in range(30)
    ),
    "elif": "if 1:\n    a = 1\n" + "elif 2:\n    b = 2\n" * 1200,
    "attribute": "unicode = a" + ".b()" * 900 + ".c\n",
    "too deep": "x = a" + ".b()" * 5000,
    "memory": "x = " + "-" * 20_000 + "1\n",
    "idna": "# coding: idna\nstr = 1\n",
    "undefined": "# coding: undefined\nstr = 1\n",
    "nul": "str = 1\0\n",
}


MIXED = [
    "import torch",
    "",
    "",
    "def whiten(covs, loud):",
    "    for cov in covs:",
    "\t        # tabs, where Python counts columns",
    "\t        if loud:",
    '\t        \tprint("""',
    '    \tloud""")',
    "        \t\treturn torch.cholesky(",
    "\tcov)",
    "    return covs",
]


def test_blocks_indented_by_tabs_within_spaces_are_checked_and_fixed(tmp_path: Path) -> None:
    text = "\n".join(MIXED) + "\n"
    (tmp_path / "mixed.py").write_text(text)
    found = findings("--select", "LT601", cwd=tmp_path)
    places = [(each["code"], each["location"]["row"], each["location"]["column"]) for each in found]
    assert places == [("LT601", 10, 18)]
    lintorch("check", "--select", "LT601", "--fix", cwd=tmp_path)
    fixed = text.replace("torch.cholesky(\n\tcov)", "torch.linalg.cholesky(cov)")
    assert (tmp_path / "mixed.py").read_text() == fixed


@pytest.mark.parametrize("name", CIRCLES)
def test_a_helper_that_cannot_be_followed_leaves_the_importer_checked(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "helper.py").write_text(CIRCLES[name])
    text = model(
        above="from helper import *\nfrom helper import str, unicode, A, A0\nimport helper"
    )
    text += "\n\nclass Other(A, A0, helper.B, helper.Base):\n    text = str(unicode(helper.a))\n"
    (tmp_path / "net.py").write_text(text)
    found = [f["code"] for f in findings("net.py", cwd=tmp_path)]
    assert found == ["LT101"]


CODECS = [
    "idna", "punycode", "hex", "base64", "zlib", "bz2", "uu", "quopri", "rot13", "undefined",
    "mbcs", "oem", "utf-7", "utf-16", "utf-32", "utf-8-sig", "unicode_escape", "mac_arabic", "x" * 300,
]  # fmt: skip


def test_no_encoding_ends_a_run_or_keeps_others_from_being_fixed(tmp_path: Path) -> None:
    odd = {f"odd{n}.py": f"# coding: {name}\n{RETIRED}" for n, name in enumerate(CODECS)}
    for name, text in odd.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "zz.py").write_text(RETIRED)
    done = lintorch("check", "--select", "ALL", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert "linalg.cholesky" in (tmp_path / "zz.py").read_text()
    for name, text in odd.items():
        after = (tmp_path / name).read_bytes()
        assert after in (text.encode(), text.replace("torch.ch", "torch.linalg.ch").encode()), name


def test_a_file_whose_bytes_would_not_come_back_is_checked_and_not_written(tmp_path: Path) -> None:
    text = f"# coding: utf-7\nname = 'a+AGE-b'  # +AGE-\n{RETIRED}"
    (tmp_path / "odd.py").write_text(text)
    assert codes("--select", "LT601", cwd=tmp_path) == ["LT601"]
    done = lintorch("check", "--select", "LT601", "--fix", cwd=tmp_path)
    assert "odd.py: utf" in done.stderr
    assert (tmp_path / "odd.py").read_text() == text


FAILING = '''"""LT197: a rule whose word lists cannot be asked."""
from lintorch.core.finding import Severity
from lintorch.core.rule import Rule
import libcst as cst

class Words(tuple):
    def __iter__(self):
        raise {error}

rule = Rule(__name__, code="LT197", summary="never", why="Never.", severity=Severity.NOTE)

@rule.source(cst.Module, needs=Words(("a",)))
def in_source(node, source):
    yield from ()
'''


@pytest.mark.parametrize("error", ["KeyError(1)", "MemoryError", "OverflowError", "UnicodeError"])
def test_what_is_raised_over_a_file_is_a_finding_on_it(tmp_path: Path, error: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/failing.py").write_text(FAILING.format(error=error))
    (tmp_path / "lintorch.toml").write_text('exclude = ["own"]\n')
    (tmp_path / "a.py").write_text(RETIRED)
    (tmp_path / "b.py").write_text("x = 1\n")
    for _ in range(2):  # what failed is not kept
        done = lintorch("check", "--rules", "own", "--output-format", "json", cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        (found,) = json.loads(done.stdout)
        assert (found["code"], found["filename"]) == ("LT009", "a.py")
        assert error.partition("(")[0] in found["message"]


def _square(number: int) -> int:
    if number in (7, 100):
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed otherwise here")
def test_a_process_that_is_killed_costs_its_task_alone() -> None:
    found = list(spread_tasks(_square, range(200), 4, lambda number: -number, lambda: None))
    assert found == [-n if n in (7, 100) else n * n for n in range(200)]


def test_deep_recursion_has_room_and_ends_in_an_exception() -> None:
    def down(number: int) -> int:
        return 0 if number == 0 else 1 + down(number - 1)

    def through_c(number: int) -> int:
        return max(through_c(number + 1) for _ in "a")

    assert call_deeply(lambda: down(8000)) == 8000
    with pytest.raises(RecursionError):
        call_deeply(lambda: through_c(0))
    with pytest.raises(KeyError):
        call_deeply(lambda: {"a": 1}["b"])
