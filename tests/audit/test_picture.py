"""Pictures of audits and of what is to blame."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aesara.tensor as at
import pytest

import kanrewrite
from kanrewrite import Eq, T, audit, blame, eq, relation
from kanrewrite.draw import draw

x: Any = at.dvector("x")
s: Any = at.dscalar("s")


def test_verdicts_are_coloured() -> None:
    found = audit(at.log(at.exp(x).sum()) + at.tanh(x), {x: (-1000, 1000)}, as_written=True)
    (diagram,) = draw(found).diagrams
    statuses = {"\n".join(box.lines): box.status for box in diagram.boxes.values()}
    assert statuses["exp\noverflow, vanishing"] == "risk"
    assert statuses["tanh"] == "proved"
    assert [status for text, status in statuses.items() if "bits lost" in text] == ["lossy"]
    details = [box.detail for box in diagram.boxes.values()]
    assert any("in [-1, 1]" in detail for detail in details)
    assert any("exp may be inf" in detail for detail in details)


def test_pictures_show_themselves(tmp_path: Path) -> None:
    found = audit(at.sqrt(s + 1) - at.sqrt(s), {s: (0, 1e18)}, as_written=True)
    assert "a risk begins here" in found._repr_svg_()
    assert "<iframe" in found._repr_html_()
    for name in ("audit.svg", "audit.html"):
        found.save(tmp_path / name)
        assert re.search("cancellation", (tmp_path / name).read_text(encoding="utf-8"))


@relation
def false_tanh(x: Any) -> Iterator[Eq]:
    yield eq(T.tanh(T.sin(x)), T.cos(x))


@pytest.mark.parametrize("is_enabled", [True, False])
def test_what_is_to_blame_has_a_picture(is_enabled: bool) -> None:
    with kanrewrite.disabled():
        kanrewrite.register(false_tanh)
        if not is_enabled:
            kanrewrite.disable("false_tanh")
        found = blame([s], at.exp(at.tanh(at.sin(s))), [0.5])
        kanrewrite.unregister(false_tanh)
    svg = found._repr_svg_()
    assert ("before false_tanh" in svg) is is_enabled
    assert ("only before" in svg) is is_enabled
    assert ("none of" in svg) is not is_enabled
