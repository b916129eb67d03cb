"""Which nodes can be the root of a match, and which graphs can hold one: asked before matching.

A node is rejected without building anything when its Op cannot be read as the head of a pattern,
or when an operator that the pattern needs does not occur at or below the node.  Both questions
follow the readings of a view: a quotient is a product, a Softmax is what relations define it as.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from aesara.graph.basic import Apply
from aesara.tensor import math, special, subtensor
from aesara.tensor.basic import Alloc, Join
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import CAReduce, DimShuffle
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.shape import Reshape

from kanrewrite.terms import OWN, Operator, Term, operator_of
from kanrewrite.unify import elementwise_op, reduction_of

#: What an operator of a relation is defined as: the two sides of an equation.
Definitions = Mapping[Operator, tuple[Any, Any]]

#: The operators behind the Ops that are not elementwise.
NAMES: dict[type, str] = {
    math.MaxAndArgmax: "max",
    math.Argmax: "argmax",
    math.Dot: "dot",
    BatchedDot: "batched_dot",
    CumOp: "cumsum",
    special.Softmax: "softmax",
    special.LogSoftmax: "log_softmax",
    special.SoftmaxGrad: "softmax_grad",
    DimShuffle: "dimshuffle",
    Reshape: "reshape",
    subtensor.Subtensor: "subtensor",
    subtensor.AdvancedSubtensor: "subtensor",
    subtensor.AdvancedSubtensor1: "subtensor",
    subtensor.IncSubtensor: "scatter",
    subtensor.AdvancedIncSubtensor: "scatter",
    subtensor.AdvancedIncSubtensor1: "scatter",
    Alloc: "alloc",
    Join: "join",
}
#: Operators that axioms add, remove or hide: that a graph lacks them says nothing.
AXIOMATIC = frozenset(
    {
        "add", "sub", "neg", "mul", "true_div", "reciprocal", "sqr", "sqrt", "pow", "fill",
        "second", "cast", "const", "mask", "ones_like", "zeros_like", "size", "shift", "switch",
        "dimshuffle", "drop", "reshape", "subtensor", "scatter", "alloc", "join", "cumprod",
    }
)  # fmt: skip
#: Their Ops are told apart by what they reduce with, not by their classes.
REDUCTIONS = frozenset({"sum", "prod", "max", "min", "all", "any"})
_PRODUCT = frozenset(
    {
        "mul",
        "true_div",
        "reciprocal",
        "pow",
        "sqr",
        "sqrt",
        "neg",
        "exp",
        "exp2",
        "switch",
        "add",
        "sub",
    }  # a sum whose terms share a factor
)
_SUM = frozenset({"add", "sub", "neg", "mul", "true_div", "log"})
#: The operators that products are made of, and those that factors leave.
_FACTORED = frozenset({"mul", "true_div", "reciprocal", "pow", "sqr", "sqrt", "neg"})
_LEFT = frozenset({"sum", "dot", "batched_dot", "cumsum"})
_REDUCED = frozenset({"dimshuffle", "dot", "batched_dot"})
#: The operators whose values a view may read as a term of this head.
READ_AS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("mul", "true_div", "reciprocal", "pow", "sqr", "sqrt"), _PRODUCT),
    **dict.fromkeys(("add", "sub"), _SUM),
    "neg": _PRODUCT | _SUM | {"sum", "cumsum", "dot", "batched_dot"},  # a sign leaves these
    "exp": _PRODUCT,
    "log": frozenset({"log2", "log10", "log1p"}),
    "argmax": frozenset({"max"}),  # one Op computes both
    "cumprod": frozenset({"cumsum"}),
    **dict.fromkeys(("sum", "prod", "max", "min", "all", "any", "logsumexp"), _REDUCED),
}


def operators_of(term: Any) -> Iterator[str]:
    """The names of the operators of a pattern, each where it occurs."""
    if isinstance(term, Term):
        op = getattr(term[0], "op", None)
        yield name_of(op) if type(op) in OWN else str(getattr(term[0], "name", term[0]))
        for part in term[1:]:
            yield from operators_of(part)


def required(pattern: Any) -> frozenset[str]:
    """The operators without which a graph cannot hold a match of a pattern.

    Examples
    --------
    >>> from kanrewrite.terms import Param, T
    >>> x = Param("required:x")
    >>> sorted(required(T.log(T.exp(x) / T.sum(T.exp(x)))))
    ['exp', 'log', 'sum']
    """
    return frozenset(operators_of(pattern)) - AXIOMATIC


def name_of(op: Any) -> str:
    """The name of the operator that an Op computes."""
    own = OWN.get(type(op))
    return own.name if own is not None else _name_of(op)


@lru_cache(maxsize=4096)
def _name_of(op: Hashable) -> str:
    reduction = reduction_of(op)
    if reduction is not None:
        return reduction.name
    for kind in type(op).__mro__:
        if kind in NAMES:
            return NAMES[kind]
    return operator_of(op).name


def heads_of(pattern: Term, definitions: Definitions | None = None) -> frozenset[str]:
    """The operators whose values can be read as a match of a pattern."""
    head = next(operators_of(pattern))
    heads = {head} | READ_AS.get(head, frozenset())
    while True:
        more = {
            operator.name
            for operator, (_, meaning) in (definitions or {}).items()
            if isinstance(meaning, Term) and meaning[0].name in heads
        }
        if more <= heads:
            return frozenset(heads)
        heads |= more


def roots_of(rule: Any, definitions: Definitions | None = None) -> frozenset[str]:
    """The operators at whose nodes a rule is tried.

    What is constant along a sum leaves it: a user's rule about a product with a sum is tried at
    sums, too, of which what they are of may have been divided already, and one about a sum of what
    is divided by a reduction at products.
    """
    heads = heads_of(rule.pattern, definitions)
    if rule.relation.bundled:
        return heads
    if rule.pattern[0].name == "abs" and _is_product(rule.pattern[1]):
        heads |= READ_AS["mul"]  # what is never negative leaves it
    sums = _LEFT.intersection(str(term[0].name) for term in _factors(rule.pattern))
    if sums == {str(rule.pattern[0].name)} and _may_leave(rule.pattern):
        sums = READ_AS["mul"]
    return heads | sums


def _is_product(pattern: Any) -> bool:
    return isinstance(pattern, Term) and getattr(pattern[0], "name", "") in _FACTORED


def _factors(pattern: Any) -> Iterator[Term]:
    """What a product is made of, or what is no product."""
    if isinstance(pattern, Term):
        if not _is_product(pattern):
            yield pattern
        else:
            for part in pattern[1:]:
                yield from _factors(part)


def _may_leave(pattern: Term) -> bool:
    """Whether a factor of what is summed has been reduced along the same axes."""
    axis = pattern[2:3]
    return any(f[0].name in REDUCTIONS and f[2:3] == axis for f in _factors(pattern[1]))


def ops_of(heads: Iterable[str], pattern: Term) -> list[Any]:
    """Ops and classes of Ops to track for some operators."""
    wanted = set(heads)
    tracked: list[Any] = [kind for kind, name in NAMES.items() if name in wanted]
    if wanted & REDUCTIONS:
        tracked.append(CAReduce)
    for name in sorted(wanted):
        op = elementwise_op(name)
        if op is not None:
            tracked.append(op)
    own = getattr(pattern[0], "op", None) or getattr(pattern[0], "kind", None)
    return [*tracked, own] if own is not None else tracked


class Signatures:
    """For each node, which operators occur at or below it, as bits of one number.

    Parameters
    ----------
    names : iterable of str
        The operators that are asked about.
    definitions : mapping, optional
        Ops that are read as something else bring the operators of what they mean.
    """

    def __init__(self, names: Iterable[str], definitions: Definitions | None = None):
        self._bits = {name: 1 << n for n, name in enumerate(sorted(set(names)))}
        self._definitions = {op.name: meaning for op, (_, meaning) in (definitions or {}).items()}
        # By identity, since an Op's own hash takes long; the Op is kept so that it stays its own.
        self._own: dict[int, tuple[Hashable, int]] = {}
        self._below: dict[Apply[Any], int] = {}

    def mask(self, names: Iterable[str]) -> int:
        """The bits of some operators."""
        return sum(self._bits[name] for name in set(names))

    def forget(self) -> None:
        """Drop what is known of the nodes, because the graph has changed."""
        self._below.clear()
        self._own.clear()

    def of(self, node: Apply[Any]) -> int:
        """The operators at or below a node; the nodes below are visited once."""
        known = self._below.get(node)
        if known is not None:
            return known
        stack = [node]
        while stack:
            top = stack[-1]
            owners = [x.owner for x in top.inputs if x.owner is not None]
            unknown = [owner for owner in owners if owner not in self._below]
            if unknown:
                stack.extend(unknown)
                continue
            stack.pop()
            mask = self._of_op(top.op)
            for owner in owners:
                mask |= self._below[owner]
            self._below[top] = mask
        return self._below[node]

    def _of_op(self, op: Hashable) -> int:
        own = self._own.get(id(op))
        if own is None:
            mask = self.mask(self._read(name_of(op)) & self._bits.keys())
            own = self._own[id(op)] = (op, mask)
        return own[1]

    def _read(self, name: str) -> set[str]:
        """Every operator that a value of this one may be read to hold."""
        found, waiting = set[str](), [name]
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            waiting.extend(operators_of(self._definitions.get(name)))
            waiting.extend(head for head, others in READ_AS.items() if name in others - AXIOMATIC)
            if name == "pow":  # a power of a number is an exponential
                waiting.append("exp")
        return found
