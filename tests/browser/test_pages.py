"""Saved pages in a real browser: nothing is loaded, clicks and keys work, pictures are drawn."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aesara.tensor as at
import pytest

from kanrewrite import registry
from kanrewrite.draw import draw
from kanrewrite.registry.database import DATABASE
from kanrewrite.report import report
from tests.browser.chrome import Browser, executable, pixels
from tests.test_search import by_hand, log_of_softmax, softmax_quotient, x


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = executable()
    if path is None:
        pytest.skip("no Chromium on the path: on Debian, apt-get install chromium")
    started = Browser(path)
    yield started
    started.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    relations = (softmax_quotient, log_of_softmax)
    before = dict(DATABASE.relations)
    try:
        with registry.disabled():
            for relation in relations:
                registry.register(relation, replace=True)
            report(at.log(at.exp(x) * 3 / (3 * at.exp(x).sum(-1, keepdims=True)))).save(path)
    finally:  # other tests in this process need the library's own relation of that name
        DATABASE.relations.clear()
        DATABASE.relations.update(before)
    return path


def colours(png: bytes) -> Counter[bytes]:
    """Every fourth pixel of every tenth row, by colour."""
    rows = pixels(png)[::10]
    step = 3 if len(rows[0]) % 4 else 4
    return Counter(row[i : i + 3] for row in rows for i in range(0, len(row), 4 * step))


def test_a_click_expands_a_step_and_draws_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    step = "document.querySelector('#step1')"
    assert browser.evaluate(f"{step}.open") is False
    browser.click("#step1 summary")
    assert browser.until(f"{step}.open") is True
    assert browser.until(f"{step}.querySelector('svg').getBoundingClientRect().height") > 100
    assert "boxes" in browser.until(f"{step}.querySelector('.status').textContent")
    shown = colours(browser.screenshot())
    assert len(shown) > 20
    assert shown.most_common(1)[0][1] < 0.98 * sum(shown.values())


def test_the_report_loads_nothing_and_raises_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)
    asked = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith("file:")] == []
    assert len(asked) == 1
    raised = [e for e in browser.events if e.get("method") == "Runtime.exceptionThrown"]
    assert raised == []


def test_dark_and_light(browser: Browser, page: Path) -> None:
    browser.open(page)
    (light, _), (dark, _) = (
        colours(browser.screenshot(dark=scheme)).most_common(1)[0] for scheme in (False, True)
    )
    assert min(light) > 240
    assert max(dark) < 40


@pytest.fixture
def softmax(browser: Browser, tmp_path: Path) -> Browser:
    draw(by_hand).save(tmp_path / "softmax.html")
    browser.open(tmp_path / "softmax.html")
    return browser


VISIBLE = "[...document.querySelectorAll('g.box')].filter(g => g.style.display !== 'none').length"
WIDTH = "document.querySelector('svg.kr').getBoundingClientRect().width"
TOP = "document.querySelector('.stage').scrollTop"


def test_a_click_on_a_box_collapses_what_only_it_reads(softmax: Browser) -> None:
    assert softmax.evaluate(VISIBLE) == 5
    softmax.click("g.box.output")
    assert softmax.evaluate(VISIBLE) == 1
    assert "4 collapsed" in softmax.evaluate("document.querySelector('.status').textContent")
    softmax.click("g.box.output")
    assert softmax.evaluate(VISIBLE) == 5


def test_keys_move_collapse_zoom_and_find(softmax: Browser) -> None:
    focused: Any = "document.activeElement.querySelector('text').textContent"
    softmax.evaluate("document.querySelector('g.box.output').focus()")
    softmax.press("ArrowUp")
    assert softmax.evaluate(focused) in ("exp", "dimshuffle{0,x}")
    softmax.press("c")
    assert softmax.evaluate(VISIBLE) == 1
    softmax.press("e")
    assert softmax.evaluate(VISIBLE) == 5
    before = softmax.evaluate(WIDTH)
    softmax.press("+")
    assert softmax.evaluate(WIDTH) > before
    softmax.press("/")
    for letter in "sum":
        softmax.press(letter)
    softmax.press("Enter")
    assert softmax.evaluate(focused) == "sum{1}"


def test_dragging_moves_the_picture(softmax: Browser) -> None:
    for _ in range(6):
        softmax.press("+")
    before, width = softmax.evaluate(TOP), softmax.evaluate(WIDTH)
    for kind, place in (("mousePressed", 360), ("mouseMoved", 300), ("mouseReleased", 300)):
        softmax.send(
            "Input.dispatchMouseEvent", type=kind, x=300, y=place, button="left", buttons=1
        )
    assert softmax.evaluate(TOP) == before + 60
    assert softmax.evaluate(WIDTH) == width
