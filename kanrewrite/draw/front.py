"""The plot of a search for better forms: accuracy against cost, each form a point that opens it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from rich.table import Table

from kanrewrite.display import brief
from kanrewrite.draw.graph import diagram
from kanrewrite.draw.html import frame, page
from kanrewrite.draw.picture import Picture
from kanrewrite.draw.text import graph_text
from kanrewrite.improve import Form, Improvement

#: The size of the plot and the room around it for numbers and names.
WIDE, HIGH, LEFT, TOP, BOTTOM, RIGHT = 760.0, 410.0, 56.0, 74.0, 50.0, 70.0
#: How wide a letter is at most, how high a label, and how far it is from its point.
LETTER, LINE, AWAY = 7.5, 15.0, 9.0
_STYLE = (
    ".front{background:#fff;max-width:100%;height:auto} "
    ".front text{font:12px ui-monospace,monospace;fill:#15191f} .front .says{font-weight:bold} "
    ".front a text{paint-order:stroke;stroke:#fff;stroke-width:4px} "
    ".front .axis{stroke:#8a95a3;fill:none} .front .line{stroke:#2a7de1;fill:none} "
    ".front circle{fill:#c3cbd8;stroke:#56616f} .front .on{fill:#2a7de1} "
    ".front .best{fill:#1d9a57} .front .start{fill:#c4392b} "
    ".front a:hover circle{stroke-width:3} "
    "@media (prefers-color-scheme:dark){.front{background:#12161b} .front text{fill:#e8edf3} "
    ".front a text{stroke:#12161b} "
    ".front circle{fill:#4a5564;stroke:#a5b1bf} .front .on{fill:#5b9ff0} "
    ".front .best{fill:#43c083} .front .start{fill:#f2796c}}"
)


Point = tuple[float, float]
#: Left, top, right and bottom.
Box = tuple[float, float, float, float]


@dataclass(frozen=True, repr=False)
class FrontPicture(Picture):
    """A plot, and a picture of each form of the front below it.

    Attributes
    ----------
    plot : str
        The plot, as an SVG document whose points refer to the forms.
    """

    plot: str = ""

    @cached_property
    def svg(self) -> str:
        """The plot."""
        return self.plot

    @cached_property
    def html(self) -> str:
        """The plot; a click on a point opens the form's graph below it."""
        return page(self.viewer("420px"), self.title)

    def viewer(self, tall: str) -> str:
        """The plot, and the pictures of the forms, closed until a point is clicked."""
        forms = "".join(
            f'<details id="{escape(picture.title.split()[0].replace("#", "form-"))}">'
            f"<summary>{escape(picture.title)}</summary>{picture.viewer(tall)}</details>"
            for picture in self.more
        )
        return f"<div>{self.plot}</div>{forms}<script>{_OPEN}</script>"

    def _repr_html_(self) -> str:
        return frame(page(self.viewer("420px"), self.title, "0"), int(HIGH) + 200)


_OPEN = (
    "document.querySelectorAll('a[data-form]').forEach(a => a.addEventListener('click', e => {"
    "e.preventDefault(); const d = document.getElementById(a.dataset.form);"
    "if (d) { d.open = true; d.scrollIntoView({behavior: 'smooth'}); } }));"
)


def front_picture(found: Improvement) -> Picture:
    """The plot of a search, its table, and the graphs of the front."""
    pictures = tuple(map(form_picture, _shown(found)))
    return FrontPicture(
        (diagram(found.best().outputs, found.summary),),
        (found.summary, _table(found)),
        "improve",
        more=pictures,
        plot=_plot(found),
    )


def _shown(found: Improvement) -> list[Form]:
    """The forms that can be opened: the front, and what was written."""
    front = found.front
    written = found.forms[0]
    return front if written in front else [written, *front]


def form_picture(form: Form) -> Picture:
    """The graph of a form."""
    title = f"#{form.number}  {form.error:.2f} bits, cost {form.cost:g}: {form.origin}"
    return Picture((diagram(form.outputs, title[:90]),), (graph_text(form.outputs, title),), title)


def _table(found: Improvement) -> Table:
    table = Table("", "bits lost", "at worst", "cost", "by", "form")
    front = set(map(id, found.front))
    for form in found.graphs[:20]:
        mark = "*" if id(form) in front else ""
        numbers = (f"{form.error:.2f}", f"{form.worst:.1f}", f"{form.cost:g}")
        text = ", ".join(brief(out, 4) for out in form.outputs)
        table.add_row(f"#{form.number}{mark}", *numbers, form.origin, text)
    return table


def _plot(found: Improvement) -> str:
    costs = [math.log2(1 + form.cost) for form in found.forms]
    low, high = min(costs), max(costs)
    top = max(1.0, *(form.error for form in found.forms))
    floor = HIGH - BOTTOM

    def place(form: Form) -> Point:
        across = (math.log2(1 + form.cost) - low) / ((high - low) or 1.0)
        return (
            LEFT + 20 + across * (WIDE - LEFT - RIGHT - 20),
            TOP + (1 - form.error / top) * (floor - TOP),
        )

    says, _, lost = found.summary.rpartition("; ")
    line = " ".join("{:.1f},{:.1f}".format(*place(form)) for form in found.front)
    ticks = "".join(
        _text(LEFT - 8, TOP + (1 - n / 4) * (floor - TOP) + 4, f"{top * n / 4:.1f}", "end")
        for n in range(5)
    )
    middle = (LEFT + WIDE - RIGHT) / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="front" viewBox="0 0 {WIDE:g} {HIGH:g}" '
        f'width="{WIDE:g}" role="img"><title>{escape(found.summary)}</title>'
        f"<style>{_STYLE}</style>{_text(8, 18, lost, kind='says')}{_text(8, 36, says)}"
        f"{_text(8, 54, 'bits lost')}{ticks}"
        f'<path class="axis" d="M{LEFT} {TOP}V{floor}H{WIDE - RIGHT + 20}"/>'
        f"{_text(LEFT + 20, floor + 18, f'{2**low - 1:.0f}', 'middle')}"
        f"{_text(WIDE - RIGHT, floor + 18, f'{2**high - 1:.0f}', 'middle') if high > low else ''}"
        f"{_text(middle, floor + 36, 'cost, logarithmic: a click opens a form', 'middle')}"
        f'<polyline class="line" points="{line}"/>{_points(found, place)}</svg>'
    )


def _points(found: Improvement, place: Callable[[Form], Point]) -> str:
    """The points, those that can be opened above the others, labels beside each other."""
    shown = _shown(found)
    marks = {form.number: "on" for form in shown}
    marks |= {found.forms[0].number: "start", found.best().number: "best"}
    texts = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{escape(str(form))}</title></circle>'
        for form in found.forms
        if form not in shown
        for x, y in [place(form)]
    ]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in map(place, found.forms)]
    for form in shown:
        label = f"#{form.number}" + " as written" * (form is found.forms[0])
        box = _free(*place(form), len(label) * LETTER, taken)
        taken.append(box)
        x, y = place(form)
        texts.append(
            f'<a href="#form-{form.number}" data-form="form-{form.number}"><title>'
            f'{escape(str(form))}</title><circle class="{marks[form.number]}" cx="{x:.1f}" '
            f'cy="{y:.1f}" r="6"/>{_text(box[0], box[3] - 3, label)}</a>'
        )
    return "".join(texts)


def _free(x: float, y: float, wide: float, taken: Sequence[Box]) -> Box:
    """Room for a label near a point, in which neither another label nor a point is."""
    beside = (x + AWAY, x - AWAY - wide)
    rows = (-0.5, 0.5, -1.5, 1.5, -2.5, 2.5, -3.5, 3.5)
    sides = [(a, y + n * LINE) for n in rows for a in beside]
    boxes = [(a, b - LINE / 2, a + wide, b + LINE / 2) for a, b in sides]
    inside = [box for box in boxes if box[0] > LEFT and box[2] < WIDE and box[1] > TOP - LINE]
    free = (box for box in inside if not any(_overlap(box, other) for other in taken))
    return next(free, boxes[0])


def _overlap(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )
