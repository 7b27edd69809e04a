"""Options that several commands have. Each is named as the field of `Request` that it fills."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

import click

from lintorch.cli.completion import complete_exporters, complete_rules, complete_targets
from lintorch.cli.problems import UsageProblem
from lintorch.core.profile import EXPORTERS
from lintorch.record.precisions import PRECISIONS

Command = TypeVar("Command", bound=Callable[..., Any])
_SECONDS = click.FloatRange(0, min_open=True)
_FOLDER = click.Path(file_okay=False)
_NO_STORE = "lintorch.no-store"


class SettingOption(click.Option):
    """An option that outweighs the setting of its name, as `settings.override` says."""


def combine_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which help lists them."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _default_paths(context: click.Context, parameter: click.Parameter, paths: Any) -> Any:
    return paths or (".",)


def _drop_repeats(context: click.Context, parameter: click.Parameter, words: Any) -> Any:
    return tuple(dict.fromkeys(words))


def split_words(context: click.Context, parameter: click.Parameter, text: Any) -> Any:
    """The words between commas; None where nothing is given."""
    return None if text is None else tuple(w.strip() for w in text.split(",") if w.strip())


def _split_among(known: Collection[str]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """How an option is read that names some of what is known; raises BadParameter for another."""

    def split(context: click.Context, parameter: click.Parameter, texts: Any) -> Any:
        words = _list_words(texts)
        for word in words:
            if word not in known:
                raise click.BadParameter(f"{word!r} is none of {', '.join(known)}")
        return words

    return split


def _list_words(texts: Iterable[str]) -> tuple[str, ...]:
    """The words between commas of all texts, each once."""
    return tuple(dict.fromkeys(word.strip() for text in texts for word in text.split(",")))


def _find_targets(context: click.Context, parameter: click.Parameter, names: Any) -> Any:
    """Their names as tables have them; None for none. Raises UsageProblem where there is no table."""
    if not names:
        return None
    from lintorch.targets import TargetError, find_target

    try:
        return tuple(dict.fromkeys(find_target(word).name for word in _list_words(names)))
    except TargetError as error:
        raise UsageProblem(str(error)) from error


def _name_python(context: click.Context, parameter: click.Parameter, name: Any) -> Any:
    from lintorch.settings import NamedPython

    return NamedPython(name, os.getcwd(), "--python") if name else None


def _name_pythons(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """`EXPORTER=PATH` by exporter; None for none. Raises BadParameter."""
    from lintorch.settings import NamedPython

    pairs = dict(text.partition("=")[::2] for text in given)
    for name, path in pairs.items():
        if name not in EXPORTERS or not path:
            known = ", ".join(EXPORTERS)
            raise click.BadParameter(f"{name!r} is no EXPORTER=PATH with one of {known}")
    options = {name: f"{parameter.opts[0]} {name}" for name in pairs}
    return {n: NamedPython(p, os.getcwd(), options[n]) for n, p in pairs.items()} or None


_python_for_option = click.option(
    "--python-for", cls=SettingOption, multiple=True, metavar="EXPORTER=PATH", callback=_name_pythons,
    help="The interpreter of one exporter, whose packages do not go with the others'; may be repeated.",
)  # fmt: skip


def exporter_option(name: str, **given: Any) -> Callable[[Command], Command]:
    """An option that names exporters, repeated or by commas, and one for interpreters of their own."""
    named = click.option(
        name, "exporters", multiple=True, metavar="EXPORTER", callback=_split_among(EXPORTERS),
        shell_complete=complete_exporters, **given,
    )  # fmt: skip
    return combine_options(named, _python_for_option)


def _set_cache(context: click.Context, parameter: click.Parameter, folder: Any) -> Any:
    """Named for all that reads the cache, in other processes too, as the environment names it."""
    if folder:
        from lintorch.cache import VARIABLE

        os.environ[VARIABLE] = os.path.abspath(folder)


def _read_executor(context: click.Context, parameter: click.Parameter, text: Any) -> Any:
    """The address of a scheduler. Raises UsageProblem."""
    if not text:
        return ""
    from lintorch.host.cluster_hands import read_address

    try:
        return read_address(text)
    except ValueError as error:
        raise UsageProblem(f"--executor: {error}") from error


def _read_resources(context: click.Context, parameter: click.Parameter, texts: Any) -> Any:
    """Amounts by name. Raises UsageProblem."""
    found: dict[str, float] = {}
    for text in texts:
        name, _, amount = text.partition("=")
        try:
            found[name] = float(amount)
        except ValueError as error:
            raise UsageProblem(f"--resource takes NAME=AMOUNT, and not {text!r}") from error
    return found


def _drop_store(context: click.Context, parameter: click.Parameter, address: Any) -> Any:
    """Nothing where none is wanted, whatever the environment says."""
    return "" if context.meta.get(_NO_STORE) else address


def _note_no_store(context: click.Context, parameter: click.Parameter, chosen: Any) -> None:
    context.meta[_NO_STORE] = chosen


cache_option = click.option(
    "--cache-dir", type=_FOLDER, metavar="DIR", expose_value=False, callback=_set_cache,
    help="The folder that keeps what is known of files; also LINTORCH_CACHE_DIR.",
)  # fmt: skip
paths_argument = click.argument("paths", nargs=-1, callback=_default_paths)
precision_option = click.option(
    "--dtype", "precisions", multiple=True, metavar="TYPE", callback=_split_among(PRECISIONS),
    help="A type to export in, and compare with float32; may be repeated, or several by commas. "
    f"One of {', '.join(PRECISIONS)}.",
)  # fmt: skip
target_option = click.option(
    "--target", cls=SettingOption, multiple=True, metavar="NAME", callback=_find_targets,
    shell_complete=complete_targets,
    help="A runtime that the model is deployed to, such as tensorrt-8.6; may be repeated, or several by commas.",
)  # fmt: skip
selection_options = combine_options(
    click.option("--select", cls=SettingOption, metavar="RULES", callback=split_words,
                 shell_complete=complete_rules,
                 help="Only these: codes, prefixes or names, by commas."),
    click.option("--ignore", cls=SettingOption, metavar="RULES", callback=split_words,
                 shell_complete=complete_rules, help="Not these."),
    click.option("--extend-select", cls=SettingOption, metavar="RULES", callback=split_words,
                 shell_complete=complete_rules, help="These too."),
)  # fmt: skip
limit_options = combine_options(
    click.option("--trace-seconds", cls=SettingOption, type=_SECONDS, metavar="S",
                 help="Seconds in which a model is built, fed and run."),
    click.option("--trial-seconds", cls=SettingOption, type=_SECONDS, metavar="S",
                 help="Seconds that a trial export may take; default: twice those of a model."),
    click.option("--trace-memory", cls=SettingOption, type=click.IntRange(1), metavar="MB",
                 help="Megabytes that a model may take."),
    click.option("--trace-disk", cls=SettingOption, type=click.IntRange(1), metavar="MB",
                 help="Megabytes that the models of a file may write."),
)  # fmt: skip
store_options = combine_options(
    click.option("--executor", metavar="dask://HOST:PORT", callback=_read_executor, default="",
                 help="A cluster of Dask that runs the models, instead of this machine."),
    click.option("--resource", "resources", multiple=True, metavar="NAME=AMOUNT",
                 callback=_read_resources,
                 help="What each file takes of a worker of the cluster, as GPU=1; may be repeated."),
    click.option("--store", metavar="DIR|URL", envvar="LINTORCH_STORE", default="",
                 callback=_drop_store,
                 help="Keep what models came to, and try only what has changed; also LINTORCH_STORE."),
    click.option("--no-store", is_flag=True, is_eager=True, expose_value=False,
                 callback=_note_no_store,
                 help="Keep nothing, and try everything."),
)  # fmt: skip
model_option = click.option(
    "--model", "only", multiple=True, metavar="NAME", callback=_drop_repeats,
    help="Only this model, Class or file.py:Class; may be repeated.",
)  # fmt: skip
python_option = click.option(
    "--python", cls=SettingOption, metavar="PATH", callback=_name_python,
    help="The interpreter whose torch runs the models.",
)  # fmt: skip
rules_option = click.option(
    "--rules", multiple=True, type=_FOLDER, metavar="FOLDER",
    help="Load the rules of this folder too; may be repeated.",
)  # fmt: skip
choice_options = combine_options(
    python_option,
    click.option("--config", multiple=True, metavar="FILE|KEY=VALUE",
                 help="Settings of this file only, or one of them as TOML; may be repeated. "
                 "Rules that it names are not loaded."),
    rules_option,
)  # fmt: skip
