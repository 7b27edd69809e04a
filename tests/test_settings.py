"""The closest settings file wins, wrong settings are named, the most specific selector decides."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import click
import pytest

from lintorch.catalog import Card, Catalog, build_catalog
from lintorch.cli import main
from lintorch.cli.shared_options import SettingOption
from lintorch.core.finding import Evidence, Severity
from lintorch.core.profile import Profile
from lintorch.settings import (
    NamedPython,
    Selection,
    Settings,
    SettingsError,
    enabled_codes,
    find_settings,
    fixable_codes,
    load_settings,
    override_settings,
)
from lintorch.settings.describe_keys import KEYS
from lintorch.settings.read_settings import known_keys

NAMES = {
    "LT101": ("export", "dynamic-size"), "LT116": ("export", "adaptive-pool"),
    "LT126": ("export", "fixed-batch"), "LT501": ("data", "loader-arguments"),
    "LT507": ("data", "bias-before-norm"),
}  # fmt: skip
SOURCE = frozenset({Evidence.SOURCE})
RULES = Catalog(
    {
        code: Card(code, name, theme, Severity.WARNING, code != "LT126", SOURCE)
        for code, (theme, name) in NAMES.items()
    },
    (),
)
WHOLE = """
select = ["ALL"]
ignore = ["LT5"]
extend-select = ["LT126"]
per-file-ignores = { "train/*" = ["LT1"] }
fixable = ["LT1"]
unfixable = ["adaptive-pool"]
exporters = ["onnx-legacy", "torch.export"]
opset = 17
target-torch = "2.10"
target = ["tensorrt-8.6"]
dynamic = false
exclude = ["x"]
extend-exclude = ["y/"]
rules = ["own"]
trace-seconds = 1.5
trace-memory = 512
trace-disk = 2048
python = ".venv/bin/python"

[models.segmenter]
factory = "nets.seg:build"
args = { num_classes = 19 }
inputs = ["float32[batch, 3, height=512, width=512]"]
"""


def on(tmp_path: Path, text: str, path: str = "a.py", **given: object) -> set[str]:
    (tmp_path / "lintorch.toml").write_text(text)
    settings = override_settings(find_settings(str(tmp_path)), **given)
    return {c for c in enabled_codes(settings, RULES, str(tmp_path / path)) if c in NAMES}


@pytest.mark.parametrize("name", ["check", "export", "models"])
def test_an_option_that_outweighs_a_setting_has_its_name(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    options = {each.name for each in command.params if isinstance(each, SettingOption)}
    assert "trace_seconds" in options
    assert options <= {field.name for kind in (Settings, Selection) for field in fields(kind)}


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "lintorch.toml").write_text(WHOLE)
    found = load_settings(str(tmp_path / "lintorch.toml"))
    legacy = frozenset({"onnx-legacy", "torch.export"})
    assert found.make_profile() == Profile(legacy, 17, False, (2, 10), legacy, ("tensorrt-8.6",))
    assert found.exclude_patterns == ("x", "y/")
    assert found.rules == (str(tmp_path / "own"),)
    assert found.models["segmenter"]["args"] == {"num_classes": 19}
    assert (found.trace_seconds, found.trace_memory) == (1.5, 512)
    assert found.python == NamedPython(".venv/bin/python", str(tmp_path))
    assert found.trace_disk == 2048
    assert fixable_codes(found, RULES) == {"LT101", "LT126"}


def test_an_exporter_may_have_an_interpreter_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "lintorch.toml"
    file.write_text('python.litert = "lite/bin/python"\npython.default = "here"\n')
    found = load_settings(str(file))
    assert found.python == NamedPython("here", str(tmp_path))
    assert found.python_for == {"litert": NamedPython("lite/bin/python", str(tmp_path))}
    named = NamedPython("there", "/", "--python-for tvm")
    both = override_settings(found, python_for={"tvm": named})
    assert both.python_for == {**found.python_for, "tvm": named}
    file.write_text('python.litret = "x"\n')
    with pytest.raises(SettingsError, match="unknown exporter `litret`; did you mean `litert`"):
        load_settings(str(file))
    file.write_text("python = 3\n")
    with pytest.raises(SettingsError, match="a string, or a table by exporter, not 3"):
        load_settings(str(file))


def test_the_closest_file_with_a_section_wins(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.lintorch]\nopset = 11\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert find_settings(str(inner / "x.py")).root == str(tmp_path)
    (tmp_path / "a" / "lintorch.toml").write_text("opset = 12\n")
    assert find_settings(str(inner / "x.py")).opset == 12
    (tmp_path / "a" / ".lintorch.toml").write_text("opset = 13\n")
    assert find_settings(str(inner)).opset == 13


def test_settings_outweigh_what_the_code_shows() -> None:
    shown = Profile(frozenset({"onnx-legacy"}), 11, False)
    assert override_settings(find_settings("/"), opset=13).make_profile(shown) == Profile(
        frozenset({"onnx-legacy"}), 13, False
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('selct = ["ALL"]', "unknown key `selct`; did you mean `select`?"),
        ("select = 'ALL'", "`select`: expected a list of strings, not 'ALL'"),
        ('exporters = ["onx"]', "`exporters`: unknown exporter `onx`; did you mean `onnx`?"),
        ("opset = true", "`opset`: expected an integer"),
        ("target-torch = 2.4", "`target-torch`: expected a release in quotes"),
        (
            '[models.m]\nfactory = "net:f"\ninputs = ["float[3]"]',
            "`models`: `m`: input 'float[3]' has no dtype",
        ),
        ("[models.m]\ninput = []", "`m`: unknown key `input`; did you mean `inputs`?"),
        ("per-file-ignores = { x = 'LT1' }", "expected a list of strings"),
        ("a = ", "Invalid value"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "lintorch.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        find_settings(str(tmp_path))
    assert caught.value.file == str(tmp_path / "lintorch.toml")
    assert told in caught.value.message


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", "LT101 LT116 LT501 LT507"),
        ('ignore = ["LT5"]\nextend-select = ["loader-arguments"]', "LT101 LT116 LT501"),
        ('select = ["LT5"]\nignore = ["LT5"]', ""),
        ('select = ["LT11", "LT50"]\nignore = ["LT1", "LT507"]', "LT116 LT501"),
        ('select = ["ALL"]\nignore = ["data"]', "LT101 LT116 LT126"),
        ('select = ["lt101"]\nignore = ["ALL"]', "LT101"),
        ('per-file-ignores = { "*.py" = ["LT1"], "b.py" = ["LT5"] }', "LT501 LT507"),
        ('per-file-ignores = { "!tests/" = ["export"] }', "LT501 LT507"),
    ],
)
def test_the_most_specific_selector_wins(tmp_path: Path, text: str, codes: str) -> None:
    assert on(tmp_path, text) == set(codes.split())


def test_the_command_line_changes_what_the_file_selects(tmp_path: Path) -> None:
    file = 'select = ["LT501"]\nignore = ["LT1"]\n'
    assert on(tmp_path, file, ignore=["LT5"]) == set()
    assert on(tmp_path, file, select=["LT1"]) == {"LT101", "LT116", "LT126"}
    assert on(tmp_path, file, extend_select=["LT126"]) == {"LT126", "LT501"}


def test_per_file_ignores_hold_below_the_settings_folder(tmp_path: Path) -> None:
    text = 'per-file-ignores = { "train/*" = ["LT1"] }'
    assert on(tmp_path, text, "train/deep/x.py") == {"LT501", "LT507"}
    assert on(tmp_path, text, "own/train/x.py") == {"LT101", "LT116", "LT501", "LT507"}


@pytest.mark.parametrize(
    ("words", "split", "others"),
    [
        (["LT123", "lt123", "script-syntax"], {"LT123", "LT141", "LT145"}, {"LT140", "LT101"}),
        (["LT501", "loader-arguments"], {f"LT{n}" for n in (501, *range(511, 518))}, {"LT510"}),
    ],
)
def test_a_code_that_was_split_selects_what_it_meant_before(
    tmp_path: Path, words: list[str], split: set[str], others: set[str]
) -> None:
    for word in words:
        (tmp_path / "lintorch.toml").write_text(f"select = [{word!r}]\n")
        settings = find_settings(str(tmp_path))
        codes = enabled_codes(settings, build_catalog(), str(tmp_path / "a.py"))
        assert split <= codes
        assert not others & codes


def test_a_selector_of_no_rule_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="`ignore`: no rule is `dynamic-sise`; did you mean"):
        on(tmp_path, 'ignore = ["dynamic-sise"]')


def test_what_stops_lintorch_is_told_whatever_is_selected(tmp_path: Path) -> None:
    settings = override_settings(find_settings(str(tmp_path)), select=["LT116"])
    assert enabled_codes(settings, RULES, "a.py") == {"LT116", "LT001", "LT002", "LT008"}
    silent = override_settings(settings, ignore=["LT001"])
    assert "LT001" not in enabled_codes(silent, RULES, "a.py")


def test_every_key_is_described() -> None:
    assert set(KEYS) == {*known_keys()}
