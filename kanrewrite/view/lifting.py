"""Lifting: how forms pass reductions, moves and dot products.

Factors that are constant along a reduced axis leave the reduction; moves go inwards to the
variables; so two ways of writing one tensor meet in one form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeGuard

from aesara.graph.basic import Constant
from aesara.tensor.type import TensorType

from kanrewrite.guards.bounding import BoundsOf
from kanrewrite.guards.lengths import NOTHING, Length, length_of
from kanrewrite.laws import Laws
from kanrewrite.relation import Relation
from kanrewrite.terms import ELEMENTWISE, Operator, T
from kanrewrite.view.algebra import LONGEST, Algebra
from kanrewrite.view.averages import without_put
from kanrewrite.view.choosing import chosen_together
from kanrewrite.view.chosen import under
from kanrewrite.view.complements import beside_one, without_average, without_mean, without_root
from kanrewrite.view.contraction import sides
from kanrewrite.view.distributing import distributed, over_divisor
from kanrewrite.view.following import becomes, lifted
from kanrewrite.view.forms import (
    ONE,
    App,
    Axes,
    Bcast,
    Form,
    Leaf,
    Lin,
    Prod,
    Sum,
    Terms,
    Totals,
    is_elementwise,
    join_bcast,
    made_once,
    pieces,
)
from kanrewrite.view.heat import hot, summed
from kanrewrite.view.indices import put_into_transposed, taken_of_transposed
from kanrewrite.view.joining import part
from kanrewrite.view.left_out import left_in
from kanrewrite.view.lengths import SameLengths, fills, operands
from kanrewrite.view.levels import overflows
from kanrewrite.view.moves import Index, Move, Piece, Shuffle
from kanrewrite.view.nodes import constant_of
from kanrewrite.view.others import together, without_one, without_several, without_squares
from kanrewrite.view.own_terms import within_sums, without_own
from kanrewrite.view.picking import without_picks
from kanrewrite.view.sharing import shared
from kanrewrite.view.takes import Takes, over_takes, scatters
from kanrewrite.view.totals import without_common
from kanrewrite.view.zeros import is_finite

#: How many times terms of one sum meet what they leave of each other.
LIMIT = 8

#: What is moved by moving what it reduces, and what computes something along dimensions it keeps.
REDUCING = {T.sum, T.max, T.prod, T.shift}
ALONG = {T.others, T.softmax, T.log_softmax}

#: What makes the operators that are lifted.
CONSTRUCTORS = {
    T.sum: "sum", T.max: "max", T.prod: "prod_along", T.cumsum: "cumsum", T.log: "log",
    T.abs: "abs",
}  # fmt: skip


@lru_cache(maxsize=1024)
def _bcast_of(op: Any, bcast: Bcast, dtype: str, parameters: tuple[Any, ...]) -> Bcast:
    """The broadcast pattern of what an own Op computes."""
    operand: Any = TensorType(dtype, shape=tuple(1 if one else None for one in bcast))()
    return tuple(op(operand, *parameters).type.broadcastable)


class Lifting(Algebra):
    """An algebra whose constructors follow the lifts that relations state."""

    def __init__(self, dtype: str = "float64", laws: Laws | None = None) -> None:
        super().__init__(dtype)
        #: What relations say of each operator.
        self.laws = laws or Laws()
        self.passed = self.laws.own
        #: The relations that were followed, in order, since somebody last asked.
        self.ran: dict[Relation, None] = {}
        #: The relations by which variables were built, which are taken wherever they are needed.
        self.built_by: dict[Any, Relation] = {}
        #: Where each moved form came from: what lets a scatter give factors back.
        self.moved_from: dict[tuple[Move, Form], Form] = {}
        #: Whether a graph may count up to a length: not in JAX, which has to know it.
        self.counts = True
        #: The constants that are not numbers, by what is in them.
        self.constants: dict[tuple[Bcast, str, tuple[int, ...], bytes], Leaf] = {}
        #: Of two indices, the one that takes what one takes of what the other has taken.
        self.indices: dict[tuple[Move, Move], list[tuple[list[Length], Index | None]]] = {}
        #: Of what an index puts somewhere, which rows it takes elements of.
        self.takes: dict[tuple[Move, Axes], list[tuple[list[Length], Takes | None]]] = {}
        self.rows: dict[tuple[Move, Axes], list[tuple[list[Length], Any]]] = {}
        #: What a scatter is like that is longer along some axes.
        self.longer: dict[tuple[Move, Leaf, Axes], list[tuple[list[Length], Leaf]]] = {}
        #: And one that is transposed, and what it is transposed from.
        self.turned: dict[tuple[Leaf, Move], Leaf] = {}
        #: What each form is after each move: forms share their parts.
        self.moved: dict[tuple[Move, Form], Form] = {}
        #: The moves that give a form, of those for which there is a witness.
        self.given_by: dict[Form, dict[Move, None]] = {}
        #: The axes along which moves of so many dimensions pick.
        self.picked_along: dict[int, dict[Axes, None]] = {}
        #: What exponentials were picked from: two ways to compute one differ by rounding.
        self.taken_from: dict[Form, tuple[Move, Form]] = {}
        #: For a move of something whole, a form of the whole shape.
        self.witness: dict[Move, Form] = {}
        #: A cast number as a variable without dimensions.
        self.numbers: dict[tuple[Any, Any], Any] = {}
        #: For what is scattered into zeros, a form of their lengths.
        self.lengths: dict[Form, Form] = {}
        self.same_lengths = SameLengths()
        #: Ones of each broadcast pattern, with what is known of their lengths.
        self.long: dict[Bcast, list[tuple[list[Length], Form]]] = {}
        #: For a move, forms that a mask has hidden what it takes of.
        self.picked: dict[Move, dict[Form, None]] = {}
        #: Sums in which terms have met what they leave of each other.
        self.regained: set[Form] = set()
        #: The conditions of choices, which hide what is not a number too.
        self.conditions: set[Form] = set()
        #: The first condition of each operator and operands.
        self.conditions_made: dict[tuple[Any, ...], Any] = {}
        #: Scatters that factors have left: these were among the zeros never.
        self.left_by: set[Form] = set()
        #: What `kanrewrite.view.levels` has found out.
        self.levels: dict[Form, Lin | None] = {}
        self.overflowing: dict[Form, bool] = {}
        self.bounds: dict[tuple[Lin, frozenset[Form], int], tuple[int, int]] = {}
        #: Whether a maximum is never above 0, whatever it is added to.
        self.lemmas: dict[tuple[Form, int], bool] = {}
        #: Forms that are added without the shares in them, and how much these change at most.
        self.beyond: dict[Form, tuple[Terms, float]] = {}
        #: What `kanrewrite.view.matching` has found parameters to stand for.
        self.given_parameters: dict[tuple[Any, ...], tuple[Form, Form]] = {}
        self.given_up: set[tuple[Lin, frozenset[Form], int]] = set()
        self.effort = 0
        #: What is known of leaves, which are computed in the graph.
        self.bounds_of = BoundsOf()
        #: The exponents that are summed along some axes.
        self.exponents_along: dict[Axes, dict[Lin, None]] = {}
        #: The sums of which own terms are being taken, see `kanrewrite.view.own_terms`.
        self.taken_apart: set[frozenset[tuple[Form, Fraction]]] = set()
        #: What `kanrewrite.view.centring` has found out.
        self.atoms: dict[Form, tuple[frozenset[Form], frozenset[Form], bool]] = {}

    def add_terms(self, terms: Terms) -> Form:
        """A linear combination; ``sum(e) - e`` is the sum of the others."""
        return self._collected(*((m, c) for m, c in terms.items() if c))

    @made_once
    def _collected(self, *items: tuple[Form, Fraction]) -> Form:
        terms = dict(items)
        left = None
        for _ in range(LIMIT):
            new = self._left(terms if left is None else left)
            if new is None:
                break
            left = new
        found = super().add_terms(terms if left is None else left)
        own = {f for f, _ in self.parts(found)[2]}
        if left is not None or not (self.regained & own).issubset(self._shared(terms)):
            self.regained.add(found)
        return found

    def _left(self, terms: Terms) -> Terms | None:
        """What is left of terms where some have met what they leave of each other."""
        left = self._met_by_others(terms) or over_divisor(terms, self, self._met_by_others)
        left = left or chosen_together(terms, self) or without_several(terms, self)
        left = left or within_sums(terms, self) or without_own(terms, self)
        left = left or distributed(terms, self) or without_mean(terms, self)
        left = left or without_average(terms, self) or without_squares(terms, self)
        left = left or without_root(terms, self)
        return left or without_common(terms, self)

    def _met_by_others(self, terms: Terms) -> Terms | None:
        """What is left of terms where sums have met their own terms."""
        left = together(terms, self) or without_put(terms, self)
        return left or without_picks(terms, self) or without_one(terms, self)

    def _shared(self, terms: Terms) -> set[Form]:
        """The factors of all terms, which a sum only takes out."""
        factors = ({f for f, _ in self.parts(m)[2]} for m in terms)
        return set.intersection(*factors) if terms else set()

    def denominators(self, terms: Terms) -> Terms:
        """The same, but of terms that divide by what others leave.

        Own terms cancel between ``1/others(e)`` and ``1/sum(e)``, and are lost to what is
        multiplied out.
        """
        left = any(any(left_in(m, self)) for m in terms)
        return {} if left else super().denominators(terms)

    def _over_common_denominator(self, terms: Terms, longest: int = LONGEST) -> Form | None:
        """Fractions added up, where relations say how."""
        relation = self.laws.fractions
        found = None if relation is None else super()._over_common_denominator(terms, longest)
        if found is not None and relation is not None:
            self.ran[relation] = None
        return found

    def entered(self, choice: App, entering: Form) -> Form | None:
        """A choice into whose branches a factor has gone."""
        found = lifted(self.laws.row(T.mul).lifts, choice, (entering,), self)
        if found is None:
            return None
        (met,) = found[1]
        same = isinstance(met, App) and met.op is T.switch and met.args[1] is met.args[2]
        branch: Form = met.args[1] if same else met
        return branch

    def power(self, base: Form, exponent: Form) -> Form:
        """A power; with an exponent that is no number, as is stated of powers."""
        _, expo, factors = self.parts(exponent)
        found = lifted(self.laws.row(T.pow).lifts, base, (exponent,), self)
        if found is not None and (expo.terms or factors):
            _, outside, inside = found
            return self.mul(*outside, self.power(inside or self.one, exponent))
        signs = isinstance(base, App) and base.op is T.sgn
        known = signs or hot(base) or not self.laws.powers
        if known or not (expo.terms or factors):
            return super().power(base, exponent)
        whole = becomes((T.pow, None, None), (base, exponent), self)
        return super().power(base, exponent) if whole is None else whole

    # -- reductions; all keep their dimensions ----------------------------------------------

    def constant(self, form: Form, axes: Axes) -> bool:
        """Tell whether a form is the same everywhere along some axes."""
        return form.constant_along(axes)

    def split_along(self, form: Form, axes: Axes) -> tuple[Form, Form]:
        """A product as (what is constant along the axes, what is not)."""
        coeff, expo, factors = self.parts(form)
        still = {m: c for m, c in expo.terms if self.constant(m, axes) and not summed(m, factors)}
        outer = {f: k for f, k in factors if self.constant(f, axes)}
        inner_expo = self.lin({m: c for m, c in expo.terms if m not in still})
        inner = self.prod(ONE, inner_expo, {f: k for f, k in factors if f not in outer})
        return self.prod(coeff, self.lin(still), outer), inner

    def followed(self, op: Operator, form: Form, *parameters: Any) -> Form | None:
        """An operator over a form as the lifts of the operator say, None where they say nothing."""
        found = lifted(self.laws.row(op).lifts, form, parameters, self)
        if found is None:
            return None
        around, outside, inside = found
        if inside is None:
            whole: Form = outside[0]
            return whole
        made: Form = getattr(self, CONSTRUCTORS[op])(inside, *parameters)
        return self.add(*outside, made) if around is T.add else self.mul(*outside, made)

    def own(self, op: Operator, form: Form, like: Form, parameters: Sequence[Any]) -> Form:
        """An own Op over a form, as its lifts say; it needs all the lengths that its input has."""
        coeff, expo, factors = self.parts(form)
        exponents = self.add(
            *(self.mul(self.const(c), self.spread(m, like)) for m, c in expo.terms)
        )
        rest = self.prod(coeff, self.no_exponent, dict(factors))
        whole = self.spread(self.mul(self.exp(exponents), rest), like)
        found = lifted(self.laws.row(op).lifts, whole, tuple(parameters), self)
        if found is None:
            return self.applied(op, whole, *parameters)
        around, outside, inside = found
        if inside is not None:
            outside = [*outside, self.applied(op, self.spread(inside, like), *parameters)]
        return self.add(*outside) if around is T.add else self.mul(*outside)

    def applied(self, op: Operator, form: Form, *parameters: Any) -> Form:
        """An own Op over a form as it stands; what rearranges does so to each exponent."""
        if isinstance(form, Lin) and op in self.laws.rearranging:
            terms = ((self.applied(op, m, *parameters), c) for m, c in form.terms)
            return self.add(*(self.mul(self.const(c), m) for m, c in terms))
        bcast = _bcast_of(op.op, form.bcast, self.dtype, parameters)
        return self.app(op, form, *parameters, bcast=bcast)

    def sum(self, form: Form, axes: Axes) -> Form:
        """A sum over axes."""
        found = self.followed(T.sum, form, axes)
        if found is not None or form is self.one:
            return form if found is None else found
        return self._summed(form, axes)

    def sums_as_one(self, one: Form, other: Form, axes: Axes) -> Form | None:
        """Two sums along the same axes as relations say that they are one."""
        both = (T.sum, one, axes), (T.sum, other, axes)
        return becomes((T.add, T.sum, T.sum), both, self)

    def _summed(self, inner: Form, axes: Axes) -> Form:
        if isinstance(inner, App) and inner.op is T.sum:
            return self.sum(inner.args[0], tuple(sorted({*inner.args[1], *axes})))
        if isinstance(inner, App) and inner.op is T.join and inner.args[-1] in axes:
            parts, others = inner.args[:-1], [d for d in axes if d != inner.args[-1]]
            if all(p.bcast[d] == inner.bcast[d] for p in parts for d in others):
                return self.add(*(self.sum(p, axes) for p in parts))
        return self._taken_back(inner, axes) or self._reduced(T.sum, inner, axes)

    def _taken_back(self, form: Form, axes: Axes) -> Form | None:
        """``sum(a * scatter(b, index), axes) == sum(a[index] * b, axes)``, in their places.

        Of a sum of scatters each is taken back.
        """
        for f, k in self.parts(form)[2]:
            if k != 1 or not isinstance(f, Sum | App):
                continue
            outer = self.div(form, f)
            found = [(self._back(self.mul(outer, m), axes), c) for m, c in self.terms_of(f).items()]
            terms = [self.mul(self.const(c), m) for m, c in found if m is not None]
            if len(terms) == len(found):
                return self.add(*terms)
        return None

    def _back(self, form: Form, axes: Axes) -> Form | None:
        """A product with a scatter, where it was scattered from, the places along axes aside."""
        for f in scatters(form, self):
            values, move, like = f.args
            order, outer = move.back(axes) or self._picked(move, like, axes), self.div(form, f)
            if order is not None and move.fits(outer.bcast):
                taken = under(values, self.move(outer, move), self)
                return self.sum(
                    self.shuffle(self.spread(taken, self.move(like, move)), order), axes
                )
            if order is None and (found := over_takes(f, outer, axes, self)) is not None:
                return found
        return None

    def _picked(self, move: Move, like: Leaf, axes: Axes) -> tuple[int | str, ...] | None:
        """The same of an index that takes one element along axes at all places along the others."""
        if not self.takes_all(move, like, axes):
            return None
        left = iter(range(len(move.whole)))
        return tuple("x" if d in axes else next(left) for d in range(len(move.whole)))

    def takes_all(self, move: Move, like: Form, axes: Axes) -> bool:
        """Tell whether a move picks one element along axes at all places along the others."""
        if not isinstance(move, Index) or axes not in move.picks():
            return False
        others = [(e, d) for d, e in enumerate(move.entries) if d not in axes]
        counted = [(e, d) for e, d in others if not isinstance(e, slice)]
        lengths = self.same_lengths
        return all(lengths.of(length_of(e, 0)) & lengths.of(length_of(like, d)) for e, d in counted)

    def prod_along(self, form: Form, axes: Axes, lengths: Mapping[int, Form] | None = None) -> Form:
        """``prod(c * b) == c**n * prod(b)`` for a c that is constant along axes of length n.

        The lengths of the axes are needed where a part of the form is constant along some.
        """
        coeff, expo, factors = self.parts(form)
        raised = [(self.exp(self.lin({m: c})), m) for m, c in expo.terms]
        raised += [(self.pow(f, k), f) for f, k in factors]
        if coeff != 1:
            raised.append((self.const(coeff), self.one))
        alike: dict[Axes, list[Form]] = {}
        for piece, f in raised:
            missing = tuple(d for d in axes if f.constant_along((d,)) and not form.bcast[d])
            alike.setdefault(() if summed(f, factors) else missing, []).append(piece)
        if not lengths and any(alike):
            return self._reduced(T.prod, form, axes)
        found = []
        for missing, group in alike.items():
            number = self.mul(*(lengths[d] for d in missing)) if lengths else self.one
            found.append(self.power(self._multiplied(self.mul(*group), axes), number))
        return self.mul(*found)

    def _multiplied(self, form: Form, axes: Axes) -> Form:
        coeff, expo, factors = self.parts(form)
        stays = self.lin({m: c for m, c in expo.terms if summed(m, factors)})
        leaves = self.plus(expo, stays, -ONE)
        lifts = self.followed(T.prod, self.exp(leaves), axes) if leaves.terms else self.one
        if lifts is None:
            return self._reduced(T.prod, form, axes)
        rest = self.prod(coeff, stays, dict(factors))
        product = rest if self.constant(rest, axes) else self._reduced(T.prod, rest, axes)
        return self.mul(lifts, product)

    def cumsum(self, form: Form, axis: int) -> Form:
        """A running sum along an axis."""
        found = None if form.bcast[axis] else self.followed(T.cumsum, form, axis)
        return found or self.app(T.cumsum, form, axis, bcast=form.bcast)

    def max(self, form: Form, axes: Axes) -> Form:
        """The largest element along axes."""
        found = self.followed(T.max, form, axes)
        if found is not None or self.constant(form, axes):
            return form if found is None else found
        if hot(form) and self.parts(self.split_along(form, axes)[1])[2]:  # no exponential alone
            whole = becomes((T.max, None, None, True), (form, axes, True), self)
            if whole is not None:
                return whole
        lin = self.lin(self.terms_of(form))
        return self.app(T.max, lin, axes, bcast=self.reduced_bcast(lin.bcast, axes))

    # -- logs and absolute values -----------------------------------------------------------

    def log(self, form: Form) -> Form:
        """The log of a form; of a positive number, a number."""
        coeff, expo, factors = self.parts(form)
        if coeff > 0 and not expo.terms and not factors:
            return super().log(form)
        if isinstance(form, App) and form.op is T.join and form.nonneg:
            *parts, axis = form.args
            return self.app(T.join, *(self.log(p) for p in parts), axis, bcast=form.bcast)
        more = beside_one(form, self)
        if more is not None:
            sign, terms = more
            log = self.app(T.log, self.sum_of({self.one: ONE, **terms}))
            return self.mul(self.const(sign), log)
        found = self.followed(T.log, form)
        if found is None and isinstance(form, App) and form.op is T.dimshuffle:
            inner, move = form.args  # what is dropped outside of a product is so of its log
            within = self.followed(T.log, inner)
            found = None if within is None else self.move(within, move)
        return found or self.app(T.log, form)

    def size(self, form: Form) -> Form:
        """The absolute value of a form that may be negative."""
        return self.followed(T.abs, form) or super().size(form)

    def shift(self, lin: Lin, axes: Axes, hidden: tuple[Form, ...] = ()) -> App:
        """The largest exponent along axes, 0 where it is infinite; zeros of factors may hide it."""
        whole = join_bcast([lin.bcast, *(f.bcast for f in hidden)])
        return self.app(T.shift, lin, axes, hidden, bcast=self.reduced_bcast(whole, axes))

    def reduced_bcast(self, bcast: Bcast, axes: Axes) -> Bcast:
        """The broadcast pattern after a reduction that keeps its dimensions."""
        return tuple(b or d in axes for d, b in enumerate(bcast))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Sums that are made meanwhile are of nobody's graph: no maximum is shared with them."""
        known = {axes: dict(found) for axes, found in self.exponents_along.items()}
        try:
            yield
        finally:
            self.exponents_along = known

    def _reduced(self, op: Operator, form: Form, axes: Axes) -> App:
        _, expo, factors = self.parts(form)
        if op is T.sum and expo.terms and not any(hot(f) for f, _ in factors):
            self.exponents_along.setdefault(axes, {})[expo] = None
        return self.app(op, form, axes, bcast=self.reduced_bcast(form.bcast, axes))

    # -- moves ----------------------------------------------------------------------------

    def move(self, form: Form, move: Move) -> Form:
        """A move goes inwards through everything elementwise."""
        if not form.bcast:
            return self._widened(form, len(move.order)) if isinstance(move, Shuffle) else form
        found = self.moved.get((move, form))
        if found is None:
            found = self.moved[(move, form)] = self._moved(form, move)
            if move in self.witness and move.picks():
                self.given_by.setdefault(found, {})[move] = None
            mine = None if isinstance(move, Shuffle) else move.restricted(form.bcast)
            if mine is not None and found is not form and hot(form) and hot(found):
                self.taken_from.setdefault(found, (mine, form))
        return found

    def witnessed(self, move: Move, form: Form) -> None:
        """Keep the first form of the whole shape for a move."""
        if move not in self.witness:
            self.witness[move] = form
            along = self.picked_along.setdefault(len(move.whole), {})
            along.update(dict.fromkeys(move.picks()))

    def _moved(self, form: Form, move: Move) -> Form:
        mine = move.restricted(form.bcast)
        if isinstance(form, Lin):
            return self.add(*(self.mul(self.const(c), self.move(m, move)) for m, c in form.terms))
        if isinstance(form, Leaf) or (isinstance(form, App) and form.op not in ELEMENTWISE):
            return self._move_atom(form, mine, move)
        parts = pieces(form)
        odd = [p for p in parts if p.bcast and move.restricted(p.bcast) is None]
        if not odd:
            return self.map(form, lambda piece: self.move(piece, move))
        full = next((p for p in parts if p.bcast == move.whole), None)
        if full is None and move not in self.witness:
            return self._move_atom(form, mine, move)
        if full is not None:
            self.witnessed(move, full)
        return self.map(form, lambda p: self.filled(p, move) if p in odd else self.move(p, move))

    def _widened(self, form: Form, ndim: int) -> Form:
        """One number with the dimensions that it has lost, where it had as many."""
        if isinstance(form, App) and form.op is T.dimshuffle:
            inner: Form = form.args[0]
            return inner if inner.ndim == ndim else form
        if isinstance(form, Lin):
            return self.add(
                *(self.mul(self.const(c), self._widened(m, ndim)) for m, c in form.terms)
            )
        if isinstance(form, Prod | Sum) or (isinstance(form, App) and form.op in ELEMENTWISE):
            return self.map(form, lambda part: self._widened(part, ndim)) if pieces(form) else form
        return form

    def can_move(self, form: Form, move: Move) -> bool:
        """Tell whether a form can be moved, if need be with the lengths of a witness."""
        return move.fits(form.bcast) or (move in self.witness and move.spans(form.bcast))

    def filled(self, form: Form, move: Move) -> Form:
        """Move an operand that is given the lengths of the whole first, those of a witness."""
        if not form.bcast or move.restricted(form.bcast) is not None:
            return self.move(form, move)
        if is_elementwise(form):
            return self.map(form, lambda part: self.filled(part, move))
        out = self.app(T.subtensor, form, move, bcast=move.result())
        self.moved_from[(move, out)] = form
        return out

    def _mapped(self, expo: Lin, f: Callable[[Form], Form]) -> Lin:
        """An exponent with other terms, which cancel however many they are."""
        terms = Totals()
        for m, c in expo.terms:
            for n, d in self.terms_of(self.mul(self.const(c), f(m))).items():
                terms[n] += d
        return self.lin(terms)

    def map(self, form: Form, f: Callable[[Form], Form]) -> Form:
        """The same elementwise operators over other pieces."""
        if isinstance(form, Prod):
            factors = [self.pow(f(g), k) for g, k in form.factors]
            expo = self.exp(self._mapped(form.expo, f))
            return self.mul(self.const(form.coeff), expo, *factors)
        if isinstance(form, Sum | Lin):
            made = len(self)
            whole = self.add(*(self.mul(self.const(c), f(m)) for m, c in form.terms))
            if form in self.written:
                self.write(whole, self._mapped(self.written[form], f), made)
            return whole
        assert isinstance(form, App)
        args = [f(a) if isinstance(a, Form) else a for a in form.args]
        # What is an exponent stays one.
        pairs = zip(form.args, args, strict=True)
        args = [self.lin(self.terms_of(b)) if isinstance(a, Lin) else b for a, b in pairs]
        if form.op in (T.log, T.pow):
            return self.log(*args) if form.op is T.log else self.power(*args)
        if form.op is T.abs:
            return self.abs(*args)
        return self.app(form.op, *args)

    def _move_atom(self, form: Form, mine: Move | None, move: Move) -> Form:
        if mine is None and move in self.witness:
            return self.filled(form, move)
        if mine is None:
            raise ValueError(f"{move!r} cannot move {form!r}")
        if mine.is_identity():
            return form
        out = self._shuffle_atom(form, mine) if isinstance(mine, Shuffle) else None
        out = out or self.all_picked(form, mine) or taken_of_transposed(form, mine, self)
        if isinstance(form, App) and form.op is T.scatter and form.args[1] == mine.once():
            return self.spread(form.args[0], self.app(T.subtensor, form, mine, bcast=mine.result()))
        if isinstance(mine, Piece) and isinstance(form, App) and form.op is T.join:
            out = part(form, mine)
        if out is None and isinstance(form, Leaf) and isinstance(mine, Index):
            out = self._piece_of_constant(form, mine)
        if out is None:
            out = self.app(T.subtensor, form, mine, bcast=mine.result())
        self.moved_from[(move, out)] = form
        return out

    def shared_constant(self, leaf: Leaf) -> Leaf:
        """A constant as the one of those numbers."""
        data = leaf.var.data
        key = (leaf.bcast, str(data.dtype), data.shape, data.tobytes())
        return self.constants.setdefault(key, leaf)

    def _is_constant(self, form: Form) -> TypeGuard[Leaf]:
        """Tell whether a form is one of the constants that are looked into."""
        known = isinstance(form, Leaf) and isinstance(form.var, Constant)
        return known and form in self.constants.values()

    def _piece_of_constant(self, form: Leaf, move: Index) -> Form | None:
        """What known places take of a constant, as folding makes it; None of anything else."""
        if not self._is_constant(form):
            return None
        piece = move.apply(form.var)
        if not isinstance(piece, Constant):
            return None
        if constant_of(piece) is not None:
            return None
        found = self.shared_constant(self.leaf(piece, move.result()))
        if form in self.conditions:
            self.conditions.add(found)
        return found

    def came_from(self, form: Form, move: Move) -> Form | None:
        """What a move gives a form of; a constant may have been taken from another by folding."""
        found = self.moved_from.get((move, form))
        if found is None and self._is_constant(form):
            for whole in list(self.constants.values()):
                if whole.bcast == move.whole and self.move(whole, move) is form:
                    return whole
        return found

    def all_picked(self, form: Form, move: Move) -> Form | None:
        """What a move picks for each place, of a form that is the same along the other axes."""
        if not isinstance(move, Index):
            return None
        for axes in move.picks():
            counted = [d for d, e in enumerate(move.entries) if d not in axes and e != slice(None)]
            if not counted or not all(form.bcast[d] for d in axes):
                continue
            spread = [p for p in operands(form) if p.ndim == form.ndim]
            lengths = {d: NOTHING.union(*(length_of(p, d) for p in spread)) for d in counted}
            same = self.same_lengths
            if all(same.of(length_of(move.entries[d], 0)) & same.of(lengths[d]) for d in counted):
                return self.drop(form, axes)
        return None

    def _shuffle_atom(self, form: Form, move: Shuffle) -> Form | None:
        if isinstance(form, App) and form.op is T.dimshuffle:
            inner = form.args[0]
            return self.move(inner, move.after(form.args[1]))
        if isinstance(form, App) and form.op is T.join and form.args[-1] in move.order:
            *parts, axis = form.args
            joined = [self.move(p, Shuffle(move.order, p.bcast)) for p in parts]
            place = move.order.index(axis)
            return self.app(T.join, *joined, place, bcast=move.result())
        if isinstance(form, App) and form.op is T.scatter:
            placed = put_into_transposed(form, move, self)
            if placed is not None:
                return placed
        if isinstance(form, App) and form.op in ALONG and not move.dropped():
            axes = tuple(sorted(move.order.index(d) for d in form.args[1]))
            along = self.move(form.args[0], move)
            along = self.lin(self.terms_of(along)) if isinstance(form.args[0], Lin) else along
            return self.app(form.op, along, axes, bcast=move.result())
        if isinstance(form, App) and form.op in REDUCING:
            move = _sparing(form, move)
            # Permute inside, where the reduced dimension still has its length; drop that outside.
            kept = [*move.order, *(d for d in move.dropped() if d in form.args[1])]
            inside = Shuffle(tuple(kept), form.args[0].bcast)
            axes = tuple(sorted(kept.index(a) for a in form.args[1]))
            moved = self.move(form.args[0], inside)
            if form.op is T.shift:
                lin = self.lin(self.terms_of(moved))
                hidden = tuple(self.move(f, Shuffle(tuple(kept), f.bcast)) for f in form.args[2])
                whole: Form = self.shift(lin, axes, hidden)
            else:
                whole = {T.sum: self.sum, T.max: self.max, T.prod: self.prod_along}[form.op](
                    moved, axes
                )
            last = Shuffle(tuple(range(len(move.order))), whole.bcast)
            if len(kept) == len(move.order) or not whole.bcast:
                return self._widened(whole, len(move.order))
            return self.app(T.dimshuffle, whole, last, bcast=last.result())
        return self.app(T.dimshuffle, form, move, bcast=move.result())

    def shuffle(self, form: Form, order: tuple[int | str, ...]) -> Form:
        """A form with its dimensions in another order."""
        return self.move(form, Shuffle(order, form.bcast))

    def drop(self, form: Form, axes: Axes) -> Form:
        """A form without dimensions of length 1."""
        return (
            self.shuffle(form, tuple(d for d in range(form.ndim) if d not in axes))
            if form.bcast
            else form
        )

    def undrop(self, form: Form, axes: Axes) -> Form:
        """A form with dimensions of length 1 put in: what `drop` leaves out."""
        if not form.bcast:
            return form
        left = iter(range(form.ndim))
        ndim = form.ndim + len(axes)
        return self.shuffle(form, tuple("x" if d in axes else next(left) for d in range(ndim)))

    def scatter(self, form: Form, move: Move, like: Leaf, given: Move | None = None) -> Form:
        """``scatter(a[index] * b, index) == a * scatter(b, index)``.

        What was taken by a move that is ``given`` is the same as what this one takes.
        """
        coeff, expo, factors = self.parts(form)
        sources = {f: self._source(f, given or move, like) for f, _ in (*expo.terms, *factors)}
        for f, k in factors:  # what may be infinite elsewhere does not multiply the zeros there
            source = sources[f]
            if source is not None and not hot(source) and not is_finite(source, k):
                sources[f] = None
        lifted_expo = Totals()
        for m, c in expo.terms:
            if (source := sources[m]) is not None:
                lifted_expo[source] += c
        lifted = [self.pow(g, k) for f, k in factors if (g := sources[f]) is not None]
        rest = self.lin({m: c for m, c in expo.terms if sources[m] is None})
        inner = self.prod(ONE, rest, {f: k for f, k in factors if sources[f] is None})
        outer = self.mul(self.prod(coeff, self.lin(lifted_expo), {}), *lifted)
        parts = any(self.overflows(f) for f in (inner, outer) if hot(f))
        if parts and not self.overflows(form):
            return self.app(T.scatter, form, move, like, bcast=like.bcast)
        placed = self.app(T.scatter, inner, move, like, bcast=like.bcast)
        if outer is not self.one:
            self.left_by.add(placed)
        return self.mul(outer, placed)

    def is_left(self, form: Form) -> bool:
        """Tell whether a form is a scatter that factors have left, or the sum of one."""
        while isinstance(form, App) and form.op in (T.sum, T.dimshuffle):
            form = form.args[0]
        factors = form.factors if isinstance(form, Prod) else ()
        return form in self.left_by or any(k == 1 and self.is_left(f) for f, k in factors)

    def _source(self, form: Form, move: Move, like: Leaf) -> Form | None:
        """What a moved form is where it was not moved, None where that is not known."""
        if all(form.bcast):  # one number, wherever it goes
            return self.shuffle(form, ("x",) * like.ndim)
        found = self.came_from(form, move)
        if found is None and form.ndim == like.ndim and move.leaves(form.bcast):
            return form
        return found if found is None or fills(found, like, self.lengths) else None

    # -- contractions ---------------------------------------------------------------------

    def dot(self, op: Operator, a: Form, b: Form, batch: int) -> Form:
        """``dot(c * a, b) == c * dot(a, b)`` where c is constant along the contracted axis."""
        both = sides(a, b, batch)
        parts = [self._lifted(side.form, side.axis, batch) for side in both]
        lifted = [
            self.shuffle(out, side.order) if out.bcast else out
            for side, (out, _) in zip(both, parts, strict=True)
        ]
        rest_a, rest_b = (rest for _, rest in parts)
        bcast = tuple(
            [x and y for x, y in zip(a.bcast[:batch], b.bcast[:batch], strict=True)]
            + [*rest_a.bcast[batch:-1]]
            + [rest_b.bcast[-1]] * (b.ndim - batch - 1)
        )
        rest_a, rest_b = self._together(rest_a, rest_b, both[0].axis, both[1].axis, batch)
        return self.mul(*lifted, self.app(op, rest_a, rest_b, bcast=bcast))

    def _together(
        self, a: Form, b: Form, inner_a: int, inner_b: int, batch: int
    ) -> tuple[Form, Form]:
        """``dot(a * c, b) == dot(a, c * b)`` where c lies along the contracted axis only.

        Exponentials on both sides meet on one, where they may cancel.
        """
        if not (hot(a) and hot(b) and self.overflows(a) and self.overflows(b)):
            return a, b
        free_a = tuple(d for d in range(batch, a.ndim) if d != inner_a)
        free_b = tuple(d for d in range(batch, b.ndim) if d != inner_b)
        lead: list[int | str] = list(range(batch))
        along, rest = self.split_along(b, free_b)
        if hot(along) and along.bcast[:batch] == b.bcast[:batch]:
            order = (*lead, *("x" for _ in free_a), inner_b)
            met, b = shared(a, self.spread(rest, b), along, order, self)
            return self.spread(met, a), b
        along, rest = self.split_along(a, free_a)
        if hot(along) and along.bcast[:batch] == a.bcast[:batch]:
            order = (*lead, inner_a, *("x" for _ in free_b))
            met, a = shared(b, self.spread(rest, a), along, order, self)
            return a, self.spread(met, b)
        return a, b

    def chosen(self, cond: Form, kept: bool) -> App:
        """What a choice keeps, or hides: as a factor it hides even what is not a number."""
        self.conditions.add(cond)
        return self.app(T.mask, cond, kept)

    def overflows(self, form: Form, where_zero: bool = True) -> bool:
        """Tell whether an exponential that nothing cancels can take the value out of range."""
        return overflows(form, self, where_zero)

    def spread(self, rest: Form, like: Form) -> Form:
        """A form with the lengths of another one, of which it has lost what cancelled."""
        return rest if rest.bcast == like.bcast else self.mul(rest, self.ones(like))

    @made_once
    def ones(self, like: Form) -> Form:
        """Ones of the lengths of a form; those of what is known to be as long are one form."""
        lengths = [NOTHING if one else length_of(like, d) for d, one in enumerate(like.bcast)]
        for given, form in self.long.setdefault(like.bcast, []):
            if all(one or m & n for one, m, n in zip(like.bcast, given, lengths, strict=True)):
                return form
        made = self.app(T.ones_like, like)
        self.long[like.bcast].append((lengths, made))
        return made

    def _lifted(self, form: Form, axis: int, batch: int) -> tuple[Form, Form]:
        outer, inner = self.split_along(form, (axis,))
        if (
            inner.bcast[:batch] != form.bcast[:batch]
            or inner.bcast[axis : axis + 1] != form.bcast[axis : axis + 1]
        ):
            return self.one, form  # a batch keeps its length, and so does the contracted axis
        return outer, inner


def _sparing(form: App, move: Shuffle) -> Shuffle:
    """The order that keeps what a reduction leaves, where another dimension of length 1 is dropped.

    Two ways to lose a dimension then are one: ``max(x[:, None], 0)[0]`` is ``max(x, 0)``.
    """
    body, axes, *hidden = form.args
    forms = (body, *hidden[0]) if hidden else (body,)
    spare = [d for d in move.dropped() if d in axes]
    order: list[int | str] = []
    for o in move.order:
        waste = isinstance(o, int) and o not in axes
        waste = waste and all(f.bcast[int(o)] for f in forms if f.bcast)
        order.append(spare.pop(0) if waste and spare else o)
    return Shuffle(tuple(order), move.whole)
