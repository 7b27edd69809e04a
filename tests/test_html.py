"""The page of `export`: what it may ask for and run, and the ways through it in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shown_matrix import HOSTILE, SOURCE, Shown, make_lossy, make_matrix, open_browser, write

from lintorch.report.html.highlight import highlight_lines

Open = Callable[..., Shown]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[Open]:
    opened: list[Shown] = []

    def open_page(*names: str, right: int = 0, **options: Any) -> Shown:
        path = tmp_path / "report.html"
        path.write_text(write(make_matrix(*names, right=right)), "utf-8")
        opened.append(Shown(browser, path, **options))
        return opened[-1]

    yield open_page
    for each in opened:
        each.page.close()
        assert each.errors == []
        assert {url.partition(":")[0] for url in each.asked} <= {"file", "data"}


def hash_of(page: Any) -> str:
    """What the page's address has after its file, as the page has it: `page.url` learns of it later."""
    return str(page.evaluate("location.hash"))


def test_nothing_of_users_code_is_markup_or_can_end_the_data() -> None:
    plain, hostile = write(make_matrix("Net")), write(make_matrix(HOSTILE))
    assert "onerror" in hostile
    assert re.findall(r"<[a-z/!][^>]*>", hostile) == re.findall(r"<[a-z/!][^>]*>", plain)
    blocks = re.findall(r'<script type="application/json" id="[\w-]+">([^<>&]*)</script>', hostile)
    assert json.loads(blocks[0])["models"][0]["name"] == f"net.py:{HOSTILE}"


def test_the_policy_of_the_page_allows_its_own_style_and_script_alone() -> None:
    page = write(make_matrix("Net"))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/=]+'", allowed["script-src"])
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//|url\(|@import""", page)


def test_highlighting_keeps_every_character() -> None:
    text = f"\n\n{SOURCE}\tx = '''a\n\n b'''\n"
    lines = highlight_lines(text)
    assert "\n".join("".join(part for _, part in line) for line in lines) == text
    assert ["k", "class"] in [list(piece) for line in lines for piece in line]


def test_a_click_opens_a_model_and_its_address_leads_back(shown: Open) -> None:
    report = shown("Net", right=2)
    page = report.open()
    assert not page.locator("#detail").is_visible()
    page.locator("#matrix td", has_text="wrong by 2.5").click()
    address = hash_of(page)[1:]
    assert address == "model=net.py%3ANet&exporter=onnx"
    detail = page.locator("#detail")
    assert "LT101 net.py:6 turns a size into a constant" in detail.inner_text()
    assert "needs mmcv" not in detail.inner_text()
    page.locator("#detail [role=tab]", has_text="torch.export").click()
    assert "exporter=torch.export" in hash_of(page)
    page.go_back()
    page.wait_for_selector("#detail .said.wrong")
    assert report.open(f"#{address}").locator("h2").inner_text() == "net.py:Net"


def test_an_open_model_shows_calls_numbers_source_modules_and_what_was_inferred(
    shown: Open,
) -> None:
    page = shown("Net").open("#model=net.py:Net&exporter=onnx")
    blamed = page.locator(".graph tr.blamed")
    assert blamed.locator("td").all_inner_texts()[1:] == [
        "torch.relu",
        "neck.0",
        "2×3×8",
        "not run",
    ]
    assert page.locator(".graph b").all_inner_texts() == ["3", "3"]
    assert page.locator(".plot circle.over").count() == 1
    assert page.locator(".plot circle.in").count() == 1
    assert page.locator(".code .row.error").inner_text().strip().startswith("6")
    assert page.locator(".diff .old").inner_text().startswith("-         batch = int(x.size(0))")
    assert page.locator(".note a").get_attribute("href") == "https://example.org/LT101"
    assert page.locator(".tree .hurt").inner_text() == "0"
    assert page.locator(".tree details").get_attribute("open") is not None
    facts = page.locator(".facts").last.inner_text()
    assert re.search(r"width\s+4 made up", facts)
    assert "arguments and inputs from train.py:31" in facts


def test_an_open_model_shows_what_types_lose_and_how_long_it_takes(
    browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(write(make_lossy("Net")), "utf-8")
    shown = Shown(browser, path)
    page = shown.open("#model=net.py:Net&exporter=onnx%20float16")
    assert page.locator("td.lossy").inner_text() == "lossy, 10% off"
    assert (
        "float16 is off float32 by 5% in eager, 10% in onnx" in page.locator("#detail").inner_text()
    )
    assert page.locator("h3", has_text="Off float32, layer by layer, in eager").count() == 1
    assert page.locator(".plot circle.over title").all_text_contents() == [
        "neck.1 (Linear), call 2: 4 %",
        "head (Softmax): not finite",
    ]
    assert page.locator(".plot text.raised").text_content() == "neck.1"
    rows = page.locator(".timing tbody tr").all_inner_texts()
    assert [row.split("\t")[:4] for row in rows] == [
        ["eager", "2 ms", "1.9 ms to 2.1 ms", "-"],
        ["onnx", "1 ms", "900 µs to 1.1 ms", "2× as fast"],
    ]
    assert shown.errors == []
    shown.page.close()


def test_what_a_model_is_called_runs_nothing(shown: Open) -> None:
    page = shown(HOSTILE).open()
    page.locator("#matrix td").first.click()
    assert page.locator("h2").inner_text() == f"net.py:{HOSTILE}"
    assert page.locator(".code .row.error").inner_text().endswith("'owned'\">\n")
    assert page.title() == "lintorch export"
    assert page.locator("img").count() == 0


def test_filters_choose_models_and_are_part_of_the_address(shown: Open) -> None:
    report = shown("Net", right=3)
    page = report.open()
    rows = page.locator("#matrix tbody tr")
    assert rows.count() == 5
    page.get_by_label("wrong").check(force=True)
    assert rows.count() == 1
    page.get_by_label("wrong").uncheck(force=True)
    page.get_by_role("searchbox").fill("LT101 dynamic-size")
    assert rows.count() == 1
    page.get_by_role("searchbox").fill("right1")
    assert rows.all_inner_texts() == ["Right1 net.py\tok\tok"]
    page.get_by_role("searchbox").fill("nothing of this name")
    assert "No model fits" in page.locator("#matrix").inner_text()
    page = report.open("#status=failed&columns=onnx")
    assert page.locator("#matrix thead th").all_inner_texts() == ["1 of 5 models", "onnx"]
    assert rows.all_inner_texts() == ["Bare bare.py\tnot built"]


def test_all_can_be_done_with_keys(shown: Open) -> None:
    page = shown("Net", right=2).open()
    page.locator("#matrix td").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    assert hash_of(page) == "#model=net.py%3ARight0&exporter=onnx"
    assert page.evaluate("document.activeElement.id") == "detail"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "ok"
    page.keyboard.press("Escape")
    assert hash_of(page) == ""
    page.keyboard.press("n")
    assert page.locator("h2").inner_text() == "net.py:Net"
    page.keyboard.press("n")
    assert page.locator("h2").inner_text() == "bare.py:Bare"
    page.keyboard.press("p")
    assert page.locator("h2").inner_text() == "net.py:Net"
    page.keyboard.press("/")
    page.keyboard.type("bare")
    assert page.locator("#matrix tbody tr").count() == 1


def background(page: Any) -> int:
    """How bright the page is, from 0 to 255."""
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return max(map(int, re.findall(r"\d+", color)[:3]))


def test_it_is_dark_where_the_system_is_and_can_be_switched(shown: Open) -> None:
    dark = shown("Net", color_scheme="dark").open()
    assert background(dark) < 60
    dark.locator("#theme").click()
    assert background(dark) > 200
    light = shown("Net", color_scheme="light").open()
    assert background(light) > 200
    light.keyboard.press("t")
    assert background(light) < 60


def test_on_a_narrow_screen_nothing_but_tables_and_code_scrolls_sideways(shown: Open) -> None:
    page = shown("Net", right=3, viewport={"width": 360, "height": 700}).open("#model=net.py:Net")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_thousand_models_are_shown_and_searched(shown: Open) -> None:
    page = shown("Net", right=1000).open()
    assert page.locator("#matrix tbody tr").count() == 1002
    page.get_by_role("searchbox").fill("right999")
    assert page.locator("#matrix tbody tr").count() == 1


def test_print_shows_the_details_of_all_that_is_not_right(shown: Open) -> None:
    page = shown("Net", "Other", right=2).open()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    titles = page.locator("#printed h2").all_inner_texts()
    assert titles == ["net.py:Net", "net.py:Other", "bare.py:Bare"]
    assert not page.locator("#filters").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#printed h2").count() == 0
