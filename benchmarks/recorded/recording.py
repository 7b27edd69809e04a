"""Puts the questions of the groups to a checkout, and keeps the answers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from recorded.cases import ask_of_cases
from recorded.corpus import ask_of_corpus
from recorded.pages import ask_of_rules
from recorded.questions import Question, Questions
from recorded.runs import ask_of_runs
from recorded.speaker import Speaker

Asking = Callable[[Path, Path, Sequence[str]], Questions]
"""Takes the checkout with the input files, the folder to copy them to, and names of packages."""
GROUPS: dict[str, Asking] = {
    "cases": lambda inputs, workspace, packages: ask_of_cases(inputs, workspace),
    "rules": lambda inputs, workspace, packages: ask_of_rules(inputs, workspace),
    "corpus": lambda inputs, workspace, packages: ask_of_corpus(packages),
    "runs": lambda inputs, workspace, packages: ask_of_runs(inputs, workspace),
}


def record_group(speaker: Speaker, questions: Questions, output: Path, missing: bool) -> None:
    """Keep each answer of a group in `output`; `missing` asks only what is not kept there yet."""
    output.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    try:
        question = next(questions)
        while True:
            kept = output / question.file
            if not (missing and kept.is_file()):
                keep_answer(speaker, question, kept)
                print(
                    f"{time.perf_counter() - started:7.1f} s  {kept}", file=sys.stderr, flush=True
                )
            question = questions.send(kept.read_text("utf-8"))
    except StopIteration:
        return


def keep_answer(speaker: Speaker, question: Question, kept: Path) -> None:
    """Write what was printed, and beside it the command, its exit code and what it complained of."""
    answer = speaker.ask(question.arguments, question.folder)
    arguments = " ".join(question.arguments)
    ended = f"lintorch {arguments}\nexit code {answer.code}\n{answer.err}"
    kept.with_name(f"{kept.name}.ended").write_text(ended, "utf-8", newline="\n")
    kept.write_text(answer.out, "utf-8", newline="\n")
