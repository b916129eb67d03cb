"""Operands of associative applications that are still to be compared, as a plan holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanrewrite.ac.interned import Interned, Symbol


@dataclass
class Bag:
    """Operands of one commutative application that are still to be compared.

    Attributes
    ----------
    symbol
        The operator.
    term, args, heads
        Names of the subject, its operands, and its operands by head.
    parts
        Pattern operands with a head of their own, and how often each occurs.
    variables
        Variables with how often each occurs; a negative number for those under the inverse.
    picks
        Names of the operands that parts took, and how often.
    rest
        The name of the operands left for the variables, once it is computed.
    """

    symbol: Symbol
    term: str
    args: str
    heads: str
    parts: dict[Interned, int]
    variables: dict[Interned, int]
    picks: list[tuple[str, int, frozenset[Symbol]]] = field(default_factory=list)
    rest: str | None = None
    #: The name of what counts an operand.
    count: str = ""
    #: Parts picked from a table of operands with something in common: the table, the operand.
    mates: dict[Interned, tuple[str, str]] = field(default_factory=dict)
    #: The names of many ground operands that were taken at once, and of what counts them.
    known: tuple[str, str] | None = None


@dataclass
class Row:
    """The operands ``args[start:stop]`` of an associative application, still to be compared."""

    symbol: Symbol
    args: str
    start: str
    stop: str
    parts: list[Interned]
