"""Every error of kanrewrite and the text of every message: what, where, why, what to do."""

from __future__ import annotations

from collections.abc import Sequence


class KanrewriteError(Exception):
    """Base of all errors that kanrewrite raises on purpose."""


class UnknownOperator(KanrewriteError, AttributeError):
    """A name that `T` does not have."""

    def __init__(self, name: str, near: Sequence[str]):
        meant = f" Did you mean {' or '.join('T.' + n for n in near)}?" if near else ""
        super().__init__(
            f"T.{name} is not an operator of patterns: aesara.tensor has no elementwise, "
            f"reduction or shape operator of that name.{meant}"
        )


class NoPackaging(KanrewriteError, ImportError):
    """The package ``packaging`` cannot be imported."""

    def __init__(self) -> None:
        super().__init__(
            "kanrewrite needs the package `packaging`, which cannot be found: without it etuples "
            "never unifies two expressions and Aesara misses rewrites, silently. "
            "Run `pip install packaging`."
        )


class NoBlasFlags(KanrewriteError, ImportError):
    """Aesara has read its settings without BLAS flags on a Python without distutils."""

    def __init__(self) -> None:
        super().__init__(
            "Aesara 2.9.4 looks for BLAS through numpy.distutils, which Python 3.12 no longer has, "
            "and its import has already failed in this process. Start Python again and import "
            "kanrewrite first, or set AESARA_FLAGS=blas__ldflags= before."
        )


class NoSuchStep(KanrewriteError, IndexError):
    """A rewrite that a trace does not have."""

    def __init__(self, n: int, count: int):
        why = (
            "the check fails without any rewrite, so none of them is at fault"
            if n == 0
            else f"the trace holds {count} rewrites; count them from 1"
        )
        super().__init__(f"no rewrite number {n}: {why}")


class BeyondReference(KanrewriteError, OverflowError):
    """A finite number too large for the high-precision reference."""

    def __init__(self, function: str, bits: int):
        super().__init__(
            f"the reference does not evaluate {function} of a finite argument beyond 2**{bits}: "
            "the result could not be written down. Use smaller inputs."
        )


class NoMeaning(KanrewriteError, NotImplementedError):
    """An Op whose mathematics the reference has not been told."""

    def __init__(self, op: object, where: str):
        kind = type(op)
        super().__init__(
            f"the reference does not know what {op} means (an Op of {kind.__module__}."
            f"{kind.__qualname__}), needed for {where}. Register it with "
            f"@kanrewrite.reference.register({kind.__qualname__})."
        )


class NoValue(KanrewriteError, KeyError):
    """A graph input without a value."""

    def __init__(self, variable: object):
        self.text = (
            f"the graph needs a value for {variable}: give it in `inputs`, "
            "or give one for something computed from it."
        )
        super().__init__(self.text)

    def __str__(self) -> str:
        return self.text


class NotConverged(KanrewriteError, ArithmeticError):
    """Two precisions still disagree at the largest number of digits."""

    def __init__(self, variable: object, index: object, digits: int, values: Sequence[str]):
        super().__init__(
            f"{variable}{list(index) if isinstance(index, tuple) and index else ''} has no value "
            f"that two precisions agree on: {values[0]}, then {values[1]} with {digits} digits. "
            "Its terms cancel too far; give a larger max_digits or other inputs."
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


class RuleLosesDerivative(KanrewriteError, ValueError):
    """A rule for the gradient of an expression does not cover all of the expression."""

    def __init__(self, rule: str, expr: object, variables: Sequence[object]):
        names = ", ".join(map(str, variables)) or "no variable"
        super().__init__(
            f"the gradient rule {rule} answered for the expression {expr} with terms for {names}, "
            "but the expression depends on what is differentiated by another way too (or not on "
            "these at all), so a part of the derivative would be lost. Name variables of the "
            "expression that every such way passes through, or return None."
        )


class RuleTermMismatch(KanrewriteError, TypeError):
    """A rule for the gradient of an expression gave a term of the wrong type."""

    def __init__(self, rule: str, variable: object, term: object):
        super().__init__(
            f"the gradient rule {rule} gave {variable} a gradient of type "
            f"{getattr(term, 'type', term)}; it must have as many dimensions as the variable."
        )
