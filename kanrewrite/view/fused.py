"""Fused operators: where what they compute may meet, told by the heads of nodes.

A sigmoid, a tanh or a softplus that somebody wrote is in range, and right by itself.  In
elementwise arithmetic something is gained only where it vanishes beside another one that depends on
the same, is subtracted of a number, or is under a log.  Reading takes some hundred microseconds a
node, this a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from aesara.graph.basic import Apply, Variable
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.math import Max, MaxAndArgmax

from kanrewrite.laws import Laws
from kanrewrite.terms import Operator, T
from kanrewrite.view.candidates import may_meet
from kanrewrite.view.demand import LOGS, Demand
from kanrewrite.view.events import EXPONENTIALS
from kanrewrite.view.forms import Form
from kanrewrite.view.heat import fades, hot
from kanrewrite.view.levels import overflows, vanishes
from kanrewrite.view.merging import holds_log
from kanrewrite.view.nodes import constant_of, head, is_number
from kanrewrite.view.read import View

Graph = Variable[Any, Any]
Factors = frozenset[tuple[Graph, float]]
#: Of products of more factors it is not told what they are.
MANY = 32
#: Sums of more are not taken to vanish with them.
FEW = 2
#: So many summands of an exponent are looked at.
ROOTS = 64

#: What multiplies and divides, and what changes no more than a sign.
PRODUCTS = {
    T.mul, T.true_div, T.neg, T.reciprocal, T.sqr, T.sqrt, T.abs, T.fill, T.tensor_copy,
}  # fmt: skip
SUMS = {T.add, T.sub}
CHOICES = {T.switch, T.maximum, T.minimum, T.clip}
#: What is small where all of its operands are.
ADDED = SUMS | CHOICES
#: What is as small, or as large, as an exponential of its operand.
SHOWING = {T.exp, T.exp2, T.sigmoid}


class Kind(NamedTuple):
    """What a fused operator computes."""

    #: It is as small as exponentials may be.
    vanishes: bool = False
    #: What is left of a number beside it may be.
    saturates: bool = False
    #: It is as large as what it is computed of, as a softplus.
    grows: bool = False


class Size(NamedTuple):
    """What of the size of a value is known by the heads of what it is computed of."""

    #: It is made of more than fused operators and arithmetic, so that all of it is read.
    written: bool = False
    #: The fused operators that multiply it, with their powers.
    factors: Factors = frozenset()
    #: What else does.
    others: frozenset[Graph] = frozenset()


COLD, WRITTEN = Size(), Size(written=True)


class Fused:
    """What fused operators compute in a graph.

    Parameters
    ----------
    laws
        What relations say that operators mean.
    variables
        All in which an exponential can show, inputs first.
    clients
        Who uses each variable.

    Attributes
    ----------
    apart : set
        The variables in which nothing but fused operators could meet, and they do not.
    """

    def __init__(
        self, laws: Laws, variables: Sequence[Graph], clients: Mapping[Graph, Sequence[Any]]
    ):
        self._laws = laws
        self._clients = clients
        self._kinds: dict[Graph, Kind] = {}
        self._roots: dict[Graph, dict[Graph, int]] = {}
        self._sizes: dict[Graph, Size] = {}
        self.apart: set[Graph] = set()
        for var in variables:
            self._sizes[var] = self._judge(var, var.owner)
        self._alone = not any(s.written for s in self._sizes.values())

    def leaves(self, demand: Demand) -> Iterator[Graph]:
        """The variables that nobody has to look into, by what is asked of all.

        Of those that are operands of what is looked into: nobody comes to the others.
        """
        opened: set[Graph] = set()
        #: What vanishes or grows in what is looked into, and what exponents are sums of.
        shown: set[Graph] = set()
        summed: set[Graph] = set()
        for var in reversed(self._sizes):
            node, whole = var.owner, var not in self.apart or var in opened
            warm = [i for i in node.inputs if i in self._sizes]
            if whole and var not in self._kinds:
                opened.update(self._looked_into(var, warm, demand))
                shown.update(warm)
            elif whole or (var in shown and self._shows(var)):
                # Nothing else is compared with what the exponent of a fused operator is made of.
                ends = self._alone and var in self._kinds
                (summed if ends else opened if whole else shown).update(warm)
            elif var in summed and self._is_summed(var):
                summed.update(warm)
            elif var in shown or var in summed:
                yield var
        if self._alone:  # nothing else is compared with what their exponents are made of
            exponents = dict.fromkeys(r for f in self._kinds for r in self._roots_of(f))
            yield from (r for r in exponents if r not in self._sizes)

    def _looked_into(self, var: Graph, warm: list[Graph], demand: Demand) -> Iterator[Graph]:
        """The operands of a node that are looked into as it is."""
        node, size, op = var.owner, self._sizes[var], head(var.owner)
        if var in self.apart or size.written or op not in PRODUCTS | SUMS:
            yield from (i for i in warm if not size.written or demand.asks(node, i))
        elif op in SUMS:  # (what vanishes in the operands of a product is not a leaf anyway)
            yield from (i for i in warm if _head_of(i) in SUMS)

    def _shows(self, var: Graph) -> bool:
        """Tell whether something in a variable vanishes, or is as large as its exponent."""
        return bool(self._sizes[var].factors) or self._grows(var.owner)

    def _is_summed(self, var: Graph) -> bool:
        """Tell whether an exponent is a sum of others, or as large as one."""
        node = var.owner
        linear = head(node) in (*SUMS, T.neg) or _is_scaled(node) or isinstance(node.op, DimShuffle)
        return linear or (var in self._kinds and self._kinds[var].grows)

    def _grows(self, node: Apply[Any]) -> bool:
        """Tell whether a sum holds what is as large as its exponent."""
        if head(node) not in SUMS:
            return False
        sizes = (self._sizes.get(i, COLD) for i, _ in _terms(node))
        return any(self._kinds[f].grows for s in sizes for f, _ in s.factors)

    def _judge(self, var: Graph, node: Apply[Any]) -> Size:
        op = head(node)
        warm = [i for i in node.inputs if i in self._sizes]
        sizes = [self._sizes.get(i, COLD) for i in node.inputs]
        plain = op not in EXPONENTIALS and (op is not None or isinstance(node.op, DimShuffle))
        if not plain or any(s.written for s in sizes) or _is_masked(node):
            return WRITTEN
        if op in ADDED and not any(s.factors for s in sizes):
            self.apart.add(var)  # nothing vanishes here
            return COLD
        if op in SUMS and self._is_complement(node):
            return WRITTEN
        meets = may_meet(node, len(warm)) and self._meets(node, op, sizes)
        if not meets:
            self.apart.add(var)
        if op in self._laws.definitions:
            kind = _kind(node.op, tuple(i.type for i in node.inputs), self._laws)
            if kind is not None and any(kind):
                self._kinds[var] = kind
                return Size(factors=frozenset({(var, 1.0)}))
            return WRITTEN if kind is None else COLD
        if op in PRODUCTS:
            return _of_product(node, op, sizes)
        factors = Factors().union(*(s.factors for s in sizes))
        if op in ADDED:
            pairs = zip(node.inputs, sizes, strict=True)
            small = all(s.factors or is_number(i) for i, s in pairs)
            known = (small or meets) and len(factors) <= FEW
            return Size(factors=factors if known else frozenset())
        return Size(factors=factors) if len(node.inputs) == 1 else WRITTEN

    # -- where they meet --------------------------------------------------------------------

    def _meets(self, node: Apply[Any], op: Operator | None, sizes: list[Size]) -> bool:
        """Tell whether something may be gained by reading a node."""
        if op in SUMS:
            return self._sum_gains(node, sizes)
        if op in (T.mul, T.true_div):
            return self._product_gains(op, sizes)
        if op is T.reciprocal:
            return node.inputs[0] not in self.apart
        return op not in CHOICES

    def _product_gains(self, op: Any, sizes: list[Size]) -> bool:
        """Tell whether what vanishes is beside what divides by something that does."""
        small = [
            [(f, k * _power(op, place)) for f, k in s.factors if self._kinds[f].vanishes]
            for place, s in enumerate(sizes)
        ]
        return any(
            k * j < 0 and self._alike(f, g)
            for one, other in combinations(small, 2)
            for f, k in one
            for g, j in other
        )

    def _is_complement(self, node: Apply[Any]) -> bool:
        """Tell whether a number is added to what saturates."""
        terms = [i for i, _ in _terms(node)]
        sizes = (s for i in terms if (s := self._sizes.get(i, COLD)).factors and not s.others)
        saturated = any(all(self._kinds[f].saturates for f, _ in s.factors) for s in sizes)
        return saturated and any(map(is_number, terms))

    def _sum_gains(self, node: Apply[Any], sizes: list[Size]) -> bool:
        """Tell whether terms of a sum may cancel that nothing else needs."""
        pairs = zip(node.inputs, sizes, strict=True)
        if any(s.factors and len(self._clients.get(i, ())) > 1 for i, s in pairs):
            return False
        warm, cold = [], []
        for i, sign in _terms(node):
            size = self._sizes.get(i, COLD)
            if not size.factors:
                cold.append((i, sign))
            elif len(self._clients.get(i, ())) < 2:
                warm.append((size, sign))
        return any(self._akin(s, t) for (s, _), (t, _) in combinations(warm, 2)) or any(
            self._takes_back(i, by, s, sign) for i, by in cold for s, sign in warm
        )

    def _akin(self, one: Size, other: Size) -> bool:
        """Tell whether two terms differ in fused operators of the same, and maybe in a factor."""
        if not (one.others <= other.others or other.others <= one.others):
            return False
        return any(
            k != j
            if f is g
            else self._roots_of(f).keys() == self._roots_of(g).keys()
            or (self._kinds[f].grows and self._kinds[g].grows and self._alike(f, g))
            for f, k in one.factors
            for g, j in other.factors
        )

    def _takes_back(self, cold: Graph, by: int, size: Size, sign: int) -> bool:
        """Tell whether a term cancels with one in which there are fused operators.

        With ``-x``, softplus(x) does, and with x does the product with a sigmoid.
        """
        mine = set(_factors(cold))
        if mine <= size.others:
            return True
        grown = [f for f, _ in size.factors if self._kinds[f].grows]
        if size.others:
            return bool(grown) and not mine.isdisjoint(size.others)
        roots = _roots([cold], self._kinds)
        return any(
            by * sign * roots[r] * c < 0
            for f in grown
            for r, c in self._roots_of(f).items()
            if r in roots
        )

    def _alike(self, one: Graph, other: Graph) -> bool:
        """Tell whether two fused operators depend on the same more than on others."""
        mine, others = self._roots_of(one).keys(), self._roots_of(other).keys()
        shared, number = len(mine & others), max(len(mine), len(others))
        return one is other or (shared > 0 and (number < 3 or len(mine ^ others) <= shared))

    def _roots_of(self, var: Graph) -> dict[Graph, int]:
        if var not in self._roots:
            self._roots[var] = _roots(var.owner.inputs[:1], self._kinds)
        return self._roots[var]


@lru_cache(maxsize=256)
def _kind(op: Any, types: tuple[Any, ...], laws: Laws) -> Kind | None:
    """What an operator computes by its definition, None if that may be out of range."""
    view, var = View(laws), op.make_node(*(t() for t in types)).outputs[0]
    form, a = view.read(var), view.algebra(var.type.dtype)

    def small(f: Form) -> bool:
        return vanishes(f, a) or fades(f)

    near = any(hot(f) and small(f) for f in (a.sub(a.one, form), a.add(a.one, form)))
    kind = Kind(small(form), hot(form) and near, holds_log(form))
    return None if overflows(form, a) else kind


def _of_product(node: Apply[Any], op: Operator, sizes: list[Size]) -> Size:
    factors: dict[Graph, float] = {}
    others: set[Graph] = set()
    for place, (i, size) in enumerate(zip(node.inputs, sizes, strict=True)):
        if op is T.fill and place == 0:
            continue
        for f, k in size.factors:
            factors[f] = factors.get(f, 0) + k * _power(op, place)
        others |= size.others
        if not size.factors and not is_number(i):
            others.add(i)
    known = len(factors) <= MANY
    return Size(False, frozenset(factors.items()), frozenset(others)) if known else WRITTEN


def _power(op: Operator, place: int) -> float:
    """The power of an operand in a product."""
    if op is T.reciprocal or (op is T.true_div and place == 1):
        return -1.0
    return 2.0 if op is T.sqr else 0.5 if op is T.sqrt else 1.0


def _signed(node: Apply[Any], sign: int) -> Iterator[tuple[Graph, int]]:
    """The terms of a node that adds, subtracts, negates or multiplies with numbers."""
    op = head(node)
    if op is T.mul:
        numbers = [c for i in node.inputs if (c := constant_of(i)) is not None]
        sign *= -1 if sum(c < 0 for c in numbers) % 2 else 1
        yield from ((i, sign) for i in node.inputs if not is_number(i))
        return
    for place, i in enumerate(node.inputs):
        if not is_number(i) or op in SUMS:
            yield i, -sign if op is T.neg or (op is T.sub and place == 1) else sign


def _terms(node: Apply[Any]) -> Iterator[tuple[Graph, int]]:
    """The terms of a sum, and those of its terms that are sums themselves, with their signs."""
    for var, sign in _signed(node, 1):
        inner = var.owner
        if inner is not None and head(inner) in (*SUMS, T.neg):
            yield from _signed(inner, sign)
        else:
            yield var, sign


def _factors(var: Graph) -> list[Graph]:
    """What a variable is the product of, but for numbers and signs."""
    node = var.owner
    if node is None or head(node) not in (T.mul, T.neg):
        return [var]
    return [i for i in node.inputs if not is_number(i)]


def _below_log(node: Apply[Any] | None) -> Iterator[Graph]:
    """The exponents that show in what a logarithm is taken of: it is as large as they are."""
    if node is None or head(node) not in LOGS:
        return
    stack = list(node.inputs)
    for _ in range(ROOTS):
        if not stack:
            return
        inner = stack.pop().owner
        if inner is not None and head(inner) in PRODUCTS | SUMS | CHOICES:
            stack += inner.inputs
        elif inner is not None and head(inner) in SHOWING:
            yield from inner.inputs[:1]


def _roots(variables: Iterable[Graph], kinds: Mapping[Graph, Kind]) -> dict[Graph, int]:
    """What exponents are linear combinations of, with the signs that they have in them.

    So is, beside itself, what something is as large as: the exponents below a logarithm, and what
    a softplus is of.
    """
    stack, found = [(var, 1) for var in variables], dict[Graph, int]()
    for _ in range(ROOTS):
        if not stack:
            break
        var, sign = stack.pop()
        node = var.owner
        if node is not None and (head(node) in (*SUMS, T.neg) or _is_scaled(node)):
            stack += _signed(node, sign)
        elif node is not None and isinstance(node.op, DimShuffle | Max | MaxAndArgmax):
            stack += [(i, sign) for i in node.inputs]
        elif not is_number(var):
            found[var] = sign
            grows = var in kinds and kinds[var].grows
            stack += [(i, sign) for i in (node.inputs[:1] if grows else _below_log(node))]
    return found


def _is_scaled(node: Apply[Any]) -> bool:
    """Tell whether a node multiplies with numbers only."""
    return head(node) is T.mul and sum(not is_number(i) for i in node.inputs) < 2


def _is_masked(node: Apply[Any]) -> bool:
    """Tell whether something of a product is true or false."""
    return any(getattr(i.type, "dtype", None) == "bool" for i in node.inputs)


def _head_of(var: Graph) -> Operator | None:
    return None if var.owner is None else head(var.owner)
