"""Joining: what Split gives back of what Join has put together."""

from __future__ import annotations

from kanrewrite.guards.lengths import is_count
from kanrewrite.view.forms import App, Form
from kanrewrite.view.moves import Piece


def part(joined: App, piece: Piece) -> Form | None:
    """The operand of a Join that a piece of it is, None where the lengths may differ."""
    *parts, axis = joined.args
    lengths = piece.lengths()
    if axis != piece.axis or len(parts) != len(lengths):
        return None
    if not all(is_count(n, axis, p) for p, n in zip(parts, lengths, strict=True)):
        return None
    found: Form = parts[piece.number]
    return found


def age(form: Form) -> int:
    """When a form was first made: which of several is taken must not depend on their order."""
    return form.uid
