"""Matching and unification modulo a theory: free, C, A, AC, ACI, units and inverses, mixed."""

from kanrewrite.ac.disequality import neq
from kanrewrite.ac.goals import Eq, Written, default_theory, eq, set_default_theory
from kanrewrite.ac.interned import Interned
from kanrewrite.ac.matching import (
    Matcher,
    Substitution,
    compile,  # noqa: A004  # the field's word for it
    match,
)
from kanrewrite.ac.overlaps import Overlap, overlaps
from kanrewrite.ac.sorts import Sort, ground
from kanrewrite.ac.terms import store, term
from kanrewrite.ac.unification import Unifiers, is_complete, unify

__all__ = [
    "Eq",
    "Interned",
    "Matcher",
    "Overlap",
    "Sort",
    "Substitution",
    "Unifiers",
    "Written",
    "compile",
    "default_theory",
    "eq",
    "ground",
    "is_complete",
    "match",
    "neq",
    "overlaps",
    "set_default_theory",
    "store",
    "term",
    "unify",
]
