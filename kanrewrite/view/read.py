"""Reading: Aesara variables as forms, once per node.

Elementwise arithmetic, reductions, moves and dot products are read through the constructors of
`Lifting`; Ops that relations define (``sigmoid(x) == 1/(1 + exp(-x))``) are read as their
definition; every other variable is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.tensor.basic import Split
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.math import Dot

from kanrewrite.guards.bounds import assumed
from kanrewrite.guards.lengths import is_size
from kanrewrite.laws import Laws
from kanrewrite.relation import Relation
from kanrewrite.terms import Operator, T, operator_of
from kanrewrite.view.algebra import LONGEST
from kanrewrite.view.centring import Generator, Shift, atoms, candidates
from kanrewrite.view.closing import cancel, closable, is_sum, opened, parted
from kanrewrite.view.demand import Demand
from kanrewrite.view.events import (
    is_exponential,
    is_inverse,
    is_risk,
    is_shifted,
    is_slope,
    meets,
)
from kanrewrite.view.following import lifted, stated
from kanrewrite.view.forms import App, Form, Leaf, Prod, Sum, as_number, pieces
from kanrewrite.view.heat import hot
from kanrewrite.view.instantiate import allowed, instantiate
from kanrewrite.view.lengths import have_lost
from kanrewrite.view.levels import grows, overflows, vanishes
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.merging import holds_log
from kanrewrite.view.nodes import FLOATS, constant_of, head
from kanrewrite.view.readers import READERS, own, split_piece
from kanrewrite.view.signs import difference, is_exact, tells_ties

#: How often it is tried to prove that a form does not change with its exponents.
PROOFS = 64
#: Constants of more elements are not looked at.
LARGEST_CONSTANT = 2**16
#: Operators that are read in a wider dtype where one is asked for.
WIDENED = {T.exp, T.neg, T.add, T.sub, T.mul, T.true_div}
COMPARISONS = {T.eq, T.neq, T.lt, T.le, T.gt, T.ge}


class View:
    """Graphs read as forms; nothing is read twice.

    Parameters
    ----------
    laws
        What relations say of each operator.
    clients
        Who uses each variable of the graph, where that is known.
    fuses
        Whether one operator computes a form that could as well be computed as written.
    avoided
        Operators whose exponentials are not split off.
    demand
        What is asked of each variable, if not all that can be known: then what is in range and of
        which only the value is asked is read as a leaf by who asks for no more.
    apart
        The variables at which nothing is worth rewriting.
    """

    def __init__(
        self,
        laws: Laws | None = None,
        clients: Mapping[Variable[Any, Any], Sequence[Any]] | None = None,
        fuses: Callable[[Form, Lifting], bool] = lambda form, algebra: False,
        avoided: Collection[Operator] = (),
        demand: Demand | None = None,
        apart: Collection[Variable[Any, Any]] = (),
    ):
        self.avoided = avoided
        self.demand = demand
        self._apart = apart
        #: What the operands of the node that is being read are read as, where it is not all.
        self._given: Mapping[Variable[Any, Any], Form] = {}
        #: What closed parts of forms stand for.
        self._closed: dict[Form, Form] = {}
        #: The closed parts in forms, when so many were closed.
        self._closed_parts: dict[Form, frozenset[Form]] = {}
        self._closed_before = 0
        self.laws = laws or Laws()
        self.definitions = self.laws.definitions
        self.clients = clients or {}
        self.fuses = fuses
        self._algebras: dict[str, Lifting] = {}
        self._forms: dict[Variable[Any, Any], Form] = {}
        #: The relations that were followed when a variable was read, given its inputs.
        self.ways: dict[Variable[Any, Any], tuple[Relation, ...]] = {}
        #: The first variable that reads as each form.
        self.origin: dict[Form, Variable[Any, Any]] = {}
        #: Multiples of sums that variables read as, by the sums.
        self.multiples: dict[Form, Form] = {}
        self._events: set[Variable[Any, Any]] = set()
        self._gains: set[Variable[Any, Any]] = set()
        self._risks: set[Variable[Any, Any]] = set()
        self._written: set[Variable[Any, Any]] = set()
        self._shifts: dict[tuple[Form, bool], tuple[Shift, ...]] = {}
        #: What is read in a wider dtype, by that, None where it is not.
        self._wide: dict[tuple[Variable[Any, Any], Lifting], Form | None] = {}
        self._proofs = PROOFS
        self._constants: dict[tuple[Lifting, tuple[int, ...], bytes], Constant[Any]] = {}
        #: How many nodes were read.
        self.read_count = 0

    def algebra(self, dtype: str) -> Lifting:
        """Where the forms of a dtype are made."""
        if dtype not in self._algebras:
            self._algebras[dtype] = Lifting(dtype, self.laws)
            self._algebras[dtype].counts = T.scatter not in self.avoided
        return self._algebras[dtype]

    @property
    def form_count(self) -> int:
        """How many forms were made."""
        return sum(map(len, self._algebras.values()))

    # -- variables ------------------------------------------------------------------------

    def read(self, var: Variable[Any, Any]) -> Form:
        """A float variable as a form.  Its inputs must not be deeper than Python's stack."""
        form = self._given.get(var) or self._forms.get(var)
        if form is None:
            algebra = self.algebra(var.type.dtype)
            before, algebra.ran = algebra.ran, {}
            given, self._given = self._given, {}
            try:
                form = self._forms[var] = self._read(var)
            finally:  # what cannot be read must not decide how others are
                self._given = given
            if _computes(var, form):
                self.origin.setdefault(form, var)
            if isinstance(form, Prod) and not form.expo.terms and len(form.factors) == 1:
                ((factor, power),) = form.factors
                if power == 1 and isinstance(factor, Sum):
                    self.multiples.setdefault(factor, form)
            if algebra.ran:
                self.ways[var] = tuple(algebra.ran)
            algebra.ran = before
        return form

    @property
    def variables(self) -> list[Variable[Any, Any]]:
        """What was read, each behind those that it is made of."""
        return list(self._forms)

    def is_read(self, var: Variable[Any, Any]) -> bool:
        """Tell whether a variable was read."""
        return var in self._forms

    def followed(self, var: Variable[Any, Any], ends: Collection[Variable[Any, Any]]) -> list[Any]:
        """The relations that were followed from some variables on to what is made of them."""
        found: dict[Any, None] = {}
        stack, seen = [var], set(ends)
        while stack:
            top = stack.pop()
            if top not in seen:
                seen.add(top)
                found.update(dict.fromkeys(self.ways.get(top, ())))
                stack.extend(top.owner.inputs if top.owner is not None else ())
        return list(found)

    def _read(self, var: Variable[Any, Any]) -> Form:
        algebra = self.algebra(var.type.dtype)
        value = constant_of(var)
        if value is not None:
            return algebra.const(value)
        node = var.owner
        if node is None:
            return self._turned(var, algebra) or self.leaf(var, algebra)
        self.read_count += 1
        form, event = self._closed_reading(var, node, algebra)
        if form is None:
            return self.leaf(var, algebra)
        self._judge(var, node, form, algebra, event)
        return form

    def _closed_reading(
        self, var: Variable[Any, Any], node: Apply[Any], algebra: Lifting
    ) -> tuple[Form | None, bool]:
        """A variable as a form of closed operands, of opened ones where that gains, and whether."""
        forms: dict[Variable[Any, Any], Form] = {}
        if self.demand is not None and isinstance(node.op, Elemwise | Dot | BatchedDot):
            forms = {i: self.read(i) for i in self._inputs(node, algebra)}
            self._given, closed = closable(node, forms, self, algebra, self.demand)
            self._closed.update(closed)
        form = self._as_read(var, node, algebra)
        given = self._given
        opens = form is not None and (
            parted(form, self._closed, algebra)
            or (
                is_sum(node)
                and cancel([given.get(i) or f for i, f in forms.items()], self._closed, algebra)
            )
        )
        if opens:
            self._given = {i: opened(f, self._closed, algebra) for i, f in forms.items()}
            whole = self._as_read(var, node, algebra)
            event = whole is not None and self._gains_from(node, whole, algebra)
            if whole is not None and (event or not (is_sum(node) or overflows(whole, algebra))):
                return whole, event
            self._given = given
        return form, form is not None and self._gains_from(node, form, algebra)

    def _inputs(self, node: Apply[Any], algebra: Lifting) -> list[Variable[Any, Any]]:
        """The operands of a node that have forms in an algebra."""
        return [i for i in node.inputs if getattr(i.type, "dtype", None) == algebra.dtype]

    def _as_read(self, var: Variable[Any, Any], node: Apply[Any], algebra: Lifting) -> Form | None:
        """What a reader makes of a variable, None where it is a leaf."""
        reader = READERS.get(type(node.op))
        form = None
        if isinstance(node.op, Split):
            form = split_piece(self, var, algebra)
        elif reader is not None and var is node.outputs[0] and var.type.dtype in FLOATS:
            form = reader(self, node, algebra)
        elif reader is None and len(node.outputs) == 1 and var.type.dtype in FLOATS:
            form = own(self, node, algebra)
        if form is None or (form.bcast and len(form.bcast) != var.type.ndim):
            return None
        if len(getattr(form, "factors", ())) > LONGEST and not hot(form):
            return None  # a product this long is read again and again
        return form

    def compared(self, var: Variable[Any, Any]) -> Form | None:
        """What a variable compares with zero, where an exponential hides the comparison.

        ``exp(a) * r > 0`` is ``r > 0`` unless a is -inf: an exponential is never zero, though its
        value may be.  A sign is a comparison too, and so is that of two exponentials.
        """
        node = var.owner
        written = None if node is None else head(node)
        if not (written in COMPARISONS or written is T.sgn):
            return None
        op, left, *right = self.comparison(node)
        if left.type.dtype not in FLOATS:
            return None
        form = self._forms.get(left)  # what is not read has no exponential in it
        if form is None or not hot(form):
            return None
        algebra = self.algebra(left.type.dtype)
        if op is T.sgn or constant_of(right[0]) == 0:
            shown = self._signed(op, form, algebra) if tells_ties(form, algebra) else None
            return None if shown is form and self._is_in_range(left, form, algebra) else shown
        # Two that overflow are both infinite: only their difference tells which is larger.
        other = self._forms.get(right[0])
        if other is None or not hot(other) or right[0].type.dtype != left.type.dtype:
            return None
        if not (self.risks(left) or self.risks(right[0])):
            return None
        gap = difference(form, other, algebra)
        exact = is_exact(gap, algebra) if op in (T.eq, T.neq) else tells_ties(gap, algebra)
        return gap if exact and hot(gap) else None

    def _is_in_range(self, var: Variable[Any, Any], form: Form, algebra: Lifting) -> bool:
        """Tell whether the sign of a value shows as it is written: no exponential hides it.

        Of numbers and exponentials it may show only after they have cancelled, as in ``1 - p``.
        """
        terms = algebra.terms_of(form)
        if self.risks(var) or (len(terms) > 1 and all(m is algebra.one or hot(m) for m in terms)):
            return False
        return not vanishes(form, algebra, where_zero=False)

    def comparison(self, node: Apply[Any]) -> tuple[Any, ...]:
        """A comparison and what it compares: what a minimum chooses from, where with one of it."""
        op, (left, *right) = operator_of(node.op), node.inputs
        chosen = left.owner
        if op in COMPARISONS and chosen is not None and left.type.dtype in FLOATS:
            inside = operator_of(chosen.op)
            compared = ((inside, *chosen.inputs), right[0])
            found = stated((op, inside, None), compared, self.algebra(left.type.dtype))
            (meant, *operands), bindings = found or ((None,), {})
            if meant in COMPARISONS:
                return meant, *(bindings[x] for x in operands)
        return op, left, *right

    def _signed(self, op: Operator, form: Form, a: Lifting) -> Form | None:
        """A form with all that the sign, or the comparison with zero, is the same of."""
        _, expo, _ = a.parts(form)
        zeros = () if op is T.sgn else (0,)
        power = a.exp(expo)
        if not expo.terms:
            power = a.exp(a.leaf(("any", a), form.bcast))  # one there could be
            form = a.mul(power, form)
        found = lifted(self.laws.row(op).lifts, form, zeros, a)
        kept = found[1][0] if found is not None else None
        if not isinstance(kept, App) or kept.op is not op:
            return None
        return a.mul(power, kept.args[0]) if expo.terms else kept.args[0]

    def leaf(self, var: Variable[Any, Any], algebra: Lifting) -> Leaf:
        """A variable as it is."""
        constant = isinstance(var, Constant) and bool(np.all(np.asarray(var.data) >= 0))
        unsigned = constant or str(var.type.dtype).startswith(("uint", "bool"))
        unsigned = unsigned or is_size(var) or assumed(var).low >= 0
        leaf = algebra.leaf(var, tuple(var.type.broadcastable), nonneg=unsigned)
        is_small = isinstance(var, Constant) and np.size(var.data) <= LARGEST_CONSTANT
        return algebra.shared_constant(leaf) if is_small else leaf

    def _turned(self, var: Variable[Any, Any], algebra: Lifting) -> Form | None:
        """A constant matrix as the transpose of another one, which folding has parted it from."""
        if not isinstance(var, Constant) or var.type.ndim != 2 or var.data.size > LARGEST_CONSTANT:
            return None
        data = np.asarray(var.data)
        self._constants.setdefault((algebra, data.shape, data.tobytes()), var)
        other = self._constants.get((algebra, data.T.shape, data.T.tobytes()), var)
        if other is var or np.array_equal(data, data.T):
            return None
        turned = self.leaf(other, algebra)
        return algebra.shuffle(turned, (1, 0))

    def read_as_leaf(self, var: Variable[Any, Any]) -> None:
        """Take a variable as it is, whatever it is made of."""
        self._forms[var] = self.leaf(var, self.algebra(var.type.dtype))

    def read_again(self, var: Variable[Any, Any]) -> Form:
        """A variable that is taken as it is, as what its operator makes of its operands.

        What was in the graph already stays as it is: it was looked at there.
        """
        algebra = self.algebra(var.type.dtype)
        form = self._as_read(var, var.owner, algebra)
        return self.leaf(var, algebra) if form is None or form in self.origin else form

    def operand(self, var: Variable[Any, Any], algebra: Lifting) -> Form:
        """An operand of a node, in the algebra of the node's dtype."""
        if var.type.dtype == algebra.dtype:
            return self.read(var)
        value = constant_of(var)
        if value is not None:
            return algebra.const(value)
        return self._widened(var, algebra) or self.leaf(var, algebra)

    def _widened(self, var: Variable[Any, Any], algebra: Lifting) -> Form | None:
        """Exponentials of a narrower dtype as those of what is wider, None for anything else.

        What is out of range in the narrower one need not be so in the other.
        """
        if (var, algebra) not in self._wide:
            written = None if var.owner is None else head(var.owner)
            wide = written in WIDENED and np.can_cast(var.type.dtype, algebra.dtype)
            wide = wide and var.type.dtype in FLOATS and hot(self.read(var))
            self._wide[var, algebra] = self._as_read(var, var.owner, algebra) if wide else None
        return self._wide[var, algebra]

    def define(
        self,
        op: Operator,
        inputs: Sequence[Variable[Any, Any] | Form],
        a: Lifting,
        *parameters: Any,
    ) -> Form | None:
        """An Op read as what relations say it means, None where they say nothing."""
        found = self.definitions.get(op)
        if found is None:
            return None
        operands = [i if isinstance(i, Form) else self.operand(i, a) for i in inputs]
        lost = have_lost(operands, (i for i in inputs if not isinstance(i, Form)))
        if parameters and (lost or not any(o.bcast for o in operands)):
            return None  # the lengths along which it works went with what cancelled
        bindings = allowed(found, [*operands, *parameters])
        if bindings is None:
            return None
        relation = self.laws.row(op).defined_by
        if relation is not None:
            a.ran[relation] = None
        form: Form = instantiate(found[1], bindings, a, self.definitions)
        return form

    # -- where rewriting buys something -----------------------------------------------------

    def is_event(self, var: Variable[Any, Any]) -> bool:
        """Tell whether exponentials meet here: reading gains over computing it as written."""
        return var in self._events

    def is_shiftable(self, var: Variable[Any, Any]) -> bool:
        """Tell whether a variable that holds exponents does not change when they are shifted."""
        form = self._forms.get(var)
        return form is not None and self.shifted(form, self.algebra(var.type.dtype)) is not None

    def shifted(self, form: Form, algebra: Lifting) -> tuple[Form, Shift] | None:
        """A form and a shift that it does not change with, None if none is found.

        What is computed apart may be what makes it so, or change with what is shifted though the
        rest does not: then the form with what that is made of.
        """
        found = self.shifts(form, algebra)
        if self._closed and candidates(form, algebra):
            apart = self._varying(form, found, algebra)
            whole = opened(form, apart, algebra)
            proved = self.shifts(whole, algebra) if apart else ()
            if proved:
                return whole, proved[0]
        return (form, found[0]) if found else None

    def _varying(self, form: Form, found: Sequence[Shift], algebra: Lifting) -> dict[Form, Form]:
        """What closed parts of a form stand for, but for those that shifts leave as they are."""
        parts = sorted(self._closed_in(form), key=lambda part: part.uid)
        apart = {part: self._closed[part] for part in parts}
        if not found:
            return apart
        shifted = frozenset(found[0].atoms)
        return {
            part: whole
            for part, whole in apart.items()
            if shifted & atoms(whole, algebra)[0] and not self.shifts(whole, algebra)
        }

    def _closed_in(self, form: Form) -> frozenset[Form]:
        """The closed parts of a form: each is looked into once, unless more has been closed."""
        if len(self._closed) != self._closed_before:
            self._closed_before = len(self._closed)
            self._closed_parts.clear()
        if form not in self._closed_parts:
            own = frozenset([form]) if form in self._closed else frozenset[Form]()
            self._closed_parts[form] = own.union(*map(self._closed_in, pieces(form)))
        return self._closed_parts[form]

    def shifts(self, form: Form, algebra: Lifting, logs: bool = False) -> tuple[Shift, ...]:
        """A shift that a form does not change with, if one is found.

        Of forms that hold logs where these are asked for, and of others where they are not.
        """
        if (form, logs) not in self._shifts:
            found = candidates(form, algebra, logs) if self._proofs > 0 else []
            self._proofs -= len(found)
            proved = (s for s in found if Generator(s, algebra).kills(form))
            self._shifts[form, logs] = tuple(islice(proved, 1))
        return self._shifts[form, logs]

    def gains(self, var: Variable[Any, Any]) -> bool:
        """Tell whether an event is between this variable and the leaves of its form."""
        return var in self._gains

    def computed(self, form: Form) -> Variable[Any, Any] | None:
        """The variable of the graph that computes a form, unless something cancels in it."""
        origin = self.origin.get(form)
        return None if origin is None or origin in self._gains else origin

    def risks(self, var: Variable[Any, Any]) -> bool:
        """Tell whether computing it as written can overflow."""
        return var in self._risks

    def _gains_from(self, node: Apply[Any], form: Form, algebra: Lifting) -> bool:
        """Tell whether exponentials meet in a node that is read as a form."""
        if node.outputs[0] in self._apart:
            return False
        inputs = self._inputs(node, algebra)
        forms = [self.read(i) for i in inputs]
        shown = [i for i in inputs if self._given.get(i) not in self._closed]
        risky = any(i in self._risks for i in shown)
        written = any(i in self._written for i in shown)
        written = written or self._is_spare(inputs, forms, form, algebra)
        several = sum(map(hot, forms)) > 1
        return (
            meets(node, forms, form, algebra, risky, written)
            or (several and self.fuses(form, algebra))
            or is_shifted(node, forms, algebra)
            or (is_inverse(node, forms, form, algebra) and inputs[-1] in self._events)
        )

    def _judge(
        self,
        var: Variable[Any, Any],
        node: Apply[Any],
        form: Form,
        algebra: Lifting,
        event: bool,
    ) -> None:
        inputs = self._inputs(node, algebra)
        shown = [i for i in inputs if self._given.get(i) not in self._closed]
        forms = [self.read(i) for i in inputs]
        if event or any(i in self._gains for i in shown):
            self._gains.add(var)
        if event:
            self._events.add(var)
        if is_exponential(node) or any(i in self._written for i in shown):
            self._written.add(var)
        risky = any(i in self._risks for i in shown)
        if (risky or is_risk(node, forms, algebra)) and grows(form, algebra):
            self._risks.add(var)

    def _is_spare(
        self,
        inputs: list[Variable[Any, Any]],
        forms: list[Form],
        form: Form,
        algebra: Lifting,
    ) -> bool:
        """Tell whether a fused operator computes it in place of one needed nowhere else."""
        if is_slope(form, algebra):
            return all(self._is_alone(i) for i, f in zip(inputs, forms, strict=True) if hot(f))
        if sum(abs(k) for f, k in algebra.parts(form)[2] if hot(f)) > 1:
            return False
        computed = (i for i, f in zip(inputs, forms, strict=True) if hot(f) or holds_log(f))
        return all(len(self.clients.get(i, ())) <= 1 for i in computed)

    def _is_alone(self, var: Variable[Any, Any]) -> bool:
        """Tell whether nothing that a variable is computed from has another use."""
        waiting, seen = [var], {var}  # each is asked once, however many paths lead to it
        for part in waiting:
            if len({node for node, _ in self.clients.get(part, ())}) > 1:
                return False
            inputs = part.owner.inputs if part.owner is not None else []
            fresh = dict.fromkeys(i for i in inputs if i in self._forms and i not in seen)
            below = [i for i in fresh if hot(self.read(i))]
            seen.update(below)
            waiting += below
        return True


def _computes(var: Variable[Any, Any], form: Form) -> bool:
    """Tell whether a variable stands for a form: none does for a number, nor where it is longer."""
    lengths = zip(form.bcast, var.type.broadcastable, strict=False)
    return as_number(form) is None and all(known or not one for one, known in lengths)
