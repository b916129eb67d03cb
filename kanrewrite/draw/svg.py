"""Placed diagrams as SVG, with colours for light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from kanrewrite.display import cut
from kanrewrite.draw.layout import MARGIN, WIDEST, Placed, Point
from kanrewrite.draw.model import CHARACTER, LINE, Box, Line, Status

#: Fill and outline of a class, light then dark. Contrast of text on each fill is above 7:1.
_COLOURS = {
    "op": ("#f2f5f9", "#8796a8", "#232a33", "#6b7a8d"),
    "input": ("#e4efff", "#4f7fc0", "#1c3354", "#6ea1e6"),
    "graph": ("#f2f5f9", "#8796a8", "#232a33", "#6b7a8d"),
    "output": ("#efe7fb", "#7a55b5", "#362654", "#a788dd"),
    "start": ("#e4efff", "#4f7fc0", "#1c3354", "#6ea1e6"),
    "place": ("#fff4d6", "#b08418", "#43360f", "#d6ac45"),
    "differs": ("#ffdfdb", "#c4392b", "#571d18", "#f2796c"),
    "gone": ("#ffdfdb", "#c4392b", "#571d18", "#f2796c"),
    "new": ("#d6f3dd", "#22863a", "#15401f", "#56c271"),
    "rebuilt": ("#fff4d6", "#b08418", "#43360f", "#d6ac45"),
    "same": ("#f7f8fa", "#b9c2cd", "#1d222a", "#4a5563"),
    "match": ("#d6f3dd", "#22863a", "#15401f", "#56c271"),
    "best": ("#d6f3dd", "#22863a", "#15401f", "#56c271"),
    "proved": ("#d6f3dd", "#22863a", "#15401f", "#56c271"),
    "lossy": ("#fff4d6", "#b08418", "#43360f", "#d6ac45"),
    "risk": ("#ffdfdb", "#c4392b", "#571d18", "#f2796c"),
}
_SIGNS: dict[Status, str] = {"gone": "−", "new": "+", "best": "★", "differs": "≠", "risk": "!"}
#: Lines of a box that say what was taken away, what was put there, and by what.
_HUES = {"− ": "minus", "+ ": "plus", "by": "by"}
#: What a picture opens on.
CHANGED = frozenset({"gone", "new", "place", "match", "differs", "risk"})
#: Characters in a line of the caption, as wide as a column of a notebook, and the width of one.
NOTE, SMALL = 104, 6.7
#: Where what a line of the caption says begins, after the word that says what it is.
_SAID = 11
#: So many diagrams stand beside each other, further ones below.
BESIDE = 2
LEGEND = {
    "gone": "only before",
    "new": "only after",
    "rebuilt": "same operator, changed below",
    "same": "in both",
    "output": "output",
    "start": "start",
    "place": "where it came furthest",
    "match": "where it matches",
    "differs": "what is there instead",
    "best": "cheapest",
    "proved": "proved in range",
    "lossy": "loses digits",
    "risk": "a risk begins here",
}


def style() -> str:
    """The style sheet of every picture."""
    light = [f".kr .{n} rect{{fill:{c[0]};stroke:{c[1]}}}" for n, c in _COLOURS.items()]
    dark = [f".kr .{n} rect{{fill:{c[2]};stroke:{c[3]}}}" for n, c in _COLOURS.items()]
    return (
        ".kr{background:#ffffff}"
        ".kr text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#15191f}"
        ".kr text{white-space:pre}"
        ".kr .title{font-weight:bold}.kr .at{font-size:11px;fill:#56616f}"
        ".kr .minus{fill:#a3271b}.kr .plus{fill:#176a2c}"
        ".kr .by{font-size:11px;fill:#6b3fa0}"
        ".kr .line .by{paint-order:stroke;stroke:#ffffff;stroke-width:4px}"
        ".kr path{fill:none;stroke:#8a95a3;stroke-width:1.2}"
        ".kr .head{fill:#8a95a3;stroke:none}"
        ".kr .input rect{rx:11px}.kr .rebuilt rect{stroke-dasharray:4 2}"
        ".kr .gone rect,.kr .new rect,.kr .best rect{stroke-width:1.8}"
        ".kr .sign{font-weight:bold;font-size:13px}"
        ".kr .box text,.kr .by{text-anchor:middle}.kr .box .sign{text-anchor:end}"
        + "".join(light)
        + "@media (prefers-color-scheme:dark){.kr{background:#12161b}"
        ".kr text{fill:#e8edf3}.kr .at{fill:#a5b1bf}.kr .by{fill:#c9a6ff}"
        ".kr .line .by{stroke:#12161b}"
        ".kr .minus{fill:#ff9b8f}.kr .plus{fill:#7fdc97}"
        ".kr path{stroke:#7d8998}.kr .head{fill:#7d8998}" + "".join(dark) + "}"
    )


def svg(panels: Sequence[Placed], caption: str = "") -> str:
    """One SVG document of diagrams side by side.

    Parameters
    ----------
    panels : sequence of Placed
        The diagrams, each with its title.
    caption : str
        Written below, a line for each line.

    Returns
    -------
    str
        Well-formed XML without references to anything outside.
    """
    parts: list[str] = []
    width, height = 0.0, 0.0
    for start in range(0, len(panels), BESIDE):
        row, across, height = _row(panels[start : start + BESIDE], start, height)
        parts += row
        width = max(width, across)
    notes = [line for text in caption.splitlines() for line in _folded(text)]
    legend, across, height = _legend(panels, height + MARGIN / 2)
    width = max([width, across, *(len(text) * SMALL + 2 * MARGIN for text in notes)])
    for n, text in enumerate(notes):
        parts.append(_write(text, MARGIN, height + 12 + n * 15, "at"))
    height += 15 * len(notes) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kr" role="group" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">'
        f"<style>{style()}</style>{''.join(parts)}{legend}</svg>"
    )


def _folded(text: str) -> list[str]:
    """A line of the caption in lines that are short enough."""
    indent = " " * _SAID * text.startswith(" ")
    return wrap(text, NOTE, subsequent_indent=indent) or [""]


def _row(panels: Sequence[Placed], start: int, y: float) -> tuple[list[str], float, float]:
    """Diagrams beside each other: their texts, how wide they are, and where they end."""
    parts, x = [], 0.0
    top = y + (24.0 if any(panel.diagram.title for panel in panels) else 0.0)
    downs = _level(panels)
    most = int(WIDEST / len(panels) / CHARACTER)
    for index, (panel, down) in enumerate(zip(panels, downs, strict=True), start):
        title = cut(panel.diagram.title, most)
        parts.append(_panel(panel, title, index, (x, top), down))
        x += max(panel.width, len(title) * CHARACTER + 2 * MARGIN) + MARGIN
    return parts, x, top + max(p.height + d for p, d in zip(panels, downs, strict=True))


def _level(panels: Sequence[Placed]) -> list[float]:
    """How far each diagram is moved down, so that what changed stands at one height in all."""
    lowest = []
    for panel in panels:
        changed = (k for k, box in panel.diagram.boxes.items() if box.status in CHANGED)
        lowest.append(max((panel.centres[key][1] for key in changed), default=panel.height))
    return [max(lowest) - own for own in lowest]


def _panel(panel: Placed, text: str, index: int, corner: Point, down: float) -> str:
    diagram = panel.diagram
    numbers = {line: n for n, line in enumerate(diagram.lines)}
    lines = [
        _line(line, points, index, panel.labels.get(numbers[line])) for line, points in panel.routes
    ]
    boxes = [
        _box(key, box, panel.centres[key], index) for key, box in sorted(diagram.boxes.items())
    ]
    title = _write(text, MARGIN, -2, "title") if text else ""
    x, y = corner
    moved = f'<g transform="translate(0,{down:.0f})">{"".join(lines + boxes)}</g>'
    return f'<g class="panel" transform="translate({x:.0f},{y:.0f})">{title}{moved}</g>'


def _box(key: int, box: Box, centre: Point, index: int) -> str:
    x, y = centre
    w, h = box.width, box.height
    first = y - (len(box.lines) - 1) * LINE / 2 + 4
    texts = [
        _write(line, x, first + n * LINE, _HUES.get(line[:2], "") if box.kind == "graph" else "")
        for n, line in enumerate(box.lines)
    ]
    if box.status in _SIGNS:
        # A sign as well as a colour: not everybody sees red and green.
        texts.append(_write(_SIGNS[box.status], x - w / 2 - 2, y - h / 2 + 6, "sign"))
    name = f"box {box.status or box.kind}" + (" input" if box.kind == "input" else "")
    refers = f' data-refers="{" ".join(f"{index}-{r}" for r in box.refers)}"' if box.refers else ""
    detail = f"<title>{escape(box.detail)}</title>" if box.detail else ""
    return (
        f'<g class="{name}" id="b{index}-{key}" data-x="{x:.0f}" data-y="{y:.0f}" '
        f'data-w="{w:.0f}" data-h="{h:.0f}"{refers}>{detail}'
        f'<rect x="{_short(x - w / 2)}" y="{_short(y - h / 2)}" '
        f'width="{_short(w)}" height="{_short(h)}" '
        f'rx="4"/>{"".join(texts)}</g>'
    )


def _line(line: Line, points: list[Point], index: int, middle: Point | None) -> str:
    way = list(points)
    x, y = way[-1]
    label = _write(line.label, x + 5, y, "at") if line.label else ""
    if middle is not None:
        label = _write(line.label, middle[0], middle[1] + 4, "by")
        label = f'<g data-x="{middle[0]:.0f}" data-y="{middle[1]:.0f}">{label}</g>'
    head = f'<path class="head" d="M{_short(x - 3.5)} {_short(y)}h7l-3.5 5z"/>'
    ends = f'data-s="b{index}-{line.source}" data-t="b{index}-{line.target}"'
    way_text = " ".join(f"{a:.0f},{b:.0f}" for a, b in way)
    return f'<g class="line" {ends} data-way="{way_text}"><path d="{curve(way)}"/>{head}{label}</g>'


def curve(way: Sequence[Point]) -> str:
    """An SVG path through points that leaves and arrives vertically."""
    (x, y), *rest = way
    parts = [f"M{_short(x)} {_short(y)}"]
    for a, b in rest:
        middle = _short((y + b) / 2)
        parts.append(f"C{_short(x)} {middle} {_short(a)} {middle} {_short(a)} {_short(b)}")
        x, y = a, b
    return "".join(parts)


def _legend(panels: Sequence[Placed], y: float) -> tuple[str, float, float]:
    """What colours mean, where its right edge is, and where its lower one."""
    used = {box.status for panel in panels for box in panel.diagram.boxes.values()}
    names = [name for name in LEGEND if name in used]
    if len(used) < 2 or names == ["output"]:
        return "", 0.0, y
    parts, x = [], MARGIN
    for name in names:
        parts.append(
            f'<g class="{name}"><rect x="{x:.0f}" y="{y:.0f}" width="14" height="11" rx="3"/></g>'
            + _write(LEGEND[name], x + 19, y + 9.5, "at")
        )
        x += 34 + len(LEGEND[name]) * SMALL
    return f'<g class="legend">{"".join(parts)}</g>', x + MARGIN, y + 16


def _write(text: str, x: float, y: float, name: str = "") -> str:
    """A text; where it is held follows from what it is in, see `style`."""
    kind = f' class="{name}"' if name else ""
    return f'<text x="{_short(x)}" y="{_short(y)}"{kind}>{escape(text)}</text>'


def _short(number: float) -> str:
    """A number to a tenth of a pixel: most are whole."""
    return f"{number:.1f}".removesuffix(".0")
