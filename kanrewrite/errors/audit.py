"""Audits: ranges that are none, and graphs that cannot be run."""

from __future__ import annotations

from collections.abc import Sequence

from kanrewrite.errors.base import KanrewriteError, told


class UnusableRange(KanrewriteError, ValueError):
    """A range of an input that is none."""

    def __init__(self, variable: object, given: object, why: str):
        super().__init__(
            f"the range {given!r} of {variable} cannot be used: {why}. A range is a pair "
            "(low, high) of numbers, low <= high, that the dtype of the input can hold."
        )


class NoSuchInput(KanrewriteError, KeyError):
    """A range or a shape for what the graph does not depend on."""

    def __init__(self, name: object, known: Sequence[str]):
        asked = name if isinstance(name, str) else told(name)
        self.text = (
            f"the graph has no input {asked}: its inputs are {', '.join(known) or 'none'}. "
            "Give the variable itself, or its name."
        )
        super().__init__(self.text)

    def __str__(self) -> str:
        return self.text


class NothingRan(KanrewriteError, ValueError):
    """A graph that fits none of the inputs that were tried."""

    def __init__(self, error: object):
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        super().__init__(
            f"the graph could not be evaluated at any input that was tried: {first}. Give "
            "`shapes={variable: shape}` where lengths do not fit, and ranges to inputs that are "
            "indices."
        )


class UnsafeWarning(UserWarning):
    """A compiled function that gives wrong numbers somewhere, see ``config.warn_unsafe``."""


def no_audit(error: BaseException) -> str:
    """An audit that failed while a function was compiled."""
    return (
        f"the compiled function could not be audited: {type(error).__name__}: {error}. "
        "kanrewrite.config.warn_unsafe = False silences this."
    )


def unsafe(risks: Sequence[str]) -> str:
    """What a compiled function does wrong."""
    listed = "".join(f"\n  {risk}" for risk in risks)
    return (
        f"the compiled function gives wrong numbers:{listed}\nkanrewrite.audit(outputs, inputs) "
        "says more; kanrewrite.config.warn_unsafe = False silences this."
    )


class NotOneValueEach(KanrewriteError, ValueError):
    """Values that do not fit the inputs."""

    def __init__(self, inputs: Sequence[str], given: Sequence[str]):
        super().__init__(
            f"one value is needed for each input: the inputs are {', '.join(inputs) or 'none'}, "
            f"given are {', '.join(given) or 'none'}. Give them in this order or by name."
        )


class UnusableValue(KanrewriteError, TypeError):
    """A value that is not of the type of its input."""

    def __init__(self, name: str, kind: str, given: str, reason: str):
        super().__init__(
            f"the value of the input {name} cannot be used: {name} is {kind}, and given is "
            f"{given} ({reason.rstrip('.')}). Give an array with as many dimensions, of a dtype "
            f"that {name} can hold."
        )
