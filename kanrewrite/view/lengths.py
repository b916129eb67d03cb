"""Lengths of forms: what the guard `counts` asks of what a view has read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from aesara.graph.basic import Apply, Variable
from aesara.tensor.elemwise import DimShuffle

from kanrewrite.guards.lengths import (
    NOTHING,
    Length,
    below,
    entries_of,
    factors_of,
    is_dimension,
    length_of,
    sliced,
)
from kanrewrite.terms import ELEMENTWISE, T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, pieces, remembered
from kanrewrite.view.moves import Index

Made = TypeVar("Made")


@length_of.register(Form)
def _(form: Form, axis: int) -> Length:
    return NOTHING.union(*(_length_of(part, axis) for part in spanning(form, (axis,))))


def have_lost(forms: Iterable[Form], variables: Iterable[Variable[Any, Any]]) -> bool:
    """Tell whether variables have lengths that none of the forms they were read as has.

    As ``exp(x) * exp(-x)`` has, of which the form is 1.
    """
    kept = {(f.ndim, d) for f in forms for d, one in enumerate(f.bcast) if not one}
    types = (v.type for v in variables)
    lengths = ((t.ndim, d) for t in types for d, one in enumerate(t.broadcastable) if not one)
    return not kept.issuperset(lengths)


def _length_of(form: Form, axis: int) -> Length:
    """What is known of a length of an operand."""
    variable, dimension = _dimension(form, axis)
    if dimension is not None:  # what stands for a shift is no variable
        return length_of(variable, dimension) if isinstance(variable, Variable) else NOTHING
    if isinstance(form, App) and form.op is T.subtensor and isinstance(form.args[1], Index):
        inner, index = form.args
        if index.left()[axis] is None:
            lists = (e for e in index.entries if getattr(e, "ndim", 0))
            return NOTHING.union(*(length_of(e, 0) for e in lists if e.type.shape != (1,)))
        taken = index.taken(axis)
        return NOTHING if taken is None else sliced(index.entries[taken], length_of(inner, taken))
    if isinstance(form, App) and form.op in _ALONG:
        return length_of(form.args[0], axis)
    if isinstance(form, App) and form.op is T.scatter:
        return length_of(form.args[2], axis)
    return NOTHING


@factors_of.register(Form)
def _(form: Form) -> Iterator[Length]:
    if isinstance(form, Leaf):
        yield from factors_of(form.var)
    elif isinstance(form, Prod) and form.factors and not form.expo.terms:
        if form.coeff != 1:
            yield from factors_of(float(form.coeff))
        for factor, k in form.factors:
            yield from factors_of(factor) if k == 1 else iter((NOTHING,))
    elif isinstance(form, App) and form.op is T.dimshuffle:
        yield from factors_of(form.args[0])
    elif isinstance(form, App) and form.op is T.subtensor and isinstance(form.args[1], Index):
        yield from _entry(form)
    else:
        yield from factors_of.dispatch(object)(form)


def _entry(form: App) -> Iterator[Length]:
    """The entry of a shape that an index takes."""
    shape, index = form.args
    if isinstance(shape, Leaf) and len(index.entries) == 1:
        yield from entries_of(shape.var, index.entries[0])
    else:
        yield NOTHING


def spanning(form: Form, axes: tuple[int, ...]) -> set[Form]:
    """The operands of elementwise operators in a form that have a length along each axis."""
    found: set[Form] = set()
    stack, seen = [form], set[Form]()
    while stack:
        top = stack.pop()
        if top in seen:
            continue
        seen.add(top)
        if isinstance(top, Lin | Sum | Prod):
            stack.extend(pieces(top))
        else:
            if top.bcast and not any(top.bcast[d] for d in axes):
                found.add(top)
            if isinstance(top, App) and (top.op in ELEMENTWISE or top.op is T.ones_like):
                stack.extend(top.forms)
    return found


#: Operators whose operands have all the lengths of what they are over.
_ALONG = {T.sum, T.others, T.mask, T.unpicked}


class SameLengths:
    """The lengths that elementwise operators ask to be equal, of what is not known to have one."""

    def __init__(self) -> None:
        self._waiting: list[Apply[Any]] = []
        self._above: dict[Any, Any] = {}
        self._linked: set[Any] = set()

    def ask(self, node: Apply[Any]) -> None:
        """Learn that a node computes elementwise."""
        self._waiting.append(node)

    def once(
        self, made: list[tuple[list[Length], Made]], lengths: list[Length], make: Callable[[], Made]
    ) -> Made:
        """What was made for the same lengths, or is made now."""
        for others, found in made:
            if all(self.of(m) & self.of(n) for m, n in zip(others, lengths, strict=True)):
                return found
        made.append((lengths, make()))
        return made[-1][1]

    def fills(self, form: Form, like: Leaf) -> bool:
        """Tell whether all of a form has the lengths of another one."""
        axes = range(like.ndim)
        known = [self.of(length_of(like, d)) for d in axes]
        parts = ((part, d) for part in operands(form) for d in axes)
        return all(part.bcast[d] or known[d] & self.of(length_of(part, d)) for part, d in parts)

    def same(self, form: Form, other: Form) -> bool:
        """Tell whether two forms have the same lengths for sure."""
        return form.bcast == other.bcast and self.spans(form, other)

    def spans(self, form: Form, whole: Form) -> bool:
        """Tell whether a form has the lengths of another one for sure, or 1."""
        axes = tuple(d for d, one in enumerate(form.bcast) if not one)
        if not spanning(form, axes).isdisjoint(spanning(whole, axes)):
            return True
        pairs = ((length_of(form, d), length_of(whole, d)) for d in axes)
        return all(self.of(mine) & self.of(theirs) for mine, theirs in pairs)

    def of(self, length: Length) -> Length:
        """What is known of a length, in the words of all that are equal."""
        while self._waiting:
            for output in self._waiting.pop().outputs:
                for d, one in enumerate(output.type.broadcastable):
                    if not one:
                        self._link((output, d))
        return frozenset(map(self._top, length))

    def _link(self, entry: Any) -> None:
        """Take a dimension for what it is as long as, and that for what that is, each once."""
        stack = [entry]
        while stack:
            entry = stack.pop()
            if entry in self._linked:
                continue
            self._linked.add(entry)
            variable, axis = entry
            for other in below(variable, axis):
                self._above[self._top(other)] = self._top(entry)
                if is_dimension(other):
                    stack.append(other)

    def _top(self, entry: Any) -> Any:
        if isinstance(entry, tuple) and not is_dimension(entry):
            part, numbers, whole = entry
            entry = part, numbers, self._top(whole)
        while (above := self._above.get(entry, entry)) != entry:
            self._above[entry] = self._above.get(above, above)
            entry = above
        return entry


def fills(
    form: Form, like: Leaf, lengths: Mapping[Form, Form], given: AbstractSet[Form] = frozenset()
) -> bool:
    """Tell whether all of a form has the lengths of what was scattered into zeros of a shape.

    The same index picks of tensors of many shapes.  What is ``given`` is known to have them.
    """
    shape, axes = lengths.get(like, like), range(like.ndim)
    known = [length_of(shape, d) | length_of(like, d) for d in axes]
    asked = operands(form) - operands(shape) - given
    return all(part.bcast[d] or known[d] & length_of(part, d) for part in asked for d in axes)


def operands(form: Form) -> set[Form]:
    """What has dimensions in a form, inside of all that has the same ones."""
    found: set[Form] = set()
    stack, seen = [form], set[Form]()
    while stack:
        top = stack.pop()
        if top in seen or not top.bcast:
            continue
        seen.add(top)
        if isinstance(top, Lin | Sum | Prod):
            stack.extend(pieces(top))
        elif isinstance(top, App) and (top.op in ELEMENTWISE or top.op in _ALONG):
            stack.extend(top.forms)
        else:
            found.add(top)
    return found


def _dimension(form: Form, axis: int) -> tuple[Any, int | None]:
    """The variable, and its dimension, that a dimension of a form is."""
    while isinstance(form, App):
        source = _moved_from(form, axis)
        if source is None:
            return None, None
        form, axis = form.args[0], source
    if not isinstance(form, Leaf):
        return None, None
    node = getattr(form.var, "owner", None)
    if node is not None and isinstance(node.op, DimShuffle):
        source = node.op.new_order[axis]
        return node.inputs[0], None if source == "x" else source
    return form.var, axis


def _moved_from(form: App, axis: int) -> int | None:
    """The dimension that one of what was moved has been, None where it was none, or cut."""
    if form.op is T.dimshuffle:
        source = form.args[1].order[axis]
        return None if source == "x" else source
    if form.op is T.subtensor and isinstance(form.args[1], Index):
        return form.args[1].source(axis)
    return None


@remembered
def is_thin(form: Form) -> bool:
    """Tell whether a form is computed from a slice of one element, as ``x[:, :1]``.

    Aesara does not know its length, and Python's operators repeat it along what it stands beside:
    alone it is not as long as that.
    """
    lengths = (x for d in range(form.ndim) for x in length_of(form, d))
    cuts = (x[1] for x in lengths if isinstance(x, tuple) and x[0] == "cut")
    return any(stop == (start or 0) + 1 or (start, stop) == (-1, None) for start, stop, _ in cuts)
