"""Notebooks: their cells as one module, places by cell, and every other byte as it was."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from running import findings, lintorch

from lintorch.core.cell_rows import CellRows

FORWARD = """class Net(torch.nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""
CELLS = ["# a title", "import torch", FORWARD, "roots = torch.symeig(1)"]


def write(path: Path, cells: Sequence[str], **layout: Any) -> str:
    """A notebook whose first cell is text; what it holds."""
    about = {"outputs": [{"text": "é \u2028 <b>"}], "execution_count": 3}
    listed = [
        {"cell_type": "code" if n else "markdown", "metadata": {}, **(about if n else {}),
         "source": source.splitlines(keepends=True)}
        for n, source in enumerate(cells)
    ]  # fmt: skip
    whole = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(whole, **{"indent": 1, "ensure_ascii": False, **layout}) + "\n"
    path.write_text(text, encoding="utf-8")
    return text


def test_nothing_is_said_of_an_empty_notebook(tmp_path: Path) -> None:
    (tmp_path / "begun.ipynb").write_bytes(b"")
    assert places("begun.ipynb", cwd=tmp_path) == []


def test_the_last_line_of_a_cell_is_shown(tmp_path: Path) -> None:
    cells = ["", "import torch\nx = torch.ones(2)", "x.sigmoid()\nx.exp()\n# shown", "x.sigmoid()"]
    write(tmp_path / "shown.ipynb", cells)
    assert places("shown.ipynb", cwd=tmp_path) == [(3, 1, "LT802")]


def test_cells_copied_to_another_notebook_are_told_once_and_name_its_cells(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.ipynb", ["", "import torch", FORWARD, "saved = 1 2"])
    told = lintorch("check", "--output-format=concise", cwd=tmp_path).stdout
    syntax, _ = told.splitlines()
    assert syntax.startswith("a.ipynb:cell 4:1:")
    assert "; also in b.ipynb:cell 4:1" in syntax
    for name in ("a", "b"):
        cells = ["", "import torch", FORWARD, f"{name} = 1", FORWARD.replace("Net", "Other")]
        write(tmp_path / f"{name}.ipynb", cells)
    told = lintorch("check", "--output-format=concise", cwd=tmp_path).stdout
    first, _ = told.splitlines()
    assert first.startswith("a.ipynb:cell 3:3:")
    assert "; also in cell 5:3 and b.ipynb:cell 3:3" in first


def places(*arguments: object, cwd: Path) -> list[tuple[int, int, str]]:
    found = findings(*arguments, cwd=cwd)
    return [(each["cell"], each["location"]["row"], each["code"]) for each in found]


def test_places_are_those_of_cells(tmp_path: Path) -> None:
    write(tmp_path / "demo.ipynb", CELLS)
    assert places(cwd=tmp_path) == [(3, 3, "LT101"), (4, 1, "LT601")]
    concise = lintorch("check", "--output-format", "concise", cwd=tmp_path).stdout
    assert "demo.ipynb:cell 3:3:23: warning LT101" in concise
    full = lintorch("check", cwd=tmp_path).stdout
    assert "demo.ipynb:cell 4:1:9" in full
    assert "  1 │ roots = torch.symeig(1)" in full
    github = lintorch("check", "--output-format", "github", cwd=tmp_path).stdout
    assert (
        "file=demo.ipynb,line=1,endLine=1,title=lintorch (LT101)::demo.ipynb:cell 3:3:23: "
        in github
    )


@pytest.mark.parametrize(
    "layout",
    [{}, {"indent": None}, {"indent": "\t", "ensure_ascii": True},
     {"indent": None, "separators": (",", ":")}],
)  # fmt: skip
def test_fixing_changes_its_lines_and_no_other_byte(tmp_path: Path, layout: dict[str, Any]) -> None:
    before = write(tmp_path / "demo.ipynb", CELLS, **layout)
    assert "int(x.size(0))" in before
    lintorch("check", "--fix", cwd=tmp_path)
    after = (tmp_path / "demo.ipynb").read_text(encoding="utf-8")
    assert after == before.replace("int(x.size(0))", "x.size(0)")


def test_a_source_that_is_one_text_stays_one(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": source} for source in CELLS[1:]]
    (tmp_path / "demo.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    lintorch("check", "--fix", cwd=tmp_path)
    sources = [
        cell["source"] for cell in json.loads((tmp_path / "demo.ipynb").read_text())["cells"]
    ]
    assert sources == [each.replace("int(x.size(0))", "x.size(0)") for each in CELLS[1:]]


MAGICS = f"""%matplotlib inline
!pip install torch \\
   --upgrade
files = !ls *.pt
torch?
! mkdir old
pip install timm
import torch
if files:
    !rm -r old
{FORWARD}"""


def test_commands_are_left_alone(tmp_path: Path) -> None:
    cells = [
        "title",
        MAGICS,
        "%%bash\ntorch.symeig(",
        f"%%time\n{FORWARD.replace('Net', 'Other')}",
        "(1\n% 2)",
    ]
    before = write(tmp_path / "demo.ipynb", cells)
    assert places(cwd=tmp_path) == [(2, 13, "LT101"), (4, 4, "LT101")]
    lintorch("check", "--fix", cwd=tmp_path)
    after = (tmp_path / "demo.ipynb").read_text(encoding="utf-8")
    assert after == before.replace("int(x.size(0))", "x.size(0)")


def test_code_is_shown_as_it_is_written(tmp_path: Path) -> None:
    write(tmp_path / "demo.ipynb", ["title", "import torch", "%%time\n!ls\ntorch.symeig(1)"])
    assert (
        "  1 │ %%time\n    2 │ !ls\n    3 │ torch.symeig(1)"
        in lintorch("check", cwd=tmp_path).stdout
    )


def test_a_diff_is_told_by_cell_and_writes_nothing(tmp_path: Path) -> None:
    before = write(tmp_path / "demo.ipynb", CELLS)
    shown = lintorch("check", "--diff", cwd=tmp_path).stdout
    assert shown.startswith("--- a/demo.ipynb:cell 3\n+++ b/demo.ipynb:cell 3\n@@ -1,3 +1,3 @@\n")
    assert (tmp_path / "demo.ipynb").read_text(encoding="utf-8") == before


def test_suppressions_and_settings_hold(tmp_path: Path) -> None:
    write(tmp_path / "demo.ipynb", [*CELLS[:3], f"{CELLS[3]}  # lintorch: ignore[LT601]"])
    assert places(cwd=tmp_path) == [(3, 3, "LT101")]
    write(tmp_path / "demo.ipynb", [*CELLS[:3], "# lintorch: ignore-file[LT101]"])
    assert places(cwd=tmp_path) == []
    write(tmp_path / "demo.ipynb", CELLS)
    (tmp_path / "lintorch.toml").write_text('extend-exclude = ["*.ipynb"]\n')
    assert places(cwd=tmp_path) == []


def test_suppressions_are_added_in_their_cells(tmp_path: Path) -> None:
    before = write(tmp_path / "demo.ipynb", CELLS)
    done = lintorch("check", "--add-ignore", cwd=tmp_path)
    assert done.stdout == "Added 2 suppressions in 1 file.\n"
    after = (tmp_path / "demo.ipynb").read_text(encoding="utf-8")
    marked = before.replace(", -1)\\n", ", -1)  # lintorch: ignore[LT101]\\n")
    assert after == marked.replace("symeig(1)", "symeig(1)  # lintorch: ignore[LT601]")
    assert places(cwd=tmp_path) == []


def test_an_idle_suppression_is_found_and_removed_in_its_cell(tmp_path: Path) -> None:
    before = write(tmp_path / "demo.ipynb", [*CELLS[:2], "x = 1  # lintorch: ignore[LT101]"])
    assert places(cwd=tmp_path) == [(3, 1, "LT003")]
    lintorch("check", "--fix", cwd=tmp_path)
    after = (tmp_path / "demo.ipynb").read_text(encoding="utf-8")
    assert after == before.replace("x = 1  # lintorch: ignore[LT101]", "x = 1")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"cells": [', "Expecting value at row 1"),
        ("import torch", "Expecting value"),
        ("[]", "no JSON object"),
        ("{}", "it has no list of cells"),
        ('{"worksheets": []}', "of format 3"),
        ('{"cells": [{"cell_type": "code", "source": 3}]}', "cell 1 has no source"),
    ],
)
def test_what_is_no_notebook_is_one_finding(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "demo.ipynb").write_text(text)
    (found,) = findings("demo.ipynb", cwd=tmp_path)
    assert (found["code"], found["cell"]) == ("LT008", None)
    assert found["message"].startswith("the file cannot be read: not a notebook: ")
    assert told in found["message"]


def test_a_cell_that_is_no_python_is_named(tmp_path: Path) -> None:
    write(tmp_path / "demo.ipynb", [*CELLS[:2], "x = 1\ny = ("])
    assert places(cwd=tmp_path) == [(3, 2, "LT001")]


BLANKS = f"""import torch
loss = # TODO: choose one
self.first, b = # your turn
def train(loss):
    # one step

    # YOUR CODE HERE
    # (about 3 lines)
print(loss)
{FORWARD}"""


def test_what_an_exercise_leaves_blank_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "exercise.ipynb"
    before = write(path, ["", BLANKS, CELLS[3]])
    assert [code for *_, code in places(cwd=tmp_path)] == ["LT101", "LT601"]
    lintorch("check", "--fix", cwd=tmp_path)
    after = path.read_text(encoding="utf-8")
    assert after == before.replace("int(x.size(0))", "x.size(0)")


@pytest.mark.parametrize(
    "blank", ["loss = ", "x = torch.ones(2)\n    y = 3", "def f(x):\n    # doubles"]
)
def test_what_is_no_blank_of_an_exercise_is_an_error(tmp_path: Path, blank: str) -> None:
    write(tmp_path / "broken.ipynb", ["", f"import torch\n{blank}\nprint(1)"])
    assert [code for *_, code in places(cwd=tmp_path)] == ["LT001"]


def test_a_notebook_of_another_language_has_no_findings(tmp_path: Path) -> None:
    text = write(tmp_path / "demo.ipynb", ["title", "torch <- 1 ->"])
    named = text.replace(
        '"metadata": {},\n "nb', '"metadata": {"language_info": {"name": "R"}},\n "nb'
    )
    assert named != text
    (tmp_path / "demo.ipynb").write_text(named)
    assert places(cwd=tmp_path) == []


RUNNING = [
    "title",
    "import torch\n!pip install timm",
    f"%%time\n{FORWARD}\n    def deepen(self):\n        return depth\n",
    "depth = await fetch()\nopen('trained', 'w')\nfor _ in range(10):\n    open('looped', 'w')",
    "net = Net()\nnet(torch.randn(5, 7))",
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with a notebook, and what a check of it that traces and exports says."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("notebooks")
    write(folder / "demo.ipynb", RUNNING)
    options = ("--trace", "--export", "torchscript-trace", "--show-refuted")
    (found,) = findings(*options, cwd=folder)
    return folder, found


def test_models_of_notebooks_are_run_and_exported(ran: tuple[Path, dict[str, Any]]) -> None:
    _, found = ran
    place = found["cell"], found["location"]["row"], found["code"]
    assert (place, found["evidence"]) == ((3, 4, "LT101"), "export")
    assert found["model"] == "demo.ipynb:Net"
    assert [note["evidence"] for note in found["notes"]] == ["source", "trace", "export"]


def test_cells_that_only_do_things_are_not_run(ran: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = ran
    assert sorted(path.name for path in folder.iterdir()) == ["demo.ipynb"]


def test_models_are_listed_and_exported_by_cell(ran: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = ran
    done = lintorch("models", "--output-format", "json", cwd=folder)
    (model,) = json.loads(done.stdout)
    assert (model["model"], model["cell"], model["row"]) == ("demo.ipynb:Net", 3, 2)
    assert model["inputs"] == ["float32[batch=5, length=7]"]
    assert "inputs from demo.ipynb cell 5" in model["assumptions"]
    export = ("export", "--to", "torchscript-trace", "--repro", "repro")
    shown = lintorch(*export, cwd=folder).stdout
    assert "demo.ipynb:cell 3:4: LT101" in shown
    assert "demo.ipynb is a notebook, which a program cannot" in shown
    (trial,) = json.loads(lintorch(*export, "--output-format", "json", cwd=folder).stdout)["trials"]
    (finding,) = trial["findings"]
    assert (finding["location"]["cell"], finding["location"]["row"]) == (3, 4)


def test_what_a_cell_has_a_package_build_is_a_model(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    cells = [
        "title",
        "import torch\nfrom torch import nn",
        "%matplotlib inline\nhead = nn.Sequential(nn.Linear(4, 8), nn.ReLU())",
        "for weight in head.parameters():\n    weight.requires_grad = False",
        "head(torch.rand(3, 4))",
    ]
    write(tmp_path / "demo.ipynb", cells)
    (model,) = json.loads(lintorch("models", "--output-format", "json", cwd=tmp_path).stdout)
    assert (model["model"], model["cell"], model["row"]) == ("demo.ipynb:head", 3, 2)
    assert model["inputs"] == ["float32[batch=3, 4]"]
    assert "built as in demo.ipynb:cell 3:2" in model["assumptions"]


def test_words_name_lines_by_cells() -> None:
    rows = CellRows({"nb/demo.ipynb": ((1, 2, 0), (5, 4, 1))})
    assert rows.find_row("nb/demo.ipynb", 6) == (4, 3)
    assert rows.find_row("net.py", 6) == (0, 6)
    told = rows.rewrite_text('/x/nb/demo.ipynb:2 and File "demo.ipynb", line 6, in line 5')
    assert told == '/x/nb/demo.ipynb:cell 2:2 and File "demo.ipynb", cell 4, line 3, in line 5'
    assert rows.rewrite_text("as in line 6", "nb/demo.ipynb") == "as in line 3 of cell 4"
    assert rows.rewrite_text("other.ipynb:6, in line 6", "net.py") == "other.ipynb:6, in line 6"


def test_a_baseline_and_a_revision_are_heeded(tmp_path: Path) -> None:
    write(tmp_path / "demo.ipynb", CELLS)
    lintorch("baseline", cwd=tmp_path)
    write(tmp_path / "demo.ipynb", ["title", "x = 0", *CELLS[1:], "more = torch.symeig(2)"])
    assert places("--baseline", "lintorch-baseline.json", cwd=tmp_path) == [(6, 1, "LT601")]
    identity = ["git", "-c", "user.name=lintorch", "-c", "user.email=lintorch@example.org"]
    write(tmp_path / "demo.ipynb", CELLS)
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        ["commit", "--quiet", "--message", "As it is"],
    ):
        subprocess.run([*identity, *command], cwd=tmp_path, check=True)
    write(tmp_path / "demo.ipynb", ["title", "x = 0", *CELLS[1:], "more = torch.symeig(2)"])
    assert places("--diff-base", "HEAD", cwd=tmp_path) == [(6, 1, "LT601")]


def test_shapes_of_a_cell_whose_error_is_kept_are_not_told(tmp_path: Path) -> None:
    cells = [
        "",
        "import torch\na = torch.ones(3, 2)",
        "torch.mm(a, a)",
        "torch.mm(a, a.view(3, 2))",
    ]
    notebook = json.loads(write(tmp_path / "shapes.ipynb", cells))
    notebook["cells"][2]["outputs"] = [{"output_type": "error", "ename": "RuntimeError"}]
    (tmp_path / "shapes.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert places("shapes.ipynb", cwd=tmp_path) == [(4, 1, "LT806")]
