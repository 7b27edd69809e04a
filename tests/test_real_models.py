"""lintorch on a package of models that nobody here wrote: pytorchcv, as installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from running import findings, lintorch

SPEC = importlib.util.find_spec("pytorchcv")
assert SPEC is not None
assert SPEC.origin is not None
PACKAGE = Path(SPEC.origin).parent


def test_every_file_is_linted_without_a_crash(tmp_path: Path) -> None:
    found = findings(PACKAGE, cwd=tmp_path)
    assert {f["code"] for f in found} & {"LT101", "LT104", "LT105"}
    assert not {f["code"] for f in found} & {"LT001", "LT002", "LT008"}


def test_models_are_built_fed_run_and_exported_without_configuration(tmp_path: Path) -> None:
    files = [PACKAGE / "models" / name for name in ("squeezenet.py", "shufflenetv2.py")]
    done = lintorch("check", "--export", "onnx-legacy", "--no-cache", *files, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "SqueezeNet" in done.stdout
    assert "ShuffleNetV2" in done.stdout
    assert done.stdout.count("onnx-legacy ok") == 2
    assert "LT904" not in done.stdout
