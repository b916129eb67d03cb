"""Terms and graphs: a graph read as nested terms, and a term built as a graph."""

from kanrewrite.unify import dispatch as dispatch  # what it registers is needed, not its names
from kanrewrite.unify.building import as_graph, elementwise_op
from kanrewrite.unify.reading import as_term, is_term, node_term, reduction_of, unread_below

__all__ = [
    "as_graph",
    "as_term",
    "elementwise_op",
    "is_term",
    "node_term",
    "reduction_of",
    "unread_below",
]
