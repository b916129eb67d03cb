"""Matching, unification and the index of patterns."""

from __future__ import annotations

from kanrewrite.errors.base import KanrewriteError


class ForeignTerm(KanrewriteError, TypeError):
    """A matcher given something other than an interned term of its theory."""

    def __init__(self, subject: object, theory: str):
        super().__init__(
            f"a matcher modulo {theory!r} was given {subject!r}, which is not an interned term of "
            "that theory. Make one with kanrewrite.ac.term(subject, theory), or use "
            "kanrewrite.ac.match."
        )


class EndlessSet(KanrewriteError, RuntimeError):
    """A list asked for of a set of unifiers that has no known end."""

    def __init__(self, theory: str, equations: str, found: int):
        super().__init__(
            f"the unifiers of {equations} modulo {theory!r} cannot be made a list: modulo "
            "associativity alone, or with inverses beside other operators, the set may be "
            f"infinite, and after {found} of them the search had not ended. Take a number of them "
            "with itertools.islice."
        )


class Incomplete(KanrewriteError, RuntimeError):
    """A search given up before its end."""

    def __init__(self, theory: str, equations: str, found: int, steps: int):
        super().__init__(
            f"the search for unifiers of {equations} modulo {theory!r} was given up: {found} were "
            f"found, then {steps} steps brought no other. There may be more; what was found is "
            "right. Bind a variable, or add an equation that does, to make the search smaller."
        )


class IncompleteMatch(Incomplete):
    """A search for matches given up before its end."""

    def __init__(self, theory: str, pattern: str, subject: str, steps: int):
        KanrewriteError.__init__(
            self,
            f"the search for matches of {pattern} with {subject} modulo {theory!r} was given up: "
            f"{steps} steps brought no other. There may be more; what was found is right. Give "
            "variables sorts that are asked early, or parts with heads of their own.",
        )


class CyclicSubstitution(KanrewriteError, ValueError):
    """A substitution under which a variable contains itself."""

    def __init__(self, variable: object, value: object):
        super().__init__(
            f"the substitution binds {variable!r} to {value!r}, which contains {variable!r} again: "
            "the term would be infinite. Give each variable a term without it; kanren's own `eq` "
            "does not check this, kanrewrite's does."
        )


class DuplicateKey(KanrewriteError, KeyError):
    """A key that an index has already."""

    def __init__(self, key: object):
        self.key = key
        super().__init__(key)

    def __str__(self) -> str:
        return (
            f"the index has a pattern named {self.key!r} already: remove it first, or choose "
            "another key."
        )


class NoSuchKey(KanrewriteError, KeyError):
    """A key that an index does not have."""

    def __init__(self, key: object):
        self.key = key
        super().__init__(key)

    def __str__(self) -> str:
        return (
            f"the index has no pattern named {self.key!r}: it was never added, or removed before."
        )
