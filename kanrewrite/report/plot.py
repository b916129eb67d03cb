"""The error curves as an SVG plot with logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from kanrewrite.report.measure import Curve

WIDTH, HEIGHT = 640, 320
LEFT, TOP, RIGHT, BOTTOM = 70, 34, 20, 46
#: Finite errors are drawn between these; infinite ones have the line above.
MOST, LEAST = 1e16, 0.25
_WRONG = 10 * MOST
STYLE = """
.plot{background:#fff;max-width:100%;height:auto}
.plot text{font:12px system-ui,sans-serif;fill:#15191f}
.plot .grid{stroke:#dde2e8;stroke-width:1}
.plot .curve{fill:none;stroke-width:2.2}
.plot .c0{stroke:#c4392b}.plot .c1{stroke:#22863a;stroke-dasharray:7 3}
.plot .p0{fill:#c4392b}.plot .p1{fill:#22863a}
.plot .wrong{fill:#ffdfdb}
@media (prefers-color-scheme:dark){.plot{background:#12161b}.plot text{fill:#e8edf3}
.plot .grid{stroke:#323b46}.plot .c0{stroke:#f2796c}.plot .c1{stroke:#56c271}
.plot .p0{fill:#f2796c}.plot .p1{fill:#56c271}.plot .wrong{fill:#571d18}}
"""


def plot(curves: Sequence[Curve]) -> str:
    """Errors in units in the last place over the scale of the inputs.

    Parameters
    ----------
    curves : sequence of Curve
        At least one with a point, all over the same scales.

    Returns
    -------
    str
        An SVG element.
    """
    scales = curves[0].scales
    low, high = math.log10(min(scales)), math.log10(max(scales))
    span = (high - low) or 1.0

    def x_of(scale: float) -> float:
        return LEFT + (math.log10(scale) - low) / span * (WIDTH - LEFT - RIGHT)

    parts = [_frame()]
    for power in range(math.ceil(low), math.floor(high) + 1):
        x = x_of(10.0**power)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" '
            f'y2="{HEIGHT - BOTTOM}"/>' + _text(x, HEIGHT - BOTTOM + 18, f"{10.0**power:g}")
        )
    for n, curve in enumerate(curves):
        points = [(x_of(s), y_of(e)) for s, e in zip(curve.scales, curve.errors, strict=True)]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dots = "".join(
            f'<circle class="p{n % 2}" cx="{x:.1f}" cy="{y:.1f}" r="3.2"><title>'
            f"{escape(curve.name)}: {error:.3g} ulp at {scale:g}</title></circle>"
            for (x, y), scale, error in zip(points, curve.scales, curve.errors, strict=True)
        )
        parts.append(f'<polyline class="curve c{n % 2}" points="{way}"/>{dots}')
        parts.append(_key(n, curve.name))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" '
        f'aria-label="error over the scale of the inputs" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'
    )


def y_of(error: float) -> float:
    """The height of an error; wrong nans and infinities are on the top line."""
    clipped = _WRONG if math.isinf(error) else min(MOST, max(LEAST, error))
    share = (math.log10(clipped) - math.log10(LEAST)) / (math.log10(_WRONG) - math.log10(LEAST))
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _frame() -> str:
    right = WIDTH - RIGHT
    band = y_of(MOST)
    size = f'width="{right - LEFT}" height="{band - TOP:.1f}"'
    parts = [
        f'<rect class="wrong" x="{LEFT}" y="{TOP}" {size}/>',
        _text(LEFT - 8, TOP + 8, "wrong", "end"),
        _text((LEFT + right) / 2, HEIGHT - 8, "standard deviation of the inputs"),
    ]
    for power in range(0, 13, 4):
        y = y_of(10.0**power)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        label = "1 ulp" if power == 0 else f"1e{power}"
        parts.append(_text(LEFT - 8, y + 4, label, "end"))
    return "".join(parts)


def _key(n: int, name: str) -> str:
    x = LEFT + n * 160
    line = f'<polyline class="curve c{n % 2}" points="{x},16 {x + 26},16"/>'
    return line + _text(x + 32, 20, name, "start")


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
