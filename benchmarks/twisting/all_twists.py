"""The twists by name: a further one is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twisting import gaps, layout, lines, wrapped

Twist = Callable[[str], str | bytes]
"""From a text to another that means the same, as it is read or as bytes; the same text where there is nothing to twist."""

LAYOUTS: Mapping[str, Twist] = {
    "crlf": layout.end_in_crlf,
    "mark": layout.put_mark,
    "latin-1": layout.encode_latin,
    "no-last-newline": layout.drop_last_newline,
    "form-feeds": layout.put_form_feeds,
    "tabs": layout.indent_by_tabs,
    "one-blank": layout.indent_by_one,
    "comments-above": gaps.comment_above,
    "comments-behind": gaps.comment_behind,
    "comments-inside": gaps.comment_inside,
    "type-comments": gaps.put_type_comments,
    "broken-lines": gaps.break_in_brackets,
    "one-argument-a-line": gaps.give_arguments_lines,
    "backslashes": gaps.continue_lines,
    "blanks": gaps.spread_tokens,
    "brackets": lines.bracket_arguments,
    "one-line-bodies": lines.put_bodies_behind,
    "semicolons": lines.join_lines,
}
"""Those that leave the tree of the text as it is: a fix has to do the same to both."""
WRAPS: Mapping[str, Twist] = {
    "other-letters": wrapped.put_wide_letters,
    "decorators": wrapped.decorate,
    "version-guard": wrapped.guard_by_version,
    "guarded-imports": wrapped.guard_imports,
    "f-strings": wrapped.put_in_f_strings,
    "late-imports": wrapped.import_late,
}
TWISTS: Mapping[str, Twist] = {**LAYOUTS, **WRAPS}
