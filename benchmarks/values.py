"""Whether what the evaluator says of sizes holds when models run.

    python benchmarks/values.py FILES... --python PATH

Builds and runs each model of the files with the interpreter at PATH, as `lintorch check --trace`
does, and evaluates it as linting does. At each line that the run went through, the shape that the
evaluator gives an operator's result has to fit one that the run saw of this operator there, with the
evaluator's symbols bound by the sizes that the model was fed. A contradiction is a defect of the
evaluator. Models that the run built with arguments which their project gives elsewhere are left out:
they are other models than the evaluator builds.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from soundness.compare_values import Comparison, compare_values

from lintorch.host.examine_models import examine_models
from lintorch.host.reports import Report
from lintorch.record.model_options import ModelLimits, ModelOptions
from lintorch.report.places import shown_path
from lintorch.source import Source


def main() -> None:
    """Print each contradiction, and how many results fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--python", required=True, help="The interpreter that runs models.")
    parser.add_argument("--project", default="", help="The folder that models are run for.")
    given = parser.parse_args()
    models = fitting = wrong = 0
    for report, found in compare_files(given.files, given.python, given.project):
        models += 1
        fitting += found.fitting
        wrong += len(found.contradictions)
        assert report.model is not None
        print(f"{shown_path(report.model.path)}:{report.model.qualname} {found.fitting} fit")
        for each in found.contradictions:
            place = f"{shown_path(each.path)}:{each.row}"
            real = " ".join(map(str, map(list, each.real[:4])))
            print(f"  {place}: {each.operator} gives {each.symbolic}, the run saw {real}")
    print(f"{models} models: {fitting} results fit, {wrong} do not")


def compare_files(
    files: list[Path], python: str, project: str = ""
) -> Iterator[tuple[Report, Comparison]]:
    """Each model that ran with its own defaults, compared at the first sizes."""
    options = ModelOptions(
        project or os.getcwd(), trace=True, graphs=False, axes=False, limits=ModelLimits()
    )
    for report in examine_models(map(str, files), options, python=python):
        model = report.model
        if model is None or not report.runs or set(model.arguments) - set(model.made_up):
            continue
        source = Source(model.path, Path(model.path).read_text("utf-8"))
        events = source.evaluation.follow_model(model.qualname)
        yield report, compare_values(events, model, report.runs[0])


if __name__ == "__main__":
    main()
