"""The language server, driven by a client of the protocol over standard input and output."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from textwrap import dedent

import pytest
from editing import Editor, apply_edits, edits_of
from lsprotocol import types
from running import lintorch

from lintorch.core.finding import Edit, Finding, Fix, Place, Severity
from lintorch.server.changed_part import blank_others
from lintorch.server.moved_findings import find_change, move_findings

FLAT = dedent("""
    import torch


    class Flat(torch.nn.Module):
        def forward(self, x):
            return x.view(int(x.size(0)), -1)
""").lstrip()
FIXES = dedent("""
    import torch


    def whiten(cov):
        return torch.cholesky(cov)


    def load(path):
        return torch.load(path, weights_only=False)
""").lstrip()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project").resolve()
    settings = '[tool.lintorch]\nextend-select = ["advice"]\nextend-exclude = ["left_out.py"]\n'
    (folder / "pyproject.toml").write_text(settings)
    return folder


@pytest.fixture(scope="module")
def editor(project: Path) -> Iterator[Editor]:
    started = Editor(project)
    yield started
    assert started.leave() == 0


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_findings_are_shown_of_unsaved_text(editor: Editor, project: Path) -> None:
    path = write(project / "flat.py", "")
    uri = editor.open(path)
    editor.wait(uri)
    editor.change(uri, FLAT)
    (shown,) = editor.wait(uri, "6 LT101")
    assert shown.range.start == types.Position(5, 22)
    assert shown.severity == types.DiagnosticSeverity.Warning
    assert shown.source == "lintorch"
    assert shown.code_description is not None
    assert shown.code_description.href.endswith("/rules/export/dynamic-size.md")
    editor.change(uri, FLAT.replace("  return", '  "😀"; return'))
    (moved,) = editor.wait(uri, "6 LT101")
    assert moved.range.start == types.Position(5, 22 + len('"xx"; '))


def test_text_that_is_no_python_leaves_the_rest_in_its_place(editor: Editor, project: Path) -> None:
    uri = editor.open(write(project / "broken.py", FLAT))
    editor.wait(uri, "6 LT101")
    editor.change(uri, f"import (\n{FLAT}")
    editor.wait(uri, "1 LT001", "7 LT101")
    editor.change(uri, "\0torch")
    editor.wait(uri, "1 LT001")
    editor.change(uri, FLAT)
    editor.wait(uri, "6 LT101")


def test_unsaved_text_counts_where_it_is_imported(editor: Editor, project: Path) -> None:
    base = "from torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"
    model = "from base import Base\n" + FLAT.replace("torch.nn.Module", "Base")
    above = editor.open(write(project / "base.py", base))
    uri = editor.open(write(project / "derived.py", model))
    editor.wait(uri, "7 LT101")
    editor.change(above, base.replace("nn.Module", "dict"))
    editor.wait(uri)
    closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(above))
    editor.tell(lambda: editor.client.text_document_did_close(closed))
    editor.wait(uri, "7 LT101")


def test_a_finding_is_fixed_or_suppressed(editor: Editor, project: Path) -> None:
    uri = editor.open(write(project / "fixes.py", FIXES))
    retired, unsafe = editor.wait(uri, "5 LT601", "9 LT701")
    assert list(retired.tags or ()) == [types.DiagnosticTag.Deprecated]
    fix, suppress = editor.list_actions(uri, [retired])
    assert fix.is_preferred
    assert list(fix.diagnostics or ()) == [retired]
    assert apply_edits(FIXES, edits_of(fix, uri)) == FIXES.replace("cholesky", "linalg.cholesky")
    dangerous, _ = editor.list_actions(uri, [unsafe])
    assert not dangerous.is_preferred
    assert "unsafe" in dangerous.title
    quiet = apply_edits(FIXES, edits_of(suppress, uri))
    assert "(cov)  # lintorch: ignore[retired-name]\n" in quiet
    editor.change(uri, quiet)
    editor.wait(uri, "9 LT701")


def test_all_is_fixed_as_check_does(editor: Editor, project: Path) -> None:
    path = write(project / "all.py", FIXES)
    uri = editor.open(path)
    editor.wait(uri, "5 LT601", "9 LT701")
    (action,) = editor.list_actions(uri, only=["source.fixAll"])
    assert action.kind == "source.fixAll.lintorch"
    after = apply_edits(FIXES, edits_of(action, uri))
    assert lintorch("check", "--fix", "all.py", cwd=project).returncode == 1
    assert path.read_text() == after != FIXES


def test_a_rule_is_explained_at_its_finding_and_in_a_comment(editor: Editor, project: Path) -> None:
    text = FIXES.replace("(cov)\n\n", "(cov)  # lintorch: ignore[retired-name]\n\n")
    uri = editor.open(write(project / "pages.py", text))
    editor.wait(uri, "9 LT701")
    for line, character, page in ((8, 14, "# LT701 unsafe-load"), (4, 60, "# LT601 retired-name")):
        at = types.Position(line, character)
        asked = types.HoverParams(types.TextDocumentIdentifier(uri), at)
        told = editor.ask(partial(editor.client.text_document_hover_async, asked))
        assert told is not None
        assert isinstance(told.contents, types.MarkupContent)
        assert told.contents.value.startswith(page)


def test_settings_are_read_anew_and_excluded_files_left_out(editor: Editor, tmp_path: Path) -> None:
    left_out = editor.open(write(editor.folder / "left_out.py", FLAT))
    editor.wait(left_out)
    folder = editor.folder / "strict"
    folder.mkdir()
    uri = editor.open(write(folder / "flat.py", FLAT))
    editor.wait(uri, "6 LT101")
    settings = write(folder / "lintorch.toml", 'ignore = ["dynamic-size"]\n')
    editor.save(uri)
    editor.wait(uri)
    settings.write_text("ignore = 3\n")
    editor.save(uri)
    editor.wait_for_word("`ignore`: expected a list of strings")
    settings.write_text("")
    editor.save(uri)
    editor.wait(uri, "6 LT101")


def test_a_model_is_run_where_somebody_clicks(editor: Editor, project: Path) -> None:
    uri = editor.open(write(project / "lens.py", FLAT))
    editor.wait(uri, "6 LT101")
    asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    lenses = editor.ask(lambda: editor.client.text_document_code_lens_async(asked))
    commands = [lens.command for lens in lenses or () if lens.command]
    titles = [command.title for command in commands]
    assert titles == ["lintorch: trace this model", "lintorch: export this model"]
    trace = types.ExecuteCommandParams(commands[0].command, commands[0].arguments)
    editor.ask(lambda: editor.client.workspace_execute_command_async(trace))
    _, ended = editor.wait_for_progress("end")
    assert ended["message"] != "failed"
    assert editor.progress[0][1]["title"] == "lintorch: trace Flat"
    editor.wait(uri, "6 LT101", until=lambda shown: bool(shown[0].related_information))


def test_a_run_is_stopped(editor: Editor, project: Path) -> None:
    slow = "import time\n" + FLAT.replace(
        "        return", "        time.sleep(60)\n        return"
    )
    uri = editor.open(write(project / "slow.py", slow))
    editor.wait(uri, "8 LT101")
    editor.progress.clear()
    run = types.ExecuteCommandParams("lintorch.traceModel", [uri, "Flat"])
    running = editor.begin(lambda: editor.client.workspace_execute_command_async(run))
    token, _ = editor.wait_for_progress("report")
    cancel = types.WorkDoneProgressCancelParams(token)
    editor.tell(lambda: editor.client.window_work_done_progress_cancel(cancel))
    running.result(60)
    assert editor.wait_for_progress("end")[1]["message"] == "stopped"


def test_cells_are_one_module(editor: Editor, project: Path) -> None:
    uri, cells = (project / "notes.ipynb").as_uri(), ["cell:1", "cell:2"]
    texts = ["%matplotlib inline\nimport torch", FLAT.partition("\n\n\n")[2]]
    opened = types.DidOpenNotebookDocumentParams(
        types.NotebookDocument(
            uri, "jupyter-notebook", 1, [types.NotebookCell(types.NotebookCellKind.Code, each) for each in cells]
        ),
        [types.TextDocumentItem(c, "python", 1, t) for c, t in zip(cells, texts, strict=True)],
    )  # fmt: skip
    editor.tell(lambda: editor.client.notebook_document_did_open(opened))
    shown = editor.wait("cell:2", "3 LT101")
    editor.wait("cell:1")
    *_, suppress = editor.list_actions("cell:2", shown)
    quiet = apply_edits(texts[1], edits_of(suppress, "cell:2"))
    piece = types.TextDocumentContentChangePartial(
        types.Range(types.Position(2, 0), types.Position(3, 0)), quiet.splitlines(True)[2]
    )
    changed = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, "cell:2"), [piece]
    )
    told = types.DidChangeNotebookDocumentParams(
        types.VersionedNotebookDocumentIdentifier(2, uri),
        types.NotebookDocumentChangeEvent(
            cells=types.NotebookDocumentCellChanges(text_content=[changed])
        ),
    )
    editor.tell(lambda: editor.client.notebook_document_did_change(told))
    editor.wait("cell:2")


def test_nothing_of_the_folder_is_imported_and_who_just_leaves_is_told_of(tmp_path: Path) -> None:
    for name in ("pickle", "asyncio", "torch"):
        write(tmp_path / f"{name}.py", "raise SystemExit('the folder was imported')\n")
    editor = Editor(tmp_path)
    editor.wait(editor.open(write(tmp_path / "flat.py", FLAT)), "6 LT101")
    assert editor.leave(politely=False) == 1


def test_what_a_change_does_not_concern_is_made_blank() -> None:
    text = "import torch\n\n\ndef a(x):\n    return b(x)\n\n\ndef b(x):\n    return x\n\n\nclass C:\n    y = 1\n"
    changed = text.replace("b(x)\n", "b(x) + 1\n")
    part = blank_others(changed, find_change(text, changed))
    assert part is not None
    assert len(part) == len(changed)
    assert part.split() == changed.partition("class")[0].split()
    assert blank_others("def (", find_change(text, "def (")) is None


@pytest.mark.parametrize("new", ["x\na\nb\nc\n", "a\nc\n", "a\nb\nB\nc\n", "", "c\n", "a\nb\nc\nd"])
def test_findings_move_with_their_rows(new: str) -> None:
    old = "a\nb\nc\n"
    for row, line in enumerate(old.splitlines(), 1):
        fix = Fix("", (Edit(2 * row - 2, 2 * row - 1, ""),))
        finding = Finding("LT101", "", "", Severity.NOTE, Place("f.py", row), fix=fix)
        moved = list(move_findings([finding], find_change(old, new)))
        assert [new.splitlines()[each.place.row - 1] for each in moved] == [line] * len(moved)
        edits = [edit for each in moved for edit in (each.fix.edits if each.fix else ())]
        assert [new[edit.start : edit.end] for edit in edits] == [line] * len(moved)
        assert moved or line not in new or new == "c\n" or len(new) < len(old)
