"""Matching and unification modulo a theory: free, C, A, AC, units and inverses, mixed freely."""

from kanrewrite.ac.matching import Matcher, Substitution, compile, match
from kanrewrite.ac.terms import Interned, term
from kanrewrite.ac.unification import Unifiers, is_complete, unify

__all__ = [
    "Interned",
    "Matcher",
    "Substitution",
    "Unifiers",
    "compile",
    "is_complete",
    "match",
    "term",
    "unify",
]
