"""Puts the fewest fixes into the files that a model runs through, after which one exporter is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from lintorch.core.profile import EXPORTERS, MEASURED
from lintorch.files import FileText, is_notebook
from lintorch.host.prove_models import FixedFile
from lintorch.record.outcomes import Outcome
from lintorch.run.check_files import CheckedFiles
from lintorch.run.describe_proof import describe_verdicts
from lintorch.run.fewest_fixes import FewestFixes
from lintorch.run.mend_file import FileMending
from lintorch.run.proof_bench import ProofBench, name_model
from lintorch.run.prove_together import FileKey, FileKeys, JointProof
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope


@dataclass(frozen=True)
class FixedText:
    """A file and what the fixes make of it."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class FixedExport:
    """The texts after which exports are right, or, where there are none, why."""

    texts: tuple[FixedText, ...] = ()
    told: tuple[str, ...] = ()
    """What was tried and came of it, one line each."""
    errors: tuple[str, ...] = ()
    is_right: bool = False


class ExportProofs:
    """Runs the models of one file as they are once, and with as many fixes as are asked for. Use as a context."""

    def __init__(
        self,
        text: FileText,
        seen: CheckedFiles,
        request: CheckRequest,
        scope: Scope,
        progress: Progress,
    ) -> None:
        path = text.path
        self._fixed = FixedFile(path, text.text if is_notebook(path) else None)
        self._allowed = request.tried_fixes
        known: dict[str, list[Outcome]] = {}
        for trial in seen.trials:
            known.setdefault(name_model(trial.trace.record), []).append(trial.outcome)
        self._others = _list_others(request, scope)
        self._bench = ProofBench(request, scope, progress)
        self._set_up = cache(partial(self._bench.set_up_file, known=known))
        self._tried: set[frozenset[tuple[str, str]]] = set()

    def __enter__(self) -> ExportProofs:
        return self

    def __exit__(self, *error: object) -> None:
        self._bench.__exit__(*error)

    def mend_export(self, mendings: list[FileMending]) -> FixedExport:
        """The texts with the fewest of these fixes after which exports are right, and none is worse."""
        path, paths = self._fixed.path, tuple(each.path for each in mendings)
        models = self._set_up(self._fixed, paths)
        proof = JointProof(mendings, models, self._allowed)
        if proof.whole in self._tried:
            return FixedExport()
        self._tried.add(proof.whole)
        search = FewestFixes(proof, self._others)
        keys = search.find_fewest()
        if keys is None:
            return FixedExport(told=(*_tell_spoilt(search, path), *_tell_harmful(search, path)))
        after, told = proof.list_texts(keys), describe_exports(keys, path, proof.list_words(keys))
        texts = (FixedText(m.path, m.before, after[m.path]) for m in mendings if m.path in after)
        return FixedExport(tuple(texts), (told,), is_right=True)


def _list_others(request: CheckRequest, scope: Scope) -> tuple[str, ...]:
    """The exporters that settings name besides the one asked for; where they name none, all that were measured."""
    named = scope.settings_of(request.paths[0]).exporters
    used = MEASURED if named is None else named
    return tuple(e for e in EXPORTERS if e in used and e not in request.models.exporters)


def _tell_spoilt(search: FewestFixes, path: str) -> Iterator[str]:
    """The fewest fixes that are not enough, or after which the export is right and another one is worse."""
    if fewest := min(search.spoilt, key=len, default=None):
        yield f"not put in: {describe_exports(fewest, path, search.spoilt[fewest])}"


def _tell_harmful(search: FewestFixes, path: str) -> Iterator[str]:
    """Each fix after which a model computes something else."""
    for key, verdicts in sorted(search.harmful.items()):
        yield f"not put in: {_name_fix(key, path)}: {describe_verdicts(verdicts)}"


def describe_exports(keys: FileKeys, path: str, words: Iterable[str]) -> str:
    """`torchscript-trace: wrong → ok after LT101 (x.view(int(x.size(0)), -1))`; in another file than `path`, with it."""
    told = ", ".join(_name_fix(key, path) for key in sorted(keys))
    return f"{'; '.join(words) or 'the export is right'} after {told}"


def _name_fix(key: FileKey, path: str) -> str:
    where, (code, line) = key
    return f"{code} ({line})" if where == path else f"{code} ({where}: {line})"
