"""The high-precision reference."""

from __future__ import annotations

from collections.abc import Sequence

from kanrewrite.errors.base import KanrewriteError


class BeyondReference(KanrewriteError, OverflowError):
    """A finite number too large for the high-precision reference."""

    def __init__(self, function: str, bits: int):
        super().__init__(
            f"the reference does not evaluate {function} of a finite argument beyond 2**{bits}: "
            "the result could not be written down. Use smaller inputs."
        )


class NoMeaning(KanrewriteError, NotImplementedError):
    """An Op whose mathematics the reference has not been told."""

    def __init__(self, op: object, where: str):
        kind = type(op)
        super().__init__(
            f"the reference does not know what {op} means (an Op of {kind.__module__}."
            f"{kind.__qualname__}), needed for {where}. Register it with "
            f"@kanrewrite.reference.register({kind.__qualname__})."
        )


class NoValue(KanrewriteError, KeyError):
    """A graph input without a value."""

    def __init__(self, variable: object):
        self.text = (
            f"the graph needs a value for {variable}: give it in `inputs`, "
            "or give one for something computed from it."
        )
        super().__init__(self.text)

    def __str__(self) -> str:
        return self.text


class NotConverged(KanrewriteError, ArithmeticError):
    """At the largest number of digits, two precisions disagree or know no more than a 0.

    What the two say is given in the first case, nothing in the second.
    """

    def __init__(self, variable: object, index: object, digits: int, values: Sequence[str] = ()):
        found = (
            f"has no value that two precisions agree on: {values[0]}, then {values[1]} with "
            f"{digits} digits"
            if values
            else f"is zero as far as {digits} digits tell, and may be as large as a float"
        )
        super().__init__(
            f"{variable}{list(index) if isinstance(index, tuple) and index else ''} {found}. "
            "Its terms cancel too far; give a larger max_digits or other inputs."
        )
