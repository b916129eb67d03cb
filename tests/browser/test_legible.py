"""Pictures of realistic graphs can be read as they open, at 1280 by 800, by the browser's boxes."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite.draw import Picture, compare, draw, walk
from kanrewrite.improve import Form, Improvement
from kanrewrite.registry import relations
from tests.browser.chrome import Browser, executable

#: Texts that are shown, with where they stand and how high their letters are.
TEXTS = """
[...document.querySelectorAll('.stage:not([hidden]) svg text')]
  .filter(t => t.getClientRects().length)
  .map(t => {
    const r = t.getBoundingClientRect(), svg = t.closest('svg');
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const size = parseFloat(getComputedStyle(t).fontSize) * scale;
    return [t.textContent, r.left, r.top, r.right, r.bottom, size];
  })
"""
WIDTH = "document.querySelector('.stage:not([hidden]) svg').viewBox.baseVal.width"
#: Texts that stick out of their picture.
CUT = """
[...document.querySelectorAll('.stage:not([hidden]) svg text')]
  .filter(t => t.getClientRects().length)
  .filter(t => t.getBoundingClientRect().right > t.closest('svg').getBoundingClientRect().right + 1)
  .map(t => t.textContent)
"""
POINTS = """
[...document.querySelectorAll('svg.front circle')]
  .map(c => c.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])
"""
#: How many boxes of each status lie wholly within what is seen of the picture.
SEEN = """
(() => {
  const s = document.querySelector('.stage:not([hidden])').getBoundingClientRect(), found = {};
  for (const g of document.querySelectorAll('.stage:not([hidden]) g.box')) {
    const r = g.querySelector('rect').getBoundingClientRect();
    const seen = r.left >= s.left && r.right <= s.right && r.top >= s.top && r.bottom <= s.bottom;
    if (seen && r.bottom <= innerHeight && r.right <= innerWidth) {
      const name = g.getAttribute('class').split(' ')[1];
      found[name] = (found[name] || 0) + 1;
    }
  }
  return found;
})()
"""


def gradients(loss: Any, weights: list[Any]) -> list[Any]:
    return cast(list[Any], aesara.grad(loss, weights))


def softmax() -> list[Any]:
    x = at.dmatrix("x")
    e = at.exp(x)
    y = e * e.sum(axis=1, keepdims=True) ** -1
    return [at.log(y)]


def attention() -> list[Any]:
    x, *weights = at.dmatrices("x", "wq", "wk", "wv")
    q, k, v = (at.dot(x, w) for w in weights)
    e = at.exp(at.dot(q, k.T) / np.sqrt(8.0))
    out = at.dot(e * e.sum(axis=1, keepdims=True) ** -1, v) + x
    loss = (out**2).sum()
    return [loss, *gradients(loss, weights)]


def crf() -> list[Any]:
    """The normaliser of a conditional random field, unrolled, and its gradients."""
    emissions, transitions = at.dmatrices("emissions", "transitions")
    a: Any = emissions[0]
    for t in range(1, 5):
        terms: Any = a[:, None] + transitions + emissions[t][None, :]
        a = at.log(at.exp(terms).sum(0))
    z = at.log(at.exp(a).sum())
    return [z, *gradients(z, [emissions, transitions])]


def vae() -> list[Any]:
    x, eps, *weights = at.dmatrices("x", "eps", "w1", "wm", "ws", "w2")
    w1, wm, ws, w2 = weights
    hidden = at.tanh(at.dot(x, w1))
    mean, log_scale = at.dot(hidden, wm), at.dot(hidden, ws)
    p = 1 / (1 + at.exp(-at.dot(at.tanh(mean + at.exp(log_scale) * eps), w2)))
    loss = -(x * at.log(p) + (1 - x) * at.log(1 - p)).sum() + (mean**2).sum() - log_scale.sum()
    return [loss, *gradients(loss, weights)]


def chain(layers: int = 20) -> list[Any]:
    """Some three hundred operators."""
    h: Any = at.dmatrix("x")
    weights = [at.dmatrix(f"w{n}") for n in range(layers)]
    for w in weights:
        h = h + at.tanh(at.dot(h, w))
    loss = (h**2).mean()
    return [loss, *gradients(loss, weights)]


def transformer(layers: int = 4) -> list[Any]:
    """Some three hundred operators, of which a softmax by hand in each layer is rewritten."""
    h: Any = at.dmatrix("x")
    weights: list[Any] = []
    for n in range(layers):
        q, k, v, o = at.dmatrices(*(f"{name}{n}" for name in ("wq", "wk", "wv", "wo")))
        e = at.exp(at.dot(at.dot(h, q), at.dot(h, k).T) / np.sqrt(8.0))
        h = h + at.dot(at.dot(e * e.sum(axis=1, keepdims=True) ** -1, at.dot(h, v)), o)
        weights += [q, k, v, o]
    e = at.exp(h)
    loss = -(at.dmatrix("y") * at.log(e / e.sum(axis=1, keepdims=True))).sum(axis=1).mean()
    return [loss, *gradients(loss, weights)]


def stable(graph: list[Any]) -> list[Any]:
    with kanrewrite.disabled():
        kanrewrite.enable()
        return kanrewrite.stabilize(graph)


def function(graph: list[Any]) -> Any:
    inputs = [x for x in aesara.graph.basic.graph_inputs(graph) if not hasattr(x, "data")]
    return aesara.function(list(dict.fromkeys(inputs)), graph, mode=Mode("py", "fast_run"))


@cache
def transformer_walked() -> Picture:
    return walked(transformer())


def walked(graph: list[Any]) -> Picture:
    with kanrewrite.disabled():
        kanrewrite.enable()
        with kanrewrite.trace(limit=0):
            start = kanrewrite.stabilize(graph)
        with kanrewrite.trace() as steps:
            end = kanrewrite.stabilize(graph)
    return walk(steps, start, end)


#: Each picture, and boxes of which status it has to open on.
PICTURES: dict[str, tuple[Callable[[], Picture], str]] = {
    "softmax search": (lambda: draw(kanrewrite.explore(softmax()[0])), "best"),
    "attention": (lambda: draw(attention()), "output"),
    "attention function": (lambda: draw(function(attention())), "output"),
    "attention compared": (lambda: compare(attention(), stable(attention())), "new"),
    "softmax walk": (lambda: walked(softmax()), "new"),
    "random field walk": (lambda: walked(crf()), "gone"),
    "why": (lambda: draw(explained(softmax()[0] / at.dmatrix("y"))), "match"),
    "why not": (lambda: draw(explained(at.exp(at.dmatrix("x")) / at.dmatrix("y"))), "differs"),
    "relation": (lambda: draw(relation_named("softmax_gradient_meaning")), "output"),
}
SLOW: dict[str, tuple[Callable[[], Picture], str]] = {
    "random field compared": (lambda: compare(crf(), stable(crf())), "new"),
    "random field function": (lambda: draw(function(crf())), "output"),
    "vae compared": (lambda: compare(vae(), stable(vae())), "new"),
    "vae walk": (lambda: walked(vae()), "new"),
    "transformer walk": (transformer_walked, "new"),
    "three hundred": (lambda: draw(chain()), "output"),
    "three hundred compared": (lambda: compare(chain(), stable(chain())), "new"),
    "three hundred function": (lambda: draw(function(chain())), "output"),
}


def explained(graph: Any) -> Any:
    return kanrewrite.why_not(relation_named("softmax_quotient"), graph)


def relation_named(name: str) -> Any:
    return next(r for r in relations() if r.name == name)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = executable()
    if path is None:
        pytest.skip("no Chromium on the path: on Debian, apt-get install chromium")
    started = Browser(path)
    yield started
    started.close()


def check(
    browser: Browser, picture: Picture, status: str, path: Path, view: tuple[int, int] = (1280, 800)
) -> None:
    picture.save(path)
    browser.resize(*view)
    browser.open(path)
    for frame in range(1 + len(picture.more)):
        if frame:
            browser.press("n")
        texts = browser.evaluate(TEXTS)
        assert texts
        assert min(size for *_, size in texts) >= 10
        assert overlapping(texts) == []
        assert browser.evaluate(WIDTH) <= 1280
        assert browser.evaluate(CUT) == []
        wanted = {"new", "gone", "output"} if frame else {status}
        assert wanted & browser.evaluate(SEEN).keys()


def meet(one: list[float], other: list[float]) -> bool:
    """Whether two boxes, of left, top, right and bottom, are on each other by more than a pixel."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    return across > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


def overlapping(texts: list[Any]) -> list[tuple[str, str]]:
    """Texts that stand on each other by more than a pixel."""
    ordered = sorted(texts, key=lambda text: text[2])
    found = []
    for n, (one, left, _, right, bottom, _) in enumerate(ordered):
        for other, x, y, end, _, _ in ordered[n + 1 :]:
            if y >= bottom - 1:
                break
            if min(right, end) - max(left, x) > 1:
                found.append((one, other))
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_it_opens_legible_on_what_matters(browser: Browser, tmp_path: Path, name: str) -> None:
    make, status = PICTURES[name]
    check(browser, make(), status, tmp_path / "picture.html")


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_large_ones_open_legible_on_what_matters(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    make, status = SLOW[name]
    check(browser, make(), status, tmp_path / "picture.html")


@pytest.mark.parametrize("view", [(800, 600), (1920, 1080)])
def test_other_windows_open_legible_too(
    browser: Browser, tmp_path: Path, view: tuple[int, int]
) -> None:
    for name in ("softmax search", "attention compared", "softmax walk"):
        make, status = PICTURES[name]
        check(browser, make(), status, tmp_path / "picture.html", view)


@pytest.mark.slow
def test_three_hundred_operators_are_walked_found_and_folded(
    browser: Browser, tmp_path: Path
) -> None:
    browser.resize(1280, 800)
    transformer_walked().save(tmp_path / "walk.html")
    browser.open(tmp_path / "walk.html")
    frames = int(browser.evaluate("document.querySelectorAll('.stage').length"))
    for _ in range(frames):
        browser.press("n")
    status = "document.querySelector('.status').textContent"
    everything = int(browser.evaluate(status).split()[0])
    assert everything > 300
    browser.press("/")
    for letter in "log_soft":
        browser.press(letter)
    assert browser.evaluate(status) == "2 found"
    browser.press("Enter")
    focused = "document.activeElement"
    assert "log_softmax" in browser.evaluate(f"{focused}.textContent")
    assert browser.evaluate(
        f"(() => {{ const r = {focused}.getBoundingClientRect();"
        "return r.top > 0 && r.bottom < innerHeight && r.left > 0 && r.right < innerWidth })()"
    )
    browser.press("c")
    folded = browser.evaluate(status)
    assert folded.endswith("collapsed")
    assert int(folded.split()[0]) < everything / 3
    assert overlapping(browser.evaluate(TEXTS)) == []
    browser.press("e")
    assert browser.evaluate(status) == f"{everything} boxes"


def test_labels_of_a_crowded_front_stand_apart(browser: Browser, tmp_path: Path) -> None:
    x = at.dscalar("x")
    errors = (40.0, 39.5, 39.0, 38.8, 20.0, 1.0, 0.5, 0.1, 40.0, 39.9)
    forms = [Form(n, (at.exp(x),), e, e, 40.0 + n) for n, e in enumerate(errors)]
    Improvement(forms, 8, 1.0, "complete").save(tmp_path / "front.html")
    browser.open(tmp_path / "front.html")
    texts = browser.evaluate(TEXTS.replace(".stage:not([hidden]) svg text", "svg.front text"))
    assert [text for text, *_ in texts].count("#0 as written") == 1
    assert overlapping(texts) == []
    points = browser.evaluate(POINTS)
    assert len(points) == len(forms)
    assert not {text for text, *box in texts if any(meet(box, point) for point in points)}
    assert min(size for *_, size in texts) >= 10
    browser.click("a[data-form=form-7] circle")
    assert browser.until("document.querySelector('#form-7').open") is True


def test_one_box_is_said_to_be_one(browser: Browser, tmp_path: Path) -> None:
    walk(kanrewrite.trace()).save(tmp_path / "none.html")
    browser.open(tmp_path / "none.html")
    assert browser.evaluate("document.querySelector('.status').textContent") == "1 box"
    assert "no relation fired" in [text for text, *_ in browser.evaluate(TEXTS)]


def test_steps_are_walked_by_keys_and_buttons(browser: Browser, tmp_path: Path) -> None:
    x = at.dmatrix("x")
    first, second = (compare(at.log(at.exp(x)), x), compare(at.sin(x), at.cos(x)))
    picture = Picture(first.diagrams, (), "one", "", (Picture(second.diagrams, (), "two"),))
    picture.save(tmp_path / "steps.html")
    browser.open(tmp_path / "steps.html")
    shown = "document.querySelector('.frame').textContent"
    assert browser.evaluate(shown) == "1 of 2: one"
    browser.press("n")
    assert browser.evaluate(shown) == "2 of 2: two"
    assert [text[0] for text in browser.evaluate(TEXTS)].count("cos") == 1
    browser.click("button[data-do=previous]")
    assert browser.evaluate(shown) == "1 of 2: one"
    browser.press("p")
    assert browser.evaluate(shown) == "1 of 2: one"
