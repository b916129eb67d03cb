"""Reading: Aesara variables as forms, once per node.

Elementwise arithmetic, reductions, moves and dot products are read through the constructors of
`Lifting`; Ops that relations define (``sigmoid(x) == 1/(1 + exp(-x))``) are read as their
definition; every other variable is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.scalar.basic import Cast
from aesara.tensor.basic import Alloc, Join, get_scalar_constant_value
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.exceptions import NotScalarConstantError
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.math import Dot, Max, MaxAndArgmax, Prod as ProdOp, Sum as SumOp
from aesara.tensor.shape import Reshape as ReshapeOp
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad
from aesara.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
    indices_from_subtensor,
)
from aesara.tensor.type import TensorType
from aesara.tensor.type_other import NoneTypeT, SliceType

from kanrewrite.terms import Operator, T, operator_of
from kanrewrite.view.algebra import LONGEST
from kanrewrite.view.forms import HALF, ONE, Form, Sum
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.heat import hot
from kanrewrite.view.levels import level, overflows
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Index, Move, Reshape, Shuffle

EXPONENTIALS = {T.exp, T.exp2, T.pow, T.expm1}
COMPARISONS = {T.eq, T.neq, T.lt, T.le, T.gt, T.ge}
FLOATS = ("float16", "float32", "float64")
Reader = Callable[["View", Apply, Lifting], Form | None]


class View:
    """Graphs read as forms; nothing is read twice.

    Parameters
    ----------
    definitions
        For each operator what it means: the left and the right side of an equation.
    clients
        Who uses each variable of the graph, where that is known.
    """

    def __init__(
        self,
        definitions: dict[Operator, tuple[Any, Any]] | None = None,
        clients: Mapping[Variable, Sequence[Any]] | None = None,
    ):
        self.definitions = definitions or {}
        self.clients = clients or {}
        self._algebras: dict[str, Lifting] = {}
        self._forms: dict[Variable, Form] = {}
        #: The first variable that reads as each form.
        self.origin: dict[Form, Variable] = {}
        self._events: set[Variable] = set()
        self._gains: set[Variable] = set()
        self._risks: set[Variable] = set()
        self._written: set[Variable] = set()
        #: How many nodes were read.
        self.read_count = 0

    def algebra(self, dtype: str) -> Lifting:
        if dtype not in self._algebras:
            self._algebras[dtype] = Lifting(dtype)
        return self._algebras[dtype]

    # -- variables ------------------------------------------------------------------------

    def read(self, var: Variable) -> Form:
        """A float variable as a form.  Its inputs must not be deeper than Python's stack."""
        form = self._forms.get(var)
        if form is None:
            form = self._forms[var] = self._read(var)
            self.origin.setdefault(form, var)
        return form

    def _read(self, var: Variable) -> Form:
        algebra = self.algebra(var.type.dtype)
        value = constant_of(var)
        if value is not None:
            return algebra.const(value)
        node = var.owner
        if node is None or var is not node.outputs[0]:
            return self.leaf(var, algebra)
        self.read_count += 1
        reader = READERS.get(type(node.op))
        form = None
        if reader is not None and var.type.dtype in FLOATS:
            form = reader(self, node, algebra)
        if form is None:
            return self.leaf(var, algebra)
        if form.bcast and len(form.bcast) != var.type.ndim:
            return self.leaf(var, algebra)
        if len(getattr(form, "factors", ())) > LONGEST and not hot(form):
            return self.leaf(var, algebra)  # a product this long is read again and again
        self._judge(var, node, form, algebra)
        return form

    def compared(self, var: Variable) -> Form | None:
        """What a variable compares with zero, where an exponential hides the comparison.

        ``exp(a) * r > 0`` is ``r > 0``: an exponential is never zero, though its value may be.
        """
        node = var.owner
        if node is None or not isinstance(node.op, Elemwise) or operator_of(node.op) not in COMPARISONS:
            return None
        left, right = node.inputs
        if constant_of(right) != 0 or left.type.dtype not in FLOATS:
            return None
        form = self._forms.get(left)  # what is not read has no exponential in it
        return form if form is not None and hot(form) else None

    def leaf(self, var: Variable, algebra: Lifting) -> Form:
        constant = isinstance(var, Constant) and bool(np.all(np.asarray(var.data) >= 0))
        unsigned = constant or str(var.type.dtype).startswith(("uint", "bool"))
        return algebra.leaf(var, tuple(var.type.broadcastable), nonneg=unsigned)

    def operand(self, var: Variable, algebra: Lifting) -> Form:
        """An operand of a node, in the algebra of the node's dtype."""
        if var.type.dtype == algebra.dtype:
            return self.read(var)
        value = constant_of(var)
        return algebra.const(value) if value is not None else self.leaf(var, algebra)

    # -- where rewriting buys something -----------------------------------------------------

    def is_event(self, var: Variable) -> bool:
        """Do exponentials meet here, so that reading gains over computing it as written?"""
        return var in self._events

    def gains(self, var: Variable) -> bool:
        """Is there an event between this variable and the leaves of its form?"""
        return var in self._gains

    def _judge(self, var: Variable, node: Apply, form: Form, algebra: Lifting) -> None:
        inputs = [i for i in node.inputs if getattr(i.type, "dtype", None) == algebra.dtype]
        if any(i in self._gains for i in inputs):
            self._gains.add(var)
        forms = [self.read(i) for i in inputs]
        risky = any(i in self._risks for i in inputs)
        if is_exponential(node) or any(i in self._written for i in inputs):
            self._written.add(var)
        written = any(i in self._written for i in inputs) or self._is_spare(inputs, form, algebra)
        if meets(node, forms, form, algebra, risky, written):
            self._events.add(var)
            self._gains.add(var)
        if (risky or is_risk(node, forms, algebra)) and overflows(form, algebra):
            self._risks.add(var)


    def _is_spare(self, inputs: list[Variable], form: Form, algebra: Lifting) -> bool:
        """Would one fused operator compute it instead of one that is needed nowhere else?"""
        hots = [i for i in inputs if hot(self.read(i))]
        simple = sum(abs(k) for f, k in algebra.parts(form)[2] if hot(f)) <= 1
        return simple and all(len(self.clients.get(i, ())) <= 1 for i in hots)


def is_exponential(node: Apply) -> bool:
    return isinstance(node.op, Elemwise) and operator_of(node.op) in EXPONENTIALS


def is_risk(node: Apply, inputs: list[Form], algebra: Lifting) -> bool:
    """Is it an exponential, or does it divide by one that may vanish?"""
    if is_exponential(node):
        return True
    op = operator_of(node.op) if isinstance(node.op, Elemwise) else None
    if op not in (T.true_div, T.reciprocal) or not inputs:
        return False
    return level(inputs[-1], algebra) is not algebra.no_exponent


def meets(
    node: Apply, inputs: list[Form], form: Form, algebra: Lifting, risky: bool, written: bool
) -> bool:
    """Does a node bring exponentials together that cancel, or take the log of one?

    ``risky`` tells whether an operand can overflow as it is written.  Where none can, as after a
    shift by hand, only what loses small numbers is worth rewriting: logs, roots, differences, and
    quotients by what may vanish.  ``written`` tells whether an exponential is written out in an
    operand: what fused operators alone compute, as ``1 - tanh(x)**2``, is left to them, unless one
    of them is enough for the result, as for ``1 + tanh(x)``.
    """
    name = operator_of(node.op).name if isinstance(node.op, Elemwise) else ""
    hots = [f for f in inputs if hot(f)]
    if name == "mul":
        return risky and len(hots) > 1
    if name == "true_div":
        return len(hots) > 1 and (risky or level(inputs[-1], algebra) is not algebra.no_exponent)
    if name in ("log", "log2", "log10", "log1p", "sqrt"):
        return bool(hots) and level(inputs[0], algebra) is not algebra.no_exponent
    if name == "pow":
        return bool(hots) and not is_integer_power(form, hots[0], algebra)
    if name in ("exp", "exp2", "expm1"):
        return risky and hot(form) and bool(algebra.parts(form)[2])
    if name in ("add", "sub"):
        return written and sum_gains(inputs, hots, form, algebra, risky)
    if type(node.op) in (Softmax, LogSoftmax):  # Aesara's own refuse an axis of length zero
        return not all(node.inputs[0].type.shape[d] for d in axes_of(node))
    if isinstance(node.op, (Dot, BatchedDot)):
        return risky and len(hots) > 1
    if isinstance(node.op, Elemwise):
        return isinstance(node.op.scalar_op, Cast) and hot(form)
    return isinstance(node.op, SoftmaxGrad) and risky


def is_integer_power(form: Form, base: Form, algebra: Lifting) -> bool:
    return any(algebra.pow(base, Fraction(k)) is form for k in (-2, -1, 2, 3))


def sum_gains(
    inputs: list[Form], hots: list[Form], form: Form, algebra: Lifting, risky: bool
) -> bool:
    """Terms cancelled, a common factor came out, or exponentials are subtracted."""
    if not hots:
        return False
    before = sum(len(algebra.terms_of(f)) for f in inputs)
    after = count_terms(form, algebra)
    if after < before and (risky or after <= 1):
        return True
    if any(cancelling(f, algebra) for f, _ in algebra.parts(form)[2]):
        return True
    if not risky:
        return False
    # A hot common factor came out, and no exponential stayed with only some of the terms.
    _, _, factors = algebra.parts(form)
    inner = [f for f, k in factors if isinstance(f, Sum) and k == 1]
    even = len(inner) == 1 and not any(algebra.parts(m)[1].terms for m, _ in inner[0].terms)
    return len(hots) > 1 and even and any(hot(f) for f, _ in factors if f is not inner[0])


def count_terms(form: Form, algebra: Lifting) -> int:
    """How many terms a sum has, whatever factor was taken out of it."""
    if form is algebra.zero:
        return 0
    return max(len(f.terms) if isinstance(f, Sum) and k == 1 else 1 for f, k in algebra.parts(form)[2] or ((form, 0),))


def cancelling(form: Form, algebra: Lifting) -> bool:
    """Is it a sum of pure exponentials whose coefficients add up to zero?"""
    if not isinstance(form, Sum) or sum(c for _, c in form.terms):
        return False
    return all(not algebra.parts(m)[2] for m, _ in form.terms)


def constant_of(var: Variable) -> Fraction | None:
    """The exact value of a finite constant scalar, or of an array of one value."""
    if isinstance(var, Constant):
        data = np.asarray(var.data)
        if data.dtype.kind not in "fiub" or data.size == 0:
            return None
        first = data.reshape(-1)[0]
        if data.ndim and not (data == first).all():
            return None
        if data.ndim and data.size > 1:
            return None
        return Fraction(first.item()) if np.isfinite(first) else None
    if var.owner is not None and isinstance(var.owner.op, DimShuffle):
        return constant_of(var.owner.inputs[0])
    return None


# -- readers: one for each Op that forms know ------------------------------------------------


def _elemwise(view: View, node: Apply, a: Lifting) -> Form | None:
    op = operator_of(node.op)
    if isinstance(node.op.scalar_op, Cast):
        return _cast(view, node, a)
    reader = ELEMWISE.get(op)
    if reader is not None:
        return reader(view, node, a)
    return view.define(op, node.inputs, a) if _same_dtype(node, a) else None


def _plain(constructor: Callable[..., Form]) -> Reader:
    def read(view: View, node: Apply, a: Lifting) -> Form | None:
        return constructor(a, *(view.operand(i, a) for i in node.inputs))

    return read


def _exp(view: View, node: Apply, a: Lifting) -> Form | None:
    if node.inputs[0].type.dtype != a.dtype:
        return None  # the exponential of an integer is computed as written
    return a.exp(view.read(node.inputs[0]))


def _log(view: View, node: Apply, a: Lifting) -> Form | None:
    return a.log(view.read(node.inputs[0])) if node.inputs[0].type.dtype == a.dtype else None


def _pow(view: View, node: Apply, a: Lifting) -> Form | None:
    base, power = node.inputs
    value = constant_of(power)
    if value is not None:
        form = view.operand(base, a)
        return None if form is a.zero else a.pow(form, value)
    root = constant_of(base)
    if root is not None and root > 0 and power.type.dtype == a.dtype:
        return a.exp(a.mul(a.log(a.const(root)), view.read(power)))
    coeff, expo, factors = a.parts(view.operand(base, a))
    if not expo.terms:
        return None
    exponent = view.operand(power, a)
    rest = a.prod(coeff, a.no_exponent, dict(factors))
    raised = a.one if rest is a.one else a.app(T.pow, rest, exponent)
    return a.mul(a.exp(a.mul(expo, exponent)), raised)


def _second(view: View, node: Apply, a: Lifting) -> Form | None:
    shape, value = node.inputs
    return a.mul(view.operand(value, a), a.app(T.ones_like, view.leaf(shape, a)))


def _switch(view: View, node: Apply, a: Lifting) -> Form | None:
    cond, yes, no = node.inputs
    if constant_of(cond) is not None:
        return None
    where = view.leaf(cond, a)
    left, right = view.operand(yes, a), view.operand(no, a)
    if right is a.zero or left is a.zero:
        kept = left if right is a.zero else right
        return a.mul(kept, a.app(T.mask, where, right is a.zero))
    return left if left is right else a.app(T.switch, where, left, right)


def _same_dtype(node: Apply, a: Lifting, start: int = 0) -> bool:
    return all(i.type.dtype == a.dtype for i in node.inputs[start:] if isinstance(i.type, TensorType) and i.type.ndim)


def axes_of(node: Apply) -> tuple[int, ...]:
    axis = getattr(node.op, "axis", None)
    ndim = node.inputs[0].type.ndim
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(x % ndim for x in (axis if isinstance(axis, (tuple, list)) else [axis])))


def _reduction(name: str) -> Reader:
    def read(view: View, node: Apply, a: Lifting) -> Form | None:
        if node.inputs[0].type.dtype != a.dtype:
            return None
        axes, form = axes_of(node), view.read(node.inputs[0])
        if not form.bcast and node.inputs[0].type.ndim:
            form = a.mul(form, a.app(T.ones_like, view.leaf(node.inputs[0], a)))
        return a.drop(getattr(a, name)(form, axes), axes)

    return read


def _cumsum(view: View, node: Apply, a: Lifting) -> Form | None:
    axis = 0 if node.op.axis is None and node.inputs[0].type.ndim == 1 else node.op.axis
    if node.op.mode != "add" or node.inputs[0].type.dtype != a.dtype or axis is None:
        return None
    form = view.read(node.inputs[0])
    return a.cumsum(form, axis % node.inputs[0].type.ndim) if form.bcast else None


def _move(build: Callable[[Apply, list[Variable], Any], Move | None]) -> Reader:
    def read(view: View, node: Apply, a: Lifting) -> Form | None:
        move = build(node, node.inputs[1:], tuple(node.inputs[0].type.broadcastable))
        if move is None or node.inputs[0].type.dtype != a.dtype:
            return None
        form = view.read(node.inputs[0])
        return a.move(form, move) if not form.bcast or form.bcast == move.whole else None

    return read


def _dimshuffle(node: Apply, index: list[Variable], whole: Any) -> Move:
    return Shuffle(tuple(node.op.new_order), whole)


def _subtensor(node: Apply, index: list[Variable], whole: Any) -> Move:
    return Index(tuple(indices_from_subtensor(index, node.op.idx_list)), whole)


def _advanced(node: Apply, index: list[Variable], whole: Any) -> Move | None:
    entries: list[Any] = []
    for i in index:
        if isinstance(i.type, SliceType):
            if not isinstance(i, Constant):
                return None
            entries.append(i.data)
        elif isinstance(i.type, NoneTypeT) or getattr(i.type, "dtype", "bool") == "bool":
            return None
        else:
            entries.append(i)
    return Index(tuple(entries), whole)


def _reshape(node: Apply, index: list[Variable], whole: Any) -> Move:
    return Reshape(index[0], node.op.ndim, whole)


def _scatter(entries: Callable[[Apply, list[Variable], Any], Move | None]) -> Reader:
    def read(view: View, node: Apply, a: Lifting) -> Form | None:
        like, values, *index = node.inputs
        if view.operand(like, a) is not a.zero and not is_zeros(like):
            return None
        if values.type.dtype != a.dtype:
            return None
        move = entries(node, index, tuple(like.type.broadcastable))
        if move is None or move.result() != tuple(values.type.broadcastable):
            return None
        return a.scatter(view.read(values), move, view.leaf(node.outputs[0], a))  # type: ignore[arg-type]

    return read


def is_zeros(var: Variable) -> bool:
    try:
        return bool(get_scalar_constant_value(var) == 0)
    except NotScalarConstantError:
        return False


def _join(view: View, node: Apply, a: Lifting) -> Form | None:
    axis, *parts = node.inputs
    place = constant_of(axis)
    if place is None or not _same_dtype(node, a, 1):
        return None
    forms = [view.read(p) for p in parts]
    if not any(hot(f) for f in forms) or not all(f.bcast for f in forms):
        return None
    ndim = node.outputs[0].type.ndim
    return a.app(T.join, *forms, int(place) % ndim, bcast=tuple(node.outputs[0].type.broadcastable))


def _alloc(view: View, node: Apply, a: Lifting) -> Form | None:
    value = node.inputs[0]
    form = view.operand(value, a)
    if form.bcast:
        extra = node.outputs[0].type.ndim - value.type.ndim
        form = a.shuffle(form, tuple(["x"] * extra + list(range(value.type.ndim))))
    return a.mul(form, a.app(T.ones_like, view.leaf(node.outputs[0], a)))


def _dot(view: View, node: Apply, a: Lifting) -> Form | None:
    if not _same_dtype(node, a):
        return None
    left, right = (view.read(i) for i in node.inputs)
    if not left.bcast or not right.bcast:
        return None
    batched = isinstance(node.op, BatchedDot)
    return a.dot(T.batched_dot if batched else T.dot, left, right, int(batched))


def _softmax(view: View, node: Apply, a: Lifting) -> Form | None:
    if not _same_dtype(node, a):
        return None
    return view.define(SOFTMAX[type(node.op)], node.inputs, a, axes_of(node))


def _define(self: View, op: Operator, inputs: list[Variable], a: Lifting, *parameters: Any) -> Form | None:
    """An Op read as what relations say it means."""
    found = self.definitions.get(op)
    if found is None:
        return None
    left, right = found
    operands = [self.operand(i, a) for i in inputs]
    bindings = dict(zip(left[1:], [*operands, *parameters]))
    return instantiate(right, bindings, a, self.definitions)


View.define = _define  # type: ignore[attr-defined]

ELEMWISE: dict[Operator, Reader] = {
    T.add: _plain(Lifting.add),
    T.sub: _plain(Lifting.sub),
    T.mul: _plain(Lifting.mul),
    T.true_div: _plain(Lifting.div),
    T.neg: _plain(Lifting.neg),
    T.reciprocal: _plain(lambda a, x: a.pow(x, -ONE)),
    T.sqr: _plain(lambda a, x: a.pow(x, Fraction(2))),
    T.sqrt: _plain(lambda a, x: a.pow(x, HALF)),
    T.abs: _plain(Lifting.abs),
    T.tensor_copy: _plain(lambda a, x: x),
    T.exp: _exp,
    T.log: _log,
    T.pow: _pow,
    T.fill: _second,
    T.switch: _switch,
}

def _cast(view: View, node: Apply, a: Lifting) -> Form | None:
    """``cast(softmax(n))`` of integers n, which Aesara computes in float16 or refuses."""
    inner = node.inputs[0].owner
    if inner is None or type(inner.op) not in (Softmax, LogSoftmax):
        return None
    if inner.inputs[0].type.dtype in FLOATS:
        return None
    return view.define(SOFTMAX[type(inner.op)], inner.inputs, a, axes_of(inner))


SOFTMAX = {Softmax: T.softmax, LogSoftmax: T.log_softmax, SoftmaxGrad: T.softmax_grad}

READERS: dict[type, Reader] = {
    Elemwise: _elemwise,
    SumOp: _reduction("sum"),
    Max: _reduction("max"),
    MaxAndArgmax: _reduction("max"),
    CumOp: _cumsum,
    ProdOp: _reduction("prod_along"),
    DimShuffle: _move(_dimshuffle),
    Subtensor: _move(_subtensor),
    AdvancedSubtensor: _move(_advanced),
    AdvancedSubtensor1: _move(_advanced),
    ReshapeOp: _move(_reshape),
    IncSubtensor: _scatter(_subtensor),
    AdvancedIncSubtensor: _scatter(_advanced),
    AdvancedIncSubtensor1: _scatter(_advanced),
    Alloc: _alloc,
    Join: _join,
    Dot: _dot,
    BatchedDot: _dot,
    Softmax: _softmax,
    LogSoftmax: _softmax,
    SoftmaxGrad: _softmax,
}
__all__ = ["View"]
