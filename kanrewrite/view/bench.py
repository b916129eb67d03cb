"""The bench: what every part of building needs, none of which looks at exponents."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable

from kanrewrite.terms import T
from kanrewrite.view.context import Context, Scaled
from kanrewrite.view.forms import HALF, ONE, ZERO, App, Axes, Form, Leaf, Lin
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Move, with_shape
from kanrewrite.view.places import moved
from kanrewrite.view.read import View
from kanrewrite.view.recognise import Recogniser
from kanrewrite.view.reuse import Reuse


class Bench:
    """Makes variables of one dtype, each once.

    Parameters
    ----------
    view
        Whose forms are built.
    dtype
        The float dtype of every result.
    recogniser
        Turns parts of forms into fused operators, if any.
    reuse
        What of the graph may be used though it will be rewritten.
    """

    def __init__(
        self,
        view: View,
        dtype: str,
        recogniser: Recogniser | None = None,
        reuse: Reuse | None = None,
    ):
        self.view = view
        self.a: Lifting = view.algebra(dtype)
        self.dtype = dtype
        self.recogniser = recogniser
        self.reuse = reuse or Reuse()
        self._made: dict[Any, Variable[Any, Any]] = {}
        self._low: set[Form] = set()
        self._factors: dict[Variable[Any, Any], list[Variable[Any, Any]]] = {}

    # -- what the classes above this one add: the parts of building call each other ----------

    def value(self, form: Form, where: Context | None = None) -> Variable[Any, Any]:
        """The variable of a form."""
        raise NotImplementedError

    def split(self, form: Form, where: Context) -> Scaled:
        """A form as exponent and rest."""
        raise NotImplementedError

    def is_built(self, form: Form, where: Context) -> bool:
        """Tell whether a form has been split there."""
        raise NotImplementedError

    def log_parts(self, form: Form, outer: Lin | None = None, alike: bool = False) -> Scaled:
        """``outer + log(form)`` as ``(e, r)`` with the value ``e + r``."""
        raise NotImplementedError

    def sign_of(self, form: Form) -> Variable[Any, Any]:
        """Something of the sign of a form, even where its exponent is out of range; nan at nan."""
        raise NotImplementedError

    def below_zero(self, form: Form) -> Variable[Any, Any]:
        """Whether a form is negative, even where its exponent is out of range."""
        raise NotImplementedError

    def low(self, level: Variable[Any, Any]) -> Leaf:
        """A level that is -inf where there is nothing, as a form."""
        raise NotImplementedError

    # -- variables --------------------------------------------------------------------------

    def constant(self, value: Fraction) -> Variable[Any, Any]:
        """A number."""
        return self.constant_of(float(value))

    def constant_of(self, value: float) -> Variable[Any, Any]:
        """A number as a variable; it may be infinite."""
        return at.constant(np.asarray(value, dtype=self.dtype))

    def or_one(self, rest: Variable[Any, Any] | None) -> Variable[Any, Any]:
        """The rest of a form, written out where it is 1."""
        return self.constant(ONE) if rest is None else rest

    def make(self, op: Any, *inputs: Any, **parameters: Any) -> Variable[Any, Any]:
        """Apply an op once; the same call again gives the same variable."""
        key = (op, inputs, tuple(sorted(parameters.items())))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = op(*inputs, **parameters)
        return made

    def keepdims(self, op: Any, var: Variable[Any, Any], axes: Axes) -> Variable[Any, Any]:
        """A reduction, with the reduced axes kept at length 1."""
        if not var.type.ndim or all(var.type.broadcastable[a] for a in axes):
            return var  # a number is the same along all dimensions
        left = iter(range(var.type.ndim))
        order = tuple("x" if d in axes else next(left) for d in range(var.type.ndim))
        return self.make(dimshuffled, self.make(op, var), order)

    def atom(self, var: Variable[Any, Any]) -> Leaf:
        """A variable that was built, as a form."""
        return self.a.leaf(var, tuple(var.type.broadcastable))

    def leaf(self, form: Leaf) -> Variable[Any, Any]:
        """The variable of a leaf, in the dtype of the results."""
        var: Variable[Any, Any] = form.var
        return var if var.type.dtype == self.dtype else self.make(at.cast, var, dtype=self.dtype)

    def raw(self, form: Form) -> Variable[Any, Any]:
        """A condition as it is, without a cast."""
        if isinstance(form, Leaf):
            var: Variable[Any, Any] = form.var
            return var
        assert isinstance(form, App)
        if form.op in (T.dimshuffle, T.subtensor):
            inner, move = form.args
            return self.make(move.apply, self.filled(self.raw(inner), inner, move))
        negative = form.op is T.lt and form.args[1] is self.a.zero
        return self.below_zero(form.args[0]) if negative else self.value(form)

    def filled(self, var: Variable[Any, Any], form: Form, move: Move) -> Variable[Any, Any]:
        """What is moved, with the lengths that the move needs: those of a witness."""
        var = self.make(with_shape, var, move.whole)
        if var.type.broadcastable == move.whole:
            return var
        return self.make(at.second, self.value(self.a.witness.get(move, form)), var)

    def masked(
        self, mask: App, yes: Variable[Any, Any], no: Variable[Any, Any]
    ) -> Variable[Any, Any]:
        """One value where a mask keeps, another where it hides."""
        cond = self.raw(mask.args[0])
        kept, hidden = (yes, no) if mask.args[1] else (no, yes)
        return self.make(at.switch, cond, kept, hidden)

    def either(self, one: Variable[Any, Any], other: Variable[Any, Any]) -> Variable[Any, Any]:
        """Where one of two is true: Aesara gives the disjunction of a constant wrong lengths."""
        return self.make(at.switch, one, at.constant(np.bool_(True)), other)

    def all_masked(
        self, masks: Iterable[App], yes: Variable[Any, Any], no: Variable[Any, Any]
    ) -> Variable[Any, Any]:
        """One value where all of some masks keep, another where one hides."""
        return reduce(lambda kept, mask: self.masked(mask, kept, no), masks, yes)

    def both(self, one: Variable[Any, Any], other: Variable[Any, Any]) -> Variable[Any, Any]:
        """Where both of two are true."""
        return self.make(at.switch, one, other, at.constant(np.bool_(False)))

    def multiplies(self, mask: App) -> bool:
        """Tell whether a mask, which may have been moved, is a factor and hides no nan.

        Zero times nan is nan; but a choice may hide anything.
        """
        return mask.op is T.mask and moved(mask.args[0])[1] not in self.a.conditions

    # -- products and sums of variables -----------------------------------------------------

    def product(
        self, coeff: Fraction, rests: list[tuple[Variable[Any, Any], Fraction]]
    ) -> Variable[Any, Any] | None:
        """``coeff * r1**k1 * ...`` with one division."""
        rests = self._alike(rests)
        above = [self.power(r, k) for r, k in rests if k > 0]
        below = [self.power(r, -k) for r, k in rests if k < 0]
        out, bottom = self.times(above), self.times(below)
        if coeff == -1 and len(rests) == 1 and rests[0][1] == 2:
            out = self.times([self.constant(coeff), rests[0][0], rests[0][0]])
        elif coeff == -1 and out is not None:
            # what is negated may be needed as it is too
            out, factors = self.make(at.neg, out), self._factors.get(out, above)
            self._factors[out] = [self.constant(coeff), *factors]
        elif coeff != 1:
            out = self.times([self.constant(coeff), *above])
        if bottom is None:
            return out
        if out is None:
            return self.make(at.reciprocal, bottom)
        return self.make(at.true_divide, out, bottom)

    def _alike(
        self, rests: list[tuple[Variable[Any, Any], Fraction]]
    ) -> list[tuple[Variable[Any, Any], Fraction]]:
        """The square of a product for that of squares, of which one may be out of range."""
        alike: dict[Fraction, list[Variable[Any, Any]]] = {}
        for r, k in rests:
            if abs(k) > 1:
                alike.setdefault(k, []).append(r)
        several = {k: self.times(found) for k, found in alike.items() if len(found) > 1}
        left = [(r, k) for r, k in rests if k not in several]
        return left + [(r, k) for k, r in several.items() if r is not None]

    def times(self, factors: list[Variable[Any, Any]]) -> Variable[Any, Any] | None:
        """The product of variables, None for none."""
        if len(factors) < 2:
            return factors[0] if factors else None
        out = self.make(at.mul, *factors)
        self._factors[out] = factors
        return out

    def scaled(
        self, power: Variable[Any, Any], rest: Variable[Any, Any] | None
    ) -> Variable[Any, Any]:
        """A power times a rest, if there is one."""
        return power if rest is None else self.make(at.mul, power, rest)

    def factors(self, var: Variable[Any, Any] | None) -> list[Variable[Any, Any]]:
        """What a product was made of; a variable that is none is its only factor."""
        return [] if var is None else self._factors.get(var, [var])

    def power(self, var: Variable[Any, Any], k: Fraction) -> Variable[Any, Any]:
        """``var**k``, by the operator that has a name for it."""
        if k == 1:
            return var
        if k == 2:
            return self.make(at.square, var)
        if k == HALF:
            return self.make(at.sqrt, var)
        return self.make(at.pow, var, self.constant(k))

    def total(self, terms: list[tuple[Fraction, Variable[Any, Any]]]) -> Variable[Any, Any]:
        """``c1*v1 + c2*v2 + ...``, subtracting what is negative.

        A number comes after a difference, which may be exact.
        """
        out: Variable[Any, Any] | None = None
        differs = len({c > 0 for c, v in terms if not isinstance(v, Constant)}) > 1
        for c, v in sorted(terms, key=lambda t: (differs and isinstance(t[1], Constant), t[0] < 0)):
            scaled = v if abs(c) == 1 else self.make(at.mul, self.constant(abs(c)), v)
            if out is None:
                out = scaled if c > 0 else self.make(at.neg, scaled)
            else:
                out = self.make(at.add if c > 0 else at.sub, out, scaled)
        return self.constant(ZERO) if out is None else out


def dimshuffled(var: Any, order: tuple[int | str, ...]) -> Any:
    """A variable with its dimensions in another order."""
    return var.dimshuffle(order)
