"""Terms: how patterns are written.

``T`` mirrors `aesara.tensor`: ``T.exp(x)`` is the pattern of ``at.exp(x)``.  A pattern is a
`Term`, a tuple of an `Operator` and its operands, so that cons, etuples and unification take it
as it is; a `Param` is a logic variable that can be computed with.
"""

from kanrewrite.terms.indices import Held, plain_index
from kanrewrite.terms.parts import is_variable, parameters_of, parts_of, with_part
from kanrewrite.terms.patterns import (
    ELEMENTWISE,
    MADE,
    OWN,
    Operator,
    Param,
    Size,
    T,
    Term,
    operator_of,
    pattern_of,
    show,
    stating,
)
from kanrewrite.terms.signatures import ALIASES

__all__ = [
    "ALIASES",
    "ELEMENTWISE",
    "MADE",
    "OWN",
    "Held",
    "Operator",
    "Param",
    "Size",
    "T",
    "Term",
    "is_variable",
    "operator_of",
    "parameters_of",
    "parts_of",
    "pattern_of",
    "plain_index",
    "show",
    "stating",
    "with_part",
]
