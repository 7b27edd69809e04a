"""How soon the page of an export can be read and searched, with many models, in headless Chromium.

    python benchmarks/page.py RECORD.json [--models 1000] [--times 5]

RECORD.json is what `lintorch export --output-format json` writes; its models are taken again and
again under other names until there are so many. Needs the extra `dev`, and chromium on PATH.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from lintorch.report import write_record
from lintorch.report.read_record import read_record
from lintorch.report.record_cells import group_trials
from lintorch.report.record_changes import Record


def multiply_models(record: Record, count: int) -> Record:
    """A record of so many models, each with its trials, in files of their own."""
    models: list[dict[str, Any]] = []
    trials: list[dict[str, Any]] = []
    by_model = group_trials(record)
    for number, model in enumerate(islice(cycle(record["models"]), count)):
        name = f"copy{number}/{model['model']}"
        models.append({**model, "model": name})
        trials += ({**trial, "model": name} for trial in by_model[model["model"]])
    return {**record, "models": models, "trials": trials}


def time_page(path: Path, times: int) -> Iterator[tuple[float, float]]:
    """Seconds from asking for a page until it is drawn, and from typing until one row is left."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for _ in range(times):
            page = browser.new_page()
            begun = time.perf_counter()
            page.goto(path.as_uri())
            page.evaluate(
                "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
            )
            drawn = time.perf_counter()
            page.get_by_role("searchbox").fill("copy7/")
            page.evaluate(
                "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
            )
            yield drawn - begun, time.perf_counter() - drawn
            page.close()
        browser.close()


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("record")
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        with path.open("w", encoding="utf-8") as out:
            write_record("html", multiply_models(read_record(given.record), given.models), out)
        size = path.stat().st_size / 2**20
        opened, found = zip(*time_page(path, given.times), strict=True)
    print(f"{given.models} models, {size:.1f} MiB")
    print(
        f"drawn after {statistics.median(opened):.2f} s, searched in {statistics.median(found):.2f} s"
    )


if __name__ == "__main__":
    main()
