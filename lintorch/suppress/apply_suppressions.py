"""Takes out the findings that comments suppress, and says which comments are wrong or idle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lintorch.core.causes import group_by_cause
from lintorch.core.codes import BLANKET_SUPPRESSION, MALFORMED_SUPPRESSION, UNUSED_SUPPRESSION
from lintorch.core.finding import Finding, Fix, Place, Severity
from lintorch.core.merge import sort_findings
from lintorch.core.torchfix_codes import find_torchfix_rules, is_torchfix
from lintorch.suppress.read_comments import Comment, mentions_suppression, read_comments
from lintorch.suppress.remove_comment import remove_words

_OWN = (UNUSED_SUPPRESSION, MALFORMED_SUPPRESSION, BLANKET_SUPPRESSION)


def apply_suppressions(
    text: str,
    path: str,
    findings: Iterable[Finding],
    names: Mapping[str, str],
    enabled: frozenset[str],
    decidable: frozenset[str] | None = None,
    withdrawn: Iterable[Finding] = (),
    partial: bool = False,
    former: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Finding, ...]:
    """The findings of one file that stand, with those about its suppressions, sorted.

    `names` are of all rules, by code; of those that are loaded where they are `partial`, so that
    an unknown word may be a rule's. A suppression is called unused only where its rule is
    `enabled` and this run could have found what it is about (`decidable`; None for all), and
    where no finding that a trace withdrew lies there. What silences the first line of a cause
    silences its other lines. Findings about suppressions obey `ignore-file` and `enabled` alone.
    `former` are, by code, the code and name that a rule had
    together with others: they suppress it still, and a note says what is meant now.
    """
    found = tuple(findings)
    if not mentions_suppression(text):
        return found
    comments, lines = read_comments(text)
    judged = _File(text, path, names, enabled, decidable, tuple(lines), partial, former or {})
    standing = [
        finding
        for head, *others in group_by_cause(found, text)
        if not any(judged.silences(c, head) for c in comments)
        for finding in (head, *others)
        if not any(judged.silences(c, finding) for c in comments)
    ]
    met = (*found, *withdrawn)
    own = [f for c in comments for f in judged.judge_comment(c, met) if f.code in enabled]
    quiet = {
        code for c in comments if c.whole_file for w in c.words for code in judged.find_codes(w)
    }
    return sort_findings([*standing, *(f for f in own if f.code not in quiet)])


@dataclass(frozen=True)
class _File:
    text: str
    path: str
    names: Mapping[str, str]
    enabled: frozenset[str]
    decidable: frozenset[str] | None
    lines: tuple[range, ...]
    partial: bool
    former: Mapping[str, tuple[str, ...]]

    def find_code(self, word: str) -> str:
        """The code that a word of a comment means; "" where it means none."""
        if word.upper() in self.names:
            return word.upper()
        return next((code for code, name in self.names.items() if name == word.lower()), "")

    def find_codes(self, word: str) -> frozenset[str]:
        """The codes that a word means: of TorchFix's, those of the rules that report the same."""
        if code := self.find_code(word):
            return frozenset({code})
        meant = find_torchfix_rules(word) if is_torchfix(word) else frozenset()
        return frozenset(code for code, name in self.names.items() if name in meant)

    def silences(self, comment: Comment, finding: Finding, word: str = "") -> bool:
        """Whether a comment, or one word of it, is about a finding."""
        words = (word,) if word else comment.words
        meant = {code for each in words for code in self.find_codes(each)}
        if finding.code not in meant and meant.isdisjoint(self.former.get(finding.code, ())):
            return False
        place = finding.place
        if comment.whole_file:
            return True
        if comment.alone:
            return place.row in comment.rows
        line = next(
            (rows for rows in self.lines if place.row in rows), range(place.row, place.row + 1)
        )
        last = line.stop - 1
        return comment.row == last or place.row <= comment.row <= min(
            place.end_row or place.row, last
        )

    def judge_comment(self, comment: Comment, found: Sequence[Finding]) -> Iterator[Finding]:
        """What is wrong with one comment."""
        if comment.malformed:
            yield self._make_finding(
                MALFORMED_SUPPRESSION, comment, f"a suppression of nothing: {comment.malformed}"
            )
        elif not comment.words:
            yield self._judge_blanket(comment, found)
        for word in comment.words:
            ours = not comment.noqa or _looks_ours(word)
            if not (self.find_code(word) or is_torchfix(word) or self.partial) and ours:
                yield self._make_finding(
                    MALFORMED_SUPPRESSION, comment, self._explain_unknown(word)
                )
        yield from self._note_former(comment, found)
        idle = [word for word in comment.words if self._is_idle(comment, word, found)]
        if idle:
            fix = Fix("Remove the unused suppression", remove_words(self.text, comment, idle))
            listed = ", ".join(idle)
            yield self._make_finding(
                UNUSED_SUPPRESSION, comment, f"nothing to suppress here: {listed}", fix
            )

    def _note_former(self, comment: Comment, found: Sequence[Finding]) -> Iterator[Finding]:
        """Where only the code that a rule had before it was split off suppresses a finding."""
        meant = {code for each in comment.words for code in self.find_codes(each)}
        split = {
            finding.code
            for finding in found
            if finding.code not in meant and self.silences(comment, finding)
        }
        for code in sorted(split):
            old = next(each for each in self.former[code] if each in meant)
            told = f"{old} was split: what is suppressed here is {code} ({self.names[code]}) now"
            yield replace(
                self._make_finding(MALFORMED_SUPPRESSION, comment, told), severity=Severity.NOTE
            )

    def _is_idle(self, comment: Comment, word: str, found: Sequence[Finding]) -> bool:
        codes = self.find_codes(word)
        of_others = comment.noqa and is_torchfix(word)  # where TorchFix itself may need it
        if not codes or of_others or not codes <= self.enabled:
            return False
        if not codes.isdisjoint(_OWN):
            return not comment.whole_file
        if self.decidable is not None and not codes <= self.decidable:
            return False
        return not any(self.silences(comment, finding, word) for finding in found)

    def _judge_blanket(self, comment: Comment, found: Sequence[Finding]) -> Finding:
        every = replace(comment, words=tuple(self.names))
        codes = sorted({f.code for f in found if f.code not in _OWN and self.silences(every, f)})
        if codes:
            told = f"suppresses nothing as it names no rule: ignore[{', '.join(codes)}]"
            return self._make_finding(BLANKET_SUPPRESSION, comment, told)
        fix = Fix("Remove the blanket suppression", remove_words(self.text, comment, ()))
        return self._make_finding(
            BLANKET_SUPPRESSION, comment, "names no rule and suppresses nothing", fix
        )

    def _explain_unknown(self, word: str) -> str:
        from difflib import get_close_matches

        known = [*self.names, *self.names.values()]
        match = get_close_matches(word, known, 1)
        return f"no rule is `{word}`" + (f"; did you mean `{match[0]}`?" if match else "")

    def _make_finding(
        self, code: str, comment: Comment, message: str, fix: Fix | None = None
    ) -> Finding:
        row, start = comment.row, self.text[: comment.start]
        column = comment.start - max(start.rfind("\n"), start.rfind("\r"))
        width = comment.end - comment.start
        place = Place(self.path, row, column, row, column + width)
        return Finding(code, self.names[code], message, Severity.WARNING, place, fix=fix)


def _looks_ours(word: str) -> bool:
    return len(word) == 5 and word.upper().startswith("LT") and word[2:].isdigit()
