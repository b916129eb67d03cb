"""Terms and theories."""

from __future__ import annotations

from collections.abc import Sequence

from kanrewrite.errors.base import KanrewriteError, told


class UnknownOperator(KanrewriteError, AttributeError):
    """A name that `T` does not have."""

    def __init__(self, name: str, near: Sequence[str]):
        meant = f" Did you mean {' or '.join('T.' + n for n in near)}?" if near else ""
        super().__init__(
            f"T.{name} is not an operator of patterns: aesara.tensor has no elementwise, "
            f"reduction or shape operator of that name.{meant}"
        )


class ConflictingTheory(KanrewriteError, ValueError):
    """An operator that two declarations give different axioms."""

    def __init__(self, op: object, where: str, known: object, where_else: str, declared: object):
        super().__init__(
            f"operator {op!r} is {known} in theory {where!r} and cannot also be {declared} "
            f"in {where_else!r}: modulo both, terms would be equal that each keeps apart. "
            "Declare the operator once, or use two operators."
        )


class UnitNotGround(KanrewriteError, ValueError):
    """A unit with a logic variable in it."""

    def __init__(self, theory: str, op: object, unit: object):
        super().__init__(
            f"the unit {unit!r} of operator {op!r} in theory {theory!r} holds a logic variable: "
            "a unit is one fixed element. Give a constant."
        )


class ImpossibleInverse(KanrewriteError, ValueError):
    """An inverse for an operator that cannot have this one."""

    def __init__(self, theory: str, op: object, known: object, taken: object = None):
        why = (
            "an inverse needs an operator that is AC with a unit; declare "
            f".ac({op!r}, unit=...) before"
            if taken is None
            else f"{taken!r} has axioms of its own or belongs to another operator; "
            "inverse and division must be free operators"
        )
        super().__init__(f"operator {op!r} ({known}) of theory {theory!r} has no inverse: {why}.")


class UnusableOperator(KanrewriteError, TypeError):
    """An operator that cannot be looked up."""

    def __init__(self, op: object):
        super().__init__(
            f"{op!r} cannot be an operator of a theory: an operator is a hashable value "
            "and no logic variable."
        )


class NotAGraph(KanrewriteError, TypeError):
    """Something that neither is nor holds a graph stands where one is wanted."""

    def __init__(self, value: object):
        super().__init__(
            f"{told(value)} is no graph. Give an Aesara variable, an "
            "Apply, a FunctionGraph, a compiled function, or a list of them."
        )


class NotAnOp(KanrewriteError, TypeError):
    """What `T.of` was given is no Op."""

    def __init__(self, value: object):
        super().__init__(
            f"T.of({told(value)}): it takes an Op of Aesara or a class of Ops. A Python function "
            "that builds a graph has no pattern of its own: call it with T's operators in place of "
            "aesara.tensor's, or give the Op that it applies."
        )


class PatternInGraph(KanrewriteError, TypeError):
    """An Op of Aesara was called on a pattern."""

    def __init__(self, term: object):
        super().__init__(
            f"an Op of Aesara was called on the pattern `{term}`, which is no variable of a graph. "
            "Write T.name(...) for what aesara.tensor calls name, and T.of(op)(...) for an Op of "
            "your own."
        )


class NoTruth(KanrewriteError, TypeError):
    """A comparison of patterns where Python decides by it."""

    def __init__(self, term: object):
        super().__init__(
            f"`{term}` is a pattern, neither true nor false: `if`, `and`, `or`, `not`, `min` and "
            "`max` cannot decide by it. Write T.switch(condition, x, y), `&`, `|`, T.invert(...), "
            "T.minimum or T.maximum; for a condition on parameters, eq(...).when(positive(x))."
        )


class NotBuildable(KanrewriteError, TypeError):
    """A term that is no graph."""

    def __init__(self, term: object, why: str):
        super().__init__(f"{term} cannot be built as a graph of Aesara: {why}.")
