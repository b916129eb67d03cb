"""How commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from kanrewrite.border import page_at

#: Of what is read by another program, or folds badly: no line is cut.
UNBOUNDED = 10_000


def console() -> Console:
    """Standard output; where it is no terminal, lines are as long as what they say."""
    there = Console()
    return there if there.is_terminal or "COLUMNS" in os.environ else wide()


def wide() -> Console:
    """Standard output with lines as long as what they say."""
    return Console(width=UNBOUNDED)


def check_page(page: Path | None, endings: Sequence[str] = (".svg", ".html")) -> None:
    """Say that a page cannot be written before the work for it is done.

    Raises
    ------
    NoSuchFolder, UnknownPictureFormat
        If there is no such folder, or pages do not end so.
    """
    if page is not None:
        page_at(page, endings)


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers that JSON has not, as nan, are texts."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """What JSON can hold of a value.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"x": np.array([1.5, np.inf])})
    {'x': [1.5, 'inf']}
    """
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else str(number)
