"""`Picture`: what `draw` returns; it shows itself wherever it is."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from kanrewrite.border import page_at
from kanrewrite.draw.html import frame, page, viewer
from kanrewrite.draw.layout import WIDEST, Placed, place
from kanrewrite.draw.model import Diagram
from kanrewrite.draw.svg import BESIDE, svg


@dataclass(frozen=True, repr=False)
class Picture:
    """Diagrams side by side, with the same content as text.

    Attributes
    ----------
    diagrams : tuple of Diagram
        What is drawn.
    text : tuple
        What a terminal shows, for rich.
    title : str
        Of the page that `save` writes.
    caption : str
        Written below.
    more : tuple of Picture
        Further ones that are stepped through, in pages and notebooks.
    """

    diagrams: tuple[Diagram, ...]
    text: tuple[RenderableType, ...] = ()
    title: str = "kanrewrite"
    caption: str = ""
    more: tuple[Picture, ...] = ()

    @cached_property
    def placed(self) -> Sequence[Placed]:
        """The diagrams with positions."""
        widest = WIDEST / min(len(self.diagrams), BESIDE)
        return [place(diagram, widest) for diagram in self.diagrams]

    @cached_property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return svg(self.placed, self.caption)

    @cached_property
    def html(self) -> str:
        """The picture as one page that needs nothing else."""
        return page(self.viewer("calc(100vh - 115px)"), self.title)

    def viewer(self, tall: str) -> str:
        """The HTML of this picture and those that follow it, for a page of `draw.html`.

        Parameters
        ----------
        tall : str
            How high, in CSS.
        """
        return viewer([(p.title, p.svg) for p in (self, *self.more)], tall)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file.

        Parameters
        ----------
        path : str or Path
            Its ending says how: ``.svg`` or ``.html``.

        Raises
        ------
        NoSuchFolder, UnknownPictureFormat
            Where there is no such folder, and for every other ending.
        """
        path = Path(path)
        contents = {".svg": lambda: self.svg, ".html": lambda: self.html}
        page_at(path, list(contents)).write_text(contents[path.suffix.lower()](), encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        highest = max(p.height for picture in (self, *self.more) for p in picture.placed)
        tall = max(180, min(620, int(highest) + 90))
        return frame(page(self.viewer(f"{tall}px"), self.title, "0"), tall + 110)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Of what is stepped through the text tells all steps, the caption one.
        caption = () if self.more or self.caption in self.text else (self.caption,)
        for part in (*self.text, *caption):
            # What stands in brackets is a place, and no markup.
            if part:
                yield Text(part) if isinstance(part, str) else part

    def __str__(self) -> str:
        # Wide, so that rich does not cut lines that the terminal may wrap.
        out = io.StringIO()
        Console(file=out, width=200, color_system=None, force_jupyter=False).print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())

    __repr__ = __str__

    def show(self) -> None:
        """Print the text, in colour where the terminal has it."""
        Console().print(self)
