"""Rewriting: why a match was refused, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanrewrite.errors.base import KanrewriteError


def changes_type(old: object, new: object) -> str:
    """A replacement has another type than what it replaces."""
    return (
        f"it would replace a value of type {old} by one of type {new}: the dtype, the broadcast "
        "pattern and every known length must stay. Guard its parameters, e.g. with Float."
    )


def guard_fails(condition: object, values: str) -> str:
    """A guard refused a match."""
    return f"`{condition}` does not hold" + f" for {values}" * bool(values)


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


def out_of_time(seconds: float) -> str:
    """Something took too long at one place."""
    return f"it took longer than {seconds:g} s (kanrewrite.config.relation_seconds)."


def pass_out_of_time(seconds: float, count: int) -> str:
    """The pass took too long over a graph."""
    return (
        f"kanrewrite stopped after {seconds:g} s (kanrewrite.config.pass_seconds) and {count} "
        "replacements: what it had not come to is compiled as stock Aesara would. Allow more "
        "time, or exclude 'kanrewrite' from the mode."
    )


def loops(names: Sequence[str], sources: Sequence[str], steps: int) -> str:
    """Relations rewrite their own results again and again."""
    places = ", ".join(f"{n} ({s})" for n, s in zip(names, sources, strict=True))
    if len(names) == 1:
        who = f"relation {places} rewrites its own result again and again"
        cure = "Declare @relation(where='digits'), which is not looked for in its own result"
    else:
        who = f"relations {places} rewrite each other's results"
        cure = "Guard them so that one of the results no longer matches"
    return (
        f"{who}: stopped after {steps} steps, what they did there was undone, and the function "
        f"is compiled without them. {cure}, or @relation(direction=None) to use the equations as "
        "goals only."
    )


class FalseStep(KanrewriteError, AssertionError):
    """A replacement after which a graph is worth something else.

    It is an ``AssertionError`` because Aesara goes on after other errors of a rewrite.
    """

    def __init__(
        self,
        names: Sequence[str],
        equations: Sequence[str],
        before: str,
        after: str,
        inputs: Mapping[str, object],
        old: object,
        new: object,
    ):
        stated = "".join(f"\n    {equation}" for equation in equations)
        given = "".join(f"\n    {name} = {value!r}" for name, value in inputs.items())
        super().__init__(
            f"a false replacement, made by {', '.join(names)}:{stated}\n  {before}\n  became\n"
            f"  {after}\n  which is {new!r}\n  and was  {old!r}\n  at{given}\n"
            "Disable what made it (kanrewrite.disable), and report the inputs and the graph; the "
            "check is switched off with kanrewrite.config.check_steps = False."
        )
        self.names = tuple(names)
