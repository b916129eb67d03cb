"""Sharing: a product that both sides of a dot product may need, ``(a * s) . b == a . (s * b)``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import TYPE_CHECKING

from kanrewrite.view.forms import Form

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

#: How many ways to share a product are tried.
SHARES = 8


def shared(
    gets: Form, gives: Form, along: Form, order: tuple[int | str, ...], a: Lifting
) -> tuple[Form, Form]:
    """What lies along the contracted axis goes to the other side, or stays in part.

    Of ``s**-2`` each side may need one ``1/s``.
    """
    best: tuple[int, tuple[Form, Form]] | None = None
    for moved in islice(_shares(along, a), SHARES):
        entering = a.shuffle(moved, order) if moved.bcast else moved
        both = a.mul(gets, entering), a.mul(gives, a.div(along, moved))
        large = sum(map(a.overflows, both))
        if best is None or large < best[0]:
            best = large, both
        if not large:
            break
    assert best is not None
    return best[1]


def _shares(form: Form, a: Lifting) -> Iterator[Form]:
    """All of a product first, then what is left of it when factors stay behind."""
    coeff, expo, factors = a.parts(form)
    for behind in product(*(range(int(abs(k)) + 1) for _, k in factors)):
        pairs = zip(factors, behind, strict=True)
        yield a.prod(coeff, expo, {f: k - (n if k > 0 else -n) for (f, k), n in pairs})
