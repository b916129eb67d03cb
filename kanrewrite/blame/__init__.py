"""`blame`: which rewrite of a compilation changed the number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kanrewrite import registry
from kanrewrite.audit.inputs import Array, Graph
from kanrewrite.audit.result import Witness
from kanrewrite.blame.comparing import computed, differ, exact, is_wrong
from kanrewrite.blame.recording import (
    Recording,
    Replacement,
    copies,
    source_of_rewrite,
)
from kanrewrite.blame.result import Blame, Kind
from kanrewrite.blame.shrinking import shrunk
from kanrewrite.border import AnyMode, AnyVariable, Values, checked
from kanrewrite.errors import NotOneValueEach, UnusableValue
from kanrewrite.relation import Relation
from kanrewrite.structure import outputs_of

__all__ = ["Blame", "blame"]

#: How long smaller inputs are looked for.
SECONDS = 10.0


@checked
def blame(
    inputs: Sequence[AnyVariable],
    outputs: Any,
    values: Values,
    mode: AnyMode = None,
) -> Blame:
    """Which rewrite changed a number: the library's or Aesara's own, by bisection.

    Parameters
    ----------
    inputs : sequence of Variable
        As for ``aesara.function``.
    outputs : Variable, or whatever holds a graph
        What is computed.
    values : sequence of array_like, or Mapping
        The values of the inputs, in their order, or by variable or name.
    mode : Mode or str, optional
        Of the compilation; its fused and inplace operators are left out, which change no number.

    Returns
    -------
    Blame
        The first replacement after which the outputs are something else in exact arithmetic: it is
        `false`.  If there is none, the one after which they are no longer right in floats
        (`inexact`), or became so (`improving`).  False if no replacement changed the number.

    Raises
    ------
    NotAGraph, NotOneValueEach, UnusableValue
        For what is no graph, if values are missing, and for one that is not of its input's type.

    Notes
    -----
    The replacements of the compilation are recorded and taken back; about log2(n) of the graphs in
    between are evaluated.  It is assumed that what was changed stays changed.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> from kanrewrite import Eq, T, disabled, eq, register, relation, unregister
    >>> @relation
    ... def sine_is_odd(x):
    ...     yield eq(T.sin(-x), T.sin(x))
    >>> x = at.dvector("x")
    >>> with disabled():
    ...     register(sine_is_odd)
    ...     found = blame([x], at.exp(at.sin(-x)), [[0.3, 0.5]])
    ...     unregister(sine_is_odd)
    >>> found.kind, found.name, found.values[x]
    ('false', 'sine_is_odd', array([1.]))
    """
    variables, graphs = list(inputs), outputs_of(outputs)
    witness = _witness(variables, values)
    recording = Recording(variables, graphs, mode)
    kind, changed = _question(recording, graphs, witness)
    if not kind or changed is None:
        return Blame("", note=_note(recording), steps=len(recording))
    low, high = 0, len(recording)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(middle) else (middle, high)
    return _answer(recording, high, kind, witness)


def _witness(inputs: Sequence[Graph], values: Any) -> Witness:
    if isinstance(values, Mapping):
        named = {v.name: v for v in inputs if v.name}
        values = {named.get(k, k) if isinstance(k, str) else k: a for k, a in values.items()}
        if set(values) != set(inputs):
            raise NotOneValueEach([str(v) for v in inputs], [str(v) for v in values])
        values = [values[v] for v in inputs]
    if not isinstance(values, Iterable):
        raise NotOneValueEach([str(v) for v in inputs], [repr(values)])
    values = list(values)
    if len(values) != len(inputs):
        raise NotOneValueEach([str(v) for v in inputs], [f"{len(values)} values"])
    pairs = zip(inputs, values, strict=True)
    return Witness({v: _value(v, a) for v, a in pairs})


def _value(variable: Graph, given: Any) -> Array:
    """A value in the type of its input."""
    try:
        return np.asarray(variable.type.filter(given, allow_downcast=True))
    except (TypeError, ValueError) as error:
        is_array = isinstance(given, np.ndarray)
        text = f"{given.dtype} of shape {given.shape}" if is_array else repr(given)[:80]
        raise UnusableValue(str(variable), str(variable.type), text, str(error)) from error


def _question(
    recording: Recording, graphs: Sequence[Graph], witness: Witness
) -> tuple[Kind, Callable[[int], bool] | None]:
    """What is asked of the graphs in between: which of them are like the last."""
    last = len(recording)
    first = exact(recording.after(0), witness)
    if differ(first, exact(recording.after(last), witness)):
        return "false", lambda n: differ(first, exact(recording.after(n), witness))

    def wrong(n: int) -> bool:
        return is_wrong(computed(recording.after(n), witness), graphs, witness)

    was, now = wrong(0), wrong(last)
    if was == now:
        return "", None
    return ("inexact", wrong) if now else ("improving", lambda n: not wrong(n))


def _note(recording: Recording) -> str:
    return f"none of {len(recording)} replacements changed the outputs at these inputs"


def _answer(recording: Recording, step: int, kind: Kind, witness: Witness) -> Blame:
    replacement = recording.replacements[step - 1]
    change = replacement.changes[0]
    first = copies([*recording.after(step - 1), change.old])
    second = copies([*recording.after(step), change.new])
    before, after = first[:-1], second[:-1]

    def shows(values: Witness) -> bool:
        if kind == "false":
            return differ(exact(before, values), exact(after, values))
        was, now = (is_wrong(computed(g, values), before, values) for g in (before, after))
        return was != now and now == (kind == "inexact")

    small = shrunk(witness, shows, SECONDS)
    name, relation = _relation(replacement, first[-1], small)
    found = exact if kind == "false" else computed
    return Blame(
        kind,
        name,
        relation,
        relation.source if relation is not None else source_of_rewrite(replacement.reason),
        step,
        len(recording),
        first[-1],
        second[-1],
        small,
        found(before, small) or (),
        found(after, small) or (),
    )


def _relation(
    replacement: Replacement, before: Graph, values: Mapping[Graph, Array]
) -> tuple[str, Relation | None]:
    """The relation that made a replacement, None if it is Aesara's.

    What the library rebuilds in one piece is made by several relations at once: the one is meant
    without which the piece keeps its value.
    """
    known = registry.registered()
    names = list(dict.fromkeys(event.name for event in reversed(replacement.events)))
    if len(names) == 1 and names[0] in known:
        return names[0], known[names[0]]
    if not names and "kanrewrite" not in replacement.name and replacement.name not in known:
        return replacement.name, None
    enabled = [r for r in registry.enabled() if not r.states_derivatives]
    first = [known[n] for n in names if n in known]
    own = [r for r in enabled if not r.function.__module__.startswith("kanrewrite.relations.")]
    truth = exact([before], values)
    for relation in dict.fromkeys([*first, *own, *enabled]):
        with registry.disabled(relation.name):
            kept = registry.enabled() and not differ(
                truth, exact(registry.stabilize([before]), values)
            )
        if kept:
            return relation.name, relation
    return replacement.name, first[0] if first else known.get(replacement.name)
