"""What `lintorch models` prints of models that could not be had."""

from __future__ import annotations

from lintorch.cli.show_models import format_models
from lintorch.record.models import Failure, Stage
from lintorch.run.list_models import ListedModels

LIBROSA = "MissingPackageError: needs librosa, which is not installed (pip install librosa)"


def failures(*causes: tuple[Stage, str]) -> ListedModels:
    made = [
        Failure("net.py", f"Net{number}", 3, stage, cause)
        for number, (stage, cause) in enumerate(causes)
    ]
    return ListedModels(failures=tuple(made), files=1)


def test_models_that_lack_one_package_are_told_together_with_what_installs_it() -> None:
    listed = failures(("build", f"{LIBROSA} (net.py:9)"), ("run", f"{LIBROSA} (net.py:20)"))
    assert format_models(listed).splitlines() == [
        "Not built, fed or run:",
        "  net.py:Net0  needs librosa, which is not installed",
        "    and net.py:Net1",
        "",
        "pip install librosa, in the environment that models run in.",
    ]


def test_long_lines_are_broken_at_the_width_of_a_terminal() -> None:
    cause = (
        "no inputs were found that it runs on; x: float32[batch=2, 3, height=64] gave RuntimeError"
    )
    text = format_models(failures(("inputs", cause)), width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert "it runs on;\n      x: float32[batch=2, 3, height=64] gave" in text
    assert "[tool.lintorch.models.NAME]" in text
