"""The plot of a search for better forms: accuracy against cost, each form a point that opens it."""

from __future__ import annotations

import math
from collections.abc import Sequence
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

#: The size of the plot and the room beside it for numbers.
WIDE, HIGH, LEFT, TOP, BOTTOM = 640.0, 360.0, 56.0, 34.0, 44.0
_STYLE = (
    "text{font:12px ui-monospace,monospace;fill:#334} .axis{stroke:#99a;fill:none} "
    ".front{stroke:#2a7de1;fill:none;stroke-width:1.5} circle{fill:#c3cbd8;stroke:#667} "
    ".on{fill:#2a7de1} .best{fill:#1d9a57} a:hover circle{stroke:#000;stroke-width:2}"
)


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
        return frame(page(self.viewer("420px"), self.title, "0"), int(HIGH) + 240)


_OPEN = (
    "document.querySelectorAll('a[data-form]').forEach(a => a.addEventListener('click', e => {"
    "e.preventDefault(); const d = document.getElementById(a.dataset.form);"
    "if (d) { d.open = true; d.scrollIntoView({behavior: 'smooth'}); } }));"
)


def front_picture(found: Improvement) -> Picture:
    """The plot of a search, its table, and the graphs of the front."""
    pictures = tuple(map(form_picture, found.front))
    return FrontPicture(
        (diagram(found.best().outputs, found.summary),),
        (found.summary, _table(found)),
        "improve",
        more=pictures,
        plot=_plot(found),
    )


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

    def place(form: Form) -> tuple[float, float]:
        across = (math.log2(1 + form.cost) - low) / ((high - low) or 1.0)
        down = 1 - form.error / top
        return LEFT + 20 + across * (WIDE - LEFT - 60), TOP + down * (HIGH - TOP - BOTTOM)

    front = found.front
    line = " ".join("{:.1f},{:.1f}".format(*place(form)) for form in front)
    ticks = "".join(
        f'<text x="{LEFT - 8}" y="{TOP + (1 - n / 4) * (HIGH - TOP - BOTTOM) + 4:.1f}" '
        f'text-anchor="end">{top * n / 4:.1f}</text>'
        for n in range(5)
    )
    chosen = _marks(found, front)
    points = "".join(
        _point(form, *place(form), chosen.get(form.number, "")) for form in found.forms
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:g} {HIGH:g}" '
        f'width="{WIDE:g}" role="img"><title>{escape(found.summary)}</title>'
        f"<style>{_STYLE}</style>"
        f'<text x="8" y="18">bits lost, against cost (logarithmic)</text>{ticks}'
        f'<path class="axis" d="M{LEFT} {TOP}V{HIGH - BOTTOM}H{WIDE - 20}"/>'
        f'<text x="{LEFT + 20}" y="{HIGH - 16}">{2**low - 1:.0f}</text>'
        f'<text x="{WIDE - 40}" y="{HIGH - 16}" text-anchor="end">{2**high - 1:.0f}</text>'
        f'<polyline class="front" points="{line}"/>{points}</svg>'
    )


def _marks(found: Improvement, front: Sequence[Form]) -> dict[int, str]:
    marks = {form.number: "on" for form in front}
    marks[found.best().number] = "best"
    return marks


def _point(form: Form, x: float, y: float, mark: str) -> str:
    label = f'<text x="{x + 8:.1f}" y="{y - 7:.1f}">#{form.number}</text>' if mark else ""
    return (
        f'<a href="#form-{form.number}" data-form="form-{form.number}"><title>'
        f'{escape(str(form))}</title><circle class="{mark}" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'
        f"{label}</a>"
    )
