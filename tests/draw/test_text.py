"""Graphs as text for a terminal of 80 columns."""

from typing import Any

import aesara
import aesara.tensor as at

from kanrewrite.config import config
from kanrewrite.draw import compare, draw


def test_fused_operators_do_not_make_lines_long() -> None:
    x, y, z = at.dvectors("x", "y", "z")
    fused: Any = x
    for n in range(12):
        fused = (fused * y + n) / (1 + at.tanh(fused - z))
    made = aesara.function([x, y, z], at.exp(fused).sum(), mode="FAST_RUN")
    texts = str(draw(made)), str(compare(made, at.exp(x).sum())), str(compare(made, [made, y]))
    assert any("Composite{" in text and "…" in text for text in texts)
    for line in "\n".join(texts).splitlines():
        assert len(line.lstrip("│├└─ ")) <= max(config.label_width, 60) + 24, line
