"""What rewriters ask of a view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from aesara.graph.basic import Variable

Graph = Variable[Any, Any]
Bindings = Mapping[Any, Any]


class View(Protocol):
    """How graphs are read as terms modulo a theory, and built again."""

    @property
    def definitions(self) -> Mapping[Any, tuple[Any, Any]]:
        """Operators that are read as what they mean."""

    def read(self, variable: Graph, /) -> Any:
        """A variable as a form."""

    def pattern(self, term: Any, /) -> Any:
        """A pattern in the normal form of the forms."""

    def match(self, pattern: Any, form: Any, /) -> Iterable[tuple[Bindings, Any]]:
        """The bindings under which a form is the pattern, each with the rest that it left."""

    def instantiate(self, term: Any, bindings: Bindings, /) -> Any:
        """A term with its parameters bound, as a form."""

    def as_written(self, term: Any, bindings: Bindings, /) -> Any:
        """A term with its parameters bound, taken as it is written, as a form."""

    def build(self, form: Any, like: Graph, /) -> Graph:
        """A form as a graph of the type of a variable."""


class StatingView(View, Protocol):
    """What relations that are about digits ask of a view besides."""

    def stated(self, term: Any, bindings: Bindings, pattern: Any, rest: Any, out: Graph, /) -> Any:
        """What replaces a variable: a term with its parameters bound, as it is stated, and a rest.

        Where the term chooses the pattern itself, that is the variable's own operator.
        """

    def keep(self, variable: Graph, /) -> None:
        """Take a variable as it is from now on."""

    def reduced(self, variable: Graph, /) -> Graph | None:
        """A sum of which terms have cancelled while it was read, None where none has."""

    def whole(self) -> AbstractContextManager[None]:
        """Match sums as a whole only, for a while."""
