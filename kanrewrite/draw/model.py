"""What a picture is made of before it has positions: boxes, lines between them, a title."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["op", "input", "graph"]
Status = Literal[
    "",
    "same",
    "rebuilt",
    "gone",
    "new",
    "best",
    "output",
    "start",
    "place",
    "match",
    "differs",
    "proved",
    "lossy",
    "risk",
]

#: Of one character of the monospace font, in pixels at 12 px.
CHARACTER = 7.3
LINE = 16.0


@dataclass(slots=True)
class Box:
    """One box: lines of text, what it is and how it differs.

    Attributes
    ----------
    lines : list of str
        What is written in it.
    kind : {"op", "input", "graph"}
        Its shape.
    status : str
        How it is coloured: what a difference or a search says of it.
    detail : str
        What is shown when it is pointed at.
    number : int or None
        The number under which far boxes refer to it.
    refers : list of int
        Keys of the boxes that its text refers to by number instead of by a line.
    room : float
        How wide it has to be for the lines that end at it.
    """

    lines: list[str]
    kind: Kind = "op"
    status: Status = ""
    detail: str = ""
    number: int | None = None
    refers: list[int] = field(default_factory=list)
    room: float = 0.0

    @property
    def width(self) -> float:
        """Its width in pixels."""
        return max(*(len(line) * CHARACTER + 18 for line in self.lines), self.room)

    @property
    def height(self) -> float:
        """Its height in pixels."""
        return len(self.lines) * LINE + 10


@dataclass(frozen=True, slots=True)
class Line:
    """A line from one box to another, by their keys, with what is written at it."""

    source: int
    target: int
    label: str = ""


@dataclass(slots=True)
class Diagram:
    """Boxes by key and the lines between them."""

    boxes: dict[int, Box] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    title: str = ""
