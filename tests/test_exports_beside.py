"""A session in one file is held against the export in another file of the same folder, and of no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import codes, findings

EXPORT = """
import torch

def export(model, image):
    torch.onnx.export(model, (image,), "net.onnx", input_names=["image"], output_names=["mask"])
"""
OTHER = EXPORT.replace('["image"]', '["pixels"]')
INFER = """
import onnxruntime

def infer(image):
    session = onnxruntime.InferenceSession("{path}")
    return session.run(None, {{"{name}": image}})
"""
RUN = INFER.format(path="net.onnx", name="input")


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check(folder: Path, *options: str) -> list[str]:
    return codes("--select", "LT156", *options, "infer.py", cwd=folder)


def test_the_names_of_an_export_beside_are_told_with_the_file_that_gives_them(
    tmp_path: Path,
) -> None:
    write(tmp_path, export=EXPORT, infer=RUN)
    (found,) = findings("--select", "LT156", cwd=tmp_path)
    assert "export.py takes 'image'" in found["message"]
    assert found["filename"].endswith("infer.py")


@pytest.mark.parametrize(
    "files",
    [
        {"infer": INFER.format(path="net.onnx", name="image")},
        {"infer": INFER.format(path="models/net.onnx", name="input")},
        {"more": OTHER},
        {"more": EXPORT},
        {"more": "import os\nos.system('simplify net.onnx net.onnx')\n"},
        {"more": "def write(model, path='net.onnx'):\n    model.save(path)\n"},
        {"more": "model.write('net.onnx'\n"},
        {"infer": "import os\nos.chdir('elsewhere')\n" + RUN},
    ],
    ids=["right", "folder", "another", "twice", "tool", "default", "broken", "moved"],
)
def test_nothing_is_said_where_the_file_may_be_another_one(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write(tmp_path, **{"export": EXPORT, "infer": RUN, **files})
    assert check(tmp_path) == []


def test_an_export_of_another_folder_is_another_file(tmp_path: Path) -> None:
    write(tmp_path, tools__export=EXPORT, infer=RUN)
    assert check(tmp_path) == []


def test_a_kept_answer_ends_when_an_export_comes_changes_or_goes(tmp_path: Path) -> None:
    cache = ("--cache-dir", str(tmp_path / "kept"))
    write(tmp_path, infer=RUN)
    assert check(tmp_path, *cache) == []
    write(tmp_path, export=EXPORT)
    assert check(tmp_path, *cache) == ["LT156"]
    write(tmp_path, export=EXPORT.replace('["image"]', '["input"]'))
    assert check(tmp_path, *cache) == []
    (tmp_path / "export.py").unlink()
    assert check(tmp_path, *cache) == []
