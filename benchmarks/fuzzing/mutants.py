"""Damaged Python: what editors, merges and encodings make of a file, and what generators write."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Mutate = Callable[[str, random.Random], str | bytes]

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_CODECS = [
    "utf-8", "latin-1", "cp1252", "ascii", "utf-16", "utf-32", "utf-7", "utf-8-sig", "idna",
    "punycode", "hex", "rot13", "undefined", "mbcs", "unicode_escape", "shift_jis", "big5", "koi8-r",
]  # fmt: skip
_ODD = ["\0", "\f", "\v", "\x1c", "\x85", "\u2028", "\ufeff", "\u202e", "\t", "\r", "\\", "é", "名", "\N{PILE OF POO}", "\udc80"]  # fmt: skip


def mutant(number: int, seed: int, sources: Sequence[str]) -> bytes:
    """The same bytes for the same number, seed and sources: one source after one to four mutations."""
    rng = random.Random(f"{seed}:{number}")
    made: str | bytes = rng.choice(sources)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        if isinstance(made, str):
            made = rng.choice(MUTATIONS)(made, rng)
    return made if isinstance(made, bytes) else made.encode("utf-8", "surrogateescape")


def _lines(text: str, rng: random.Random) -> tuple[list[str], int]:
    lines = text.splitlines(keepends=True) or [""]
    return lines, rng.randrange(len(lines))


def drop_line(text: str, rng: random.Random) -> str:
    lines, at = _lines(text, rng)
    return "".join(lines[:at] + lines[at + 1 :])


def double_line(text: str, rng: random.Random) -> str:
    lines, at = _lines(text, rng)
    return "".join(lines[: at + 1] + lines[at:])


def swap_lines(text: str, rng: random.Random) -> str:
    lines, at = _lines(text, rng)
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


def indent_line(text: str, rng: random.Random) -> str:
    lines, at = _lines(text, rng)
    lines[at] = rng.choice((" ", "\t", "    ", "\f", " \\\n")) + lines[at]
    return "".join(lines)


def drop_token(text: str, rng: random.Random) -> str:
    tokens = _TOKEN.findall(text) or [""]
    del tokens[rng.randrange(len(tokens))]
    return "".join(tokens)


def double_token(text: str, rng: random.Random) -> str:
    tokens = _TOKEN.findall(text) or [""]
    at = rng.randrange(len(tokens))
    return "".join(tokens[: at + 1] + tokens[at:])


def swap_tokens(text: str, rng: random.Random) -> str:
    tokens = _TOKEN.findall(text) or [""]
    at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def rename(text: str, rng: random.Random) -> str:
    """One name becomes another of the file everywhere: what was bound once is bound twice."""
    names = sorted(set(re.findall(r"[A-Za-z_]\w*", text))) or ["x"]
    one, other = rng.choice(names), rng.choice(names)
    return re.sub(rf"\b{one}\b", other, text)


def truncate(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def behead(text: str, rng: random.Random) -> str:
    return text[rng.randrange(len(text) + 1) :]


def insert_odd(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(_ODD) * rng.choice((1, 1, 2, 50)) + text[at:]


def nest(text: str, rng: random.Random) -> str:
    """A name becomes a deep expression round it."""
    names = list(re.finditer(r"\b[a-z]\w*\b", text))
    if not names:
        return text
    name, n = rng.choice(names), rng.choice((10, 60, 150, 250, 900))
    nestings: list[Callable[[str], str]] = [
        lambda x: "(" * n + x + ")" * n,
        lambda x: "[" * n + x + "]" * n,
        lambda x: "-" * n + x,
        lambda x: x + ".b()" * min(n, 250),
        lambda x: x + ".b" * n,
        lambda x: x + "[0]" * n,
        lambda x: "(" + " + ".join([x] * n) + ")",
        lambda x: "(" + " or ".join([x] * n) + ")",
        lambda x: "f(" * n + x + ")" * n,
        lambda x: "(" + "1 if y else " * min(n, 250) + x + ")",
        lambda x: "(" + "lambda: " * min(n, 250) + x + ")",
        lambda x: "(" + "'a' " * n + ")",
        lambda x: "{0: " * n + x + "}" * n,
    ]
    made = rng.choice(nestings)(name[0])
    return text[: name.start()] + made + text[name.end() :]


def deepen(text: str, rng: random.Random) -> str:
    """The whole file under many heads."""
    n = rng.choice((5, 19, 60, 101))
    head = rng.choice(
        ("if a:", "for a in b:", "while a:", "with a:", "def f():", "class A:", "try:")
    )
    heads = "".join(" " * i + head + "\n" for i in range(n))
    return heads + "".join(" " * n + line for line in text.splitlines(keepends=True))


def long_line(text: str, rng: random.Random) -> str:
    made = rng.choice(("x = " + "1" * 5000, "x = '" + "a" * 300_000 + "'", "#" + "b" * 300_000, "x = [" + "1, " * 20_000 + "]"))  # fmt: skip
    lines, at = _lines(text, rng)
    return "".join([*lines[:at], made, "\n", *lines[at:]])


def newlines(text: str, rng: random.Random) -> str:
    ends = rng.choice((["\r\n"], ["\r"], ["\n", "\r\n", "\r"]))
    return re.sub(r"\r\n|\r|\n", lambda _: rng.choice(ends), text)


def tabs(text: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^ +", lambda m: m[0].replace(" " * rng.choice((2, 4, 8)), "\t"), text)


def encode(text: str, rng: random.Random) -> bytes:
    """Another coding line, and bytes that may not belong to it."""
    codec = rng.choice(_CODECS)
    told = f"# coding: {rng.choice((codec, rng.choice(_CODECS)))}\n{text}"
    try:
        return told.encode(codec)
    except Exception:  # codecs raise what they like
        return told.encode("utf-8", "surrogateescape")


def mark(text: str, rng: random.Random) -> bytes:
    marks = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf" * 2)
    return rng.choice(marks) + text.encode("utf-8", "surrogateescape")


def flip_bytes(text: str, rng: random.Random) -> bytes:
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(rng.choice((1, 3, 20))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


MUTATIONS: tuple[Mutate, ...] = (
    drop_line, double_line, swap_lines, indent_line, drop_token, double_token, swap_tokens, rename,
    rename, truncate, behead, insert_odd, nest, nest, deepen, long_line, newlines, tabs, encode,
    mark, flip_bytes,
)  # fmt: skip
