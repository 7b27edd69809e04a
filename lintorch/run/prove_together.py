"""Tries fixes of several files together on the models of one: which exports are right with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from lintorch.core.finding import Applicability
from lintorch.run.mend_file import FileMending, FixKey, Mended
from lintorch.run.proof_bench import WORSE, FileBench, Verdict, describe_export
from lintorch.run.prove_fixes import list_keys
from lintorch.run.sift_fixes import any_differs, sift_fixes

FileKey = tuple[str, FixKey]
"""The path of a file, and a fix in it."""
FileKeys = frozenset[FileKey]


class JointProof:
    """The files with their fixes, and what models make of some of these.

    Numbers that the order of a sum may set apart count as the same.
    """

    def __init__(
        self,
        mendings: Sequence[FileMending],
        bench: FileBench,
        allowed: frozenset[Applicability],
    ) -> None:
        """Raises whatever a rule raises."""
        self._mendings = {each.path: each for each in mendings}
        self._bench, self._allowed = bench, allowed
        self._whole = {path: each.mend(allowed) for path, each in self._mendings.items()}
        self._every: FileKeys = frozenset(
            (path, key) for path, whole in self._whole.items() for key in list_keys(whole)
        )
        self._mend_with = cache(self._mend_afresh)

    @property
    def whole(self) -> frozenset[tuple[str, str]]:
        """The files with all fixes in them, by path."""
        return frozenset((path, mended.text) for path, mended in self._whole.items())

    def sift_harmless(self) -> tuple[FileKeys, dict[FileKey, tuple[Verdict, ...]]]:
        """Those of all fixes after which models compute the same, and no export is worse; and what others do."""
        return sift_fixes(sorted(self._every), self.try_keys)

    def is_exported(self, keys: FileKeys) -> bool:
        """Whether all trial exports are right with these fixes, and some were made."""
        verdicts = self.try_keys(keys)
        statuses = {status for each in verdicts for status in each.statuses}
        return not any_differs(verdicts) and statuses == {"ok"}

    def list_words(self, keys: FileKeys) -> tuple[str, ...]:
        """What became of each trial export: `onnx: wrong → ok`."""
        return tuple(dict.fromkeys(w for v in self.try_keys(keys) for w, _ in v.exports))

    def list_worse(self, keys: FileKeys, exporters: tuple[str, ...]) -> tuple[str, ...]:
        """The exports by others that are right without these fixes, and not with them."""
        changed, originals = self._encode(self.list_texts(keys))
        now = self._bench.export_also(changed, exporters)
        bad = tuple(
            e for e in exporters if any(o.status in WORSE for (_, x), o in now.items() if x == e)
        )
        was = self._bench.export_also(originals, bad) if bad else {}
        found = (
            describe_export(was[key], outcome)
            for key, outcome in now.items()
            if outcome.status in WORSE and key in was and was[key].status == "ok"
        )
        return tuple(dict.fromkeys(found))

    def try_keys(self, keys: FileKeys, exporting: bool = True) -> tuple[Verdict, ...]:
        """What models make of the files with these fixes alone."""
        texts = self.list_texts(keys)
        if not texts:
            return ()
        return self._bench.try_steady(*self._encode(texts), exporting)

    def _encode(self, texts: Mapping[str, str]) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
        """What workers read of the fixed files, and of the same as they are."""
        files = [self._mendings[path] for path in texts]
        changed = {each.path: each.encode_module(texts[each.path]) for each in files}
        return changed, {each.path: each.encode_module(each.before) for each in files}

    def list_texts(self, keys: FileKeys) -> Mapping[str, str]:
        """By path, the files that these fixes change."""
        mended = {path: self._mend(path, keys).text for path in self._mendings}
        return {p: text for p, text in mended.items() if text != self._mendings[p].before}

    def _mend(self, path: str, keys: FileKeys) -> Mended:
        every = frozenset(key for where, key in self._every if where == path)
        barred = every - {key for where, key in keys if where == path}
        return self._mend_with(path, barred) if barred else self._whole[path]

    def _mend_afresh(self, path: str, barred: frozenset[FixKey]) -> Mended:
        return self._mendings[path].mend(self._allowed, barred)
