"""Matching and unification modulo a theory: free, C, A, AC, units and inverses, mixed freely."""

from kanrewrite.ac.matching import Matcher, Substitution, compile, match
from kanrewrite.ac.terms import Interned, term

__all__ = [
    "Interned",
    "Matcher",
    "Substitution",
    "compile",
    "match",
    "term",
]
