"""Two recordings of what checkouts say: what counts as the same, and what is told of the rest."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from running import CHECKOUT

sys.path.append(str(CHECKOUT / "benchmarks"))

from recorded.cases import write_settings
from recorded.differences import compare_groups
from recorded.masks import mask_paths, mask_seconds
from recorded.questions import Question, Questions
from recorded.recording import record_group
from recorded.speaker import Speaker

FINDINGS = '[{"code": "LT101", "harm": null, "message": "read"}]'


def written(folder: Path, **files: str) -> Path:
    """A recording of one group."""
    (folder / "cases").mkdir(parents=True)
    for name, text in files.items():
        (folder / "cases" / f"{name}.json").write_text(text, "utf-8")
    return folder


def compared(before: Path, after: Path, *without: str, common: bool = False) -> bool:
    return compare_groups(before, after, ["cases"], 3, without, common)


def test_a_message_that_changed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = written(tmp_path / "before", plain=FINDINGS, wrong=FINDINGS)
    after = written(tmp_path / "after", plain=FINDINGS, wrong=FINDINGS.replace("read", "said"))
    assert compared(before, before)
    assert not compared(before, after)
    told = capsys.readouterr().out
    assert "cases: 2 files compared, 1 differ" in told
    assert '+[{"code": "LT101", "harm": null, "message": "said"}]' in told


def test_a_key_can_be_left_out_on_both_sides(tmp_path: Path) -> None:
    before = written(tmp_path / "before", plain=FINDINGS)
    after = written(tmp_path / "after", plain=FINDINGS.replace('"harm": null, ', ""))
    assert not compared(before, after)
    assert compared(before, after, "harm")
    assert not compared(before, after, "code")


def test_a_file_that_only_one_recording_has_differs(tmp_path: Path) -> None:
    before = written(tmp_path / "before", plain=FINDINGS, wrong=FINDINGS)
    after = written(tmp_path / "after", plain=FINDINGS)
    assert not compared(before, after)
    assert not compared(after, before)
    assert compared(before, after, common=True)


def test_ends_of_lines_count(tmp_path: Path) -> None:
    before = written(tmp_path / "before", plain="one\ntwo\n")
    assert not compared(before, written(tmp_path / "after", plain="one\ntwo"))


def test_two_empty_folders_are_not_the_same_recording(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="holds a recording"):
        compared(tmp_path, tmp_path)


def test_paths_and_seconds_are_masked_and_numbers_are_not() -> None:
    places = {"/tmp/x/inputs": "<inputs>", "/tmp/x": "<recording>"}
    assert mask_paths("/tmp/x/inputs/a.py /tmp/x/b", places) == "<inputs>/a.py <recording>/b"
    assert mask_seconds('{"seconds": 1.25, "row": 3}') == '{"seconds": "<seconds>", "row": 3}'
    assert mask_seconds("differs by 0.196 in 2 seconds") == "differs by 0.196 in 2 seconds"


def test_a_profile_becomes_settings_that_are_accepted(tmp_path: Path) -> None:
    def ask(workspace: Path) -> Questions:
        profile = "# profile: onnx-legacy@17 onnx # target: tensorrt-7.2 # torch: 2.4"
        (workspace / "lintorch.toml").write_text(write_settings(profile), "utf-8")
        (workspace / "model.py").write_text("import torch\n\ntorch.symeig(t)\n")
        found = yield Question("model.json", ("check", "--output-format", "json"), workspace)
        assert json.loads(found)[0]["filename"] == "model.py"

    with Speaker(CHECKOUT, Path(sys.executable)) as speaker:
        record_group(speaker, ask(speaker.workspace), tmp_path, missing=False)
    ended = (tmp_path / "model.json.ended").read_text("utf-8")
    assert ended == "lintorch check --output-format json\nexit code 1\n"
