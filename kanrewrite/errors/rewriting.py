"""Rewriting: why a match was refused, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence


def changes_type(old: object, new: object) -> str:
    """A replacement has another type than what it replaces."""
    return (
        f"it would replace a value of type {old} by one of type {new}: the dtype, the broadcast "
        "pattern and every known length must stay. Guard its parameters, e.g. with Float."
    )


def guard_fails(condition: object, values: str) -> str:
    """A guard refused a match."""
    return f"`{condition}` does not hold for {values}"


def too_many_answers(limit: int) -> str:
    """A node has more matches than are tried."""
    return f"none of its first {limit} matches at this node could be used; the others are not tried"


def wrong_number_of_results(expected: int, given: int) -> str:
    """A goal constructor answered with a list of another length than the node has outputs."""
    return f"its goal gives {given} results for a node of {expected} outputs."


def left_out(name: str, source: str, place: str, reason: str) -> str:
    """A relation failed while a function was compiled."""
    return (
        f"relation {name} ({source}) was left out at {place}: {reason} "
        "The function is compiled without it; correct the relation, or switch it off with "
        f"kanrewrite.disable({name!r})."
    )


def loops(names: Sequence[str], sources: Sequence[str], steps: int) -> str:
    """Relations rewrite their own results again and again."""
    places = ", ".join(f"{n} ({s})" for n, s in zip(names, sources, strict=True))
    if len(names) == 1:
        who, cure = f"relation {places} rewrites its own result again and again", "the result"
    else:
        who, cure = f"relations {places} rewrite each other's results", "one of the results"
    return (
        f"{who}: stopped after {steps} steps, what they did there was undone, and the function "
        f"is compiled without them. Guard them so that {cure} no longer matches, or declare "
        "@relation(direction=None) to use the equations as goals only."
    )
