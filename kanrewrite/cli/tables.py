"""What the commands print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kanrewrite.cli.values import Comparison
from kanrewrite.display import cut, place
from kanrewrite.reference import round_to, ulps
from kanrewrite.relation import Relation, Rule
from kanrewrite.trace import Recorder

#: How many elements of an output are shown.
SHOWN = 6
#: Of a long list in a terminal: equations of a relation, and characters of an equation.
EQUATIONS, EQUATION = 4, 150
#: A result this near the truth, in units in the last place, counts as right: about 1e-10, 1e-4.
NEAR = {"float64": 2.0**19, "float32": 2.0**10, "float16": 4.0}
_ARROWS = {"forward": "→", "backward": "←", "both": "↔", None: "="}


def relation_list(
    relations: Iterable[Relation],
    enabled: Sequence[Relation],
    rules: Callable[[Relation], Iterable[Rule]] = lambda _: (),
    whole: bool = True,
) -> Iterator[RenderableType]:
    """Every relation: a line with name, family, place and whether it is enabled, then equations.

    Parameters
    ----------
    relations : iterable of Relation
        What is shown.
    enabled : sequence of Relation
        Those that are.
    rules : callable
        The rules of a relation that are shown with its equations.
    whole : bool
        Whether every equation is shown to its end.
    """
    for relation in relations:
        on = ("on", "green") if relation in enabled else ("off", "dim")
        named = Text.assemble((relation.name, "bold"), f"  {relation.family}  ")
        yield named.append(place(relation.source)).append("  ").append(*on)
        lines = list(_equations(relation))
        hidden = 0 if whole else max(0, len(lines) - EQUATIONS)
        for line in lines[: len(lines) - hidden]:
            yield _indented(line if whole else cut(line, EQUATION))
        if hidden:
            yield _indented(f"… {hidden} more: kanrewrite list {relation.name}")
        yield from (_indented(f"rule: {rule}") for rule in rules(relation))


def _indented(line: str) -> Padding:
    return Padding(Text(line), (0, 0, 0, 4), expand=False)


def _equations(relation: Relation) -> Iterator[str]:
    if not relation.equations:
        yield relation.text
        return
    arrow = _ARROWS[relation.direction]
    for line in relation.text.splitlines():
        yield line.replace(" == ", f" {arrow} ", 1)


def fired_table(steps: Recorder) -> Table | str:
    """Which relations fired where, in order."""
    if not steps.fired_events:
        return "No relation fired."
    table = Table("", "relation", "where", "line")
    for n, event in enumerate(steps.fired_events, 1):
        table.add_row(str(n), event.name, Text(event.where), place(event.source) or "")
    return table


def comparison_table(comparison: Comparison, names: Sequence[str]) -> Table:
    """The outputs of stock Aesara and of kanrewrite beside the truth."""
    table = Table("output", "stock Aesara", "kanrewrite", "truth", title=comparison.title)
    known = not isinstance(comparison.truth, str)
    for n, name in enumerate(names):
        truth: Any = comparison.truth[n] if known else None
        stock, ours = comparison.stock[n], comparison.ours[n]
        shown = _worst([stock, ours], truth)
        exact = numbers(rounded(truth, ours), shown)
        table.add_row(name, judged(stock, truth, shown), judged(ours, truth, shown), exact)
    if not known:
        table.caption = str(comparison.truth)
    return table


def judged(values: Any, truth: Any, shown: Sequence[int] | None = None) -> Text:
    """Values, green where they are as good as the truth."""
    if truth is None:
        return Text(numbers(values))
    found = errors_of(values, truth)
    error = float(np.max(found, initial=0.0))
    right = error <= NEAR.get(str(values.dtype), 0.0)
    text = Text(numbers(values, shown), style="green" if right else "bold red")
    return text.append(f"\n{_error_text(error)}{_how_many(found)}", style="dim")


def _worst(results: Iterable[Any], truth: Any) -> list[int] | None:
    """The elements of a large output that are shown: those that are most wrong, in their order."""
    if truth is None or np.size(truth) <= SHOWN:
        return None
    found = np.max([errors_of(values, truth).reshape(-1) for values in results], axis=0)
    return sorted(np.argsort(-found, kind="stable")[:SHOWN].tolist())


def errors_of(values: Any, truth: Any) -> Any:
    """The errors of the elements in units in the last place, infinite for a false nan."""
    if values.dtype.kind != "f":
        return np.where(values == np.asarray(truth), 0.0, np.inf)
    return ulps(values, truth, values.dtype)


def worst_error(values: Any, truth: Any) -> float:
    """The largest error of the elements."""
    return float(np.max(errors_of(values, truth), initial=0.0))


def _how_many(found: Any) -> str:
    wrong = int(np.isinf(found).sum())
    return f" at {wrong} of {found.size}" if wrong and found.size > 1 else ""


def rounded(truth: Any, like: Any) -> Any:
    """Exact numbers as those of a dtype, "not known" where there are none."""
    if truth is None:
        return "not known"
    return round_to(truth, like.dtype) if like.dtype.kind == "f" else truth


def _error_text(error: float) -> str:
    if error == 0:
        return "exact"
    return "wrong" if np.isinf(error) else f"{error:.3g} ulp"


def numbers(values: Any, shown: Sequence[int] | None = None) -> str:
    """A few elements as text: the first ones, or those at some places."""
    if isinstance(values, str):
        return values
    flat = np.asarray(values).reshape(-1)
    few = flat[:SHOWN] if shown is None else flat[list(shown)]
    text = " ".join(f"{value:.4g}" for value in few.tolist())
    return text if flat.size <= SHOWN else f"{text} … ({flat.size})"
