"""`Relation`: named equations that know their family, their place and their examples."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, update_wrapper
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast, get_args

from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, Variable
from kanren import conde
from kanren.core import Zzz
from unification import isvar

from kanrewrite import errors
from kanrewrite.ac import Eq, term
from kanrewrite.border import Asked, checked
from kanrewrite.errors import RelationError
from kanrewrite.guards import Guard
from kanrewrite.relation import derivatives, reading, roles
from kanrewrite.relation.goals import REAL, Goal, holds
from kanrewrite.relation.roles import Role
from kanrewrite.relation.rules import Rule, conditions_of, when_text
from kanrewrite.terms import Param, T, Term, parts_of, show
from kanrewrite.theory import Theory
from kanrewrite.unify import as_term

Direction = Literal["forward", "backward", "both"]
Where = Literal["everywhere", "exponents", "digits"]
Written = Annotated[Callable[..., Any], Asked("a function written in Python", inspect.isfunction)]
#: Where the modules of the package's own relations are.
LIBRARY = "kanrewrite.relations."
_F = TypeVar("_F", bound=Callable[..., Any])


def _file_name(module: str) -> str:
    """The last part of a module's name; a script that is run has the name of its file."""
    file = getattr(sys.modules.get(module), "__file__", None) if module == "__main__" else None
    return Path(file).stem if file else module.rsplit(".", 1)[-1]


@checked
class Relation:
    """Named equations between terms, or a goal constructor.

    Made by the decorator `relation`.

    Attributes
    ----------
    name : str
        The name of the function, and the name in Aesara's database and in every message.
    family : str
        A group of relations that is enabled together: the name of the module, or of the script that
        is run, unless it was given.
    source : str
        ``file:line`` of the function.
    doc : str
        Its docstring.
    roles : tuple of {"rewrite", "define", "lift", "sink", "cancel"}
        How it is followed, see `kanrewrite.relation.roles`.
    direction : {"forward", "backward", "both"} or None
        How its equations are used for rewriting: left to right, right to left, either, not at all;
        None in every other role.
    where : {"everywhere", "exponents", "digits"}
        In which part of a graph it rewrites: all of it, only what is rebuilt because exponentials
        meet there, or last of all what is left, as it is written.
    parameters : dict of Param to tuple of Guard
        Its logic variables and what their annotations ask of them.
    equations : tuple of Eq
        What it states, annotations included as conditions; empty for a goal constructor.
    heads : tuple of Op or type
        For a goal constructor, the Ops at which it is run; empty for all.
    examples, non_examples : list of callable
        ``() -> (graph, expected)`` for graphs that it rewrites and ``() -> graph`` for graphs that
        it must leave alone.  Without a direction, both are ``() -> (left, right)``: sides that the
        equations relate and sides that they do not, each a graph or a term over graphs.
    """

    def __init__(
        self,
        function: Written,
        direction: Direction | None = "forward",
        family: str | None = None,
        theory: Theory | None = None,
        heads: Sequence[Any] = (),
        scope: Mapping[str, Any] | None = None,
        role: Role | Sequence[Role] = "rewrite",
        where: Where = "everywhere",
    ):
        code = function.__code__
        self.function = function
        self.name = function.__name__
        self.source = f"{code.co_filename}:{code.co_firstlineno}"
        self.family = family or _file_name(function.__module__ or "")
        self.doc = inspect.getdoc(function) or ""
        self.theory = theory
        self.heads = tuple(heads)
        self.where = where
        self.examples: list[Callable[[], tuple[Any, Any]]] = []
        self.non_examples: list[Callable[[], Any]] = []
        self.parameters: dict[Param, tuple[Guard, ...]] = {}
        self.equations: tuple[Eq, ...] = ()
        if where not in get_args(Where):
            raise self.error(errors.unknown_where(where, get_args(Where)))
        if direction not in (None, *get_args(Direction)):
            raise self.error(errors.unknown_direction(direction))
        self.roles = roles.roles_in(role, self.error)
        rewrites = "rewrite" in self.roles
        if not rewrites and (direction not in ("forward", None) or self.is_goal):
            raise self.error(errors.role_without_equations(self.roles, direction, self.is_goal))
        self.direction = direction if rewrites else None
        update_wrapper(self, function)
        if self.is_goal:
            reading.check_goal_constructor(function, self.error)
        else:
            self.parameters = reading.read_parameters(function, self.name, scope or {}, self.error)
            self.equations = tuple(
                reading.read_equations(function, self.parameters, theory, self.error)
            )
            self.rules()  # says now what would be wrong with them
            derivatives.check(self.equations, self.direction, self.error)
            roles.check(self.roles, self.equations, self.error)

    @property
    def is_goal(self) -> bool:
        """Whether it is a goal constructor instead of equations."""
        return not inspect.isgeneratorfunction(self.function)

    @property
    def bundled(self) -> bool:
        """Whether it comes with the package."""
        return (self.function.__module__ or "").startswith(LIBRARY)

    @property
    def states_derivatives(self) -> bool:
        """Whether its equations say what derivatives of expressions are, ``T.gradient(...)``."""
        return any(map(derivatives.is_stated_by, self.equations))

    def error(self, problem: str) -> RelationError:
        """An error that says which relation it is about, and where that is."""
        return RelationError(self.name, self.source, problem)

    @property
    def literature(self) -> str:
        """Where its equations come from: the section ``References`` of its docstring or module."""
        module = sys.modules.get(self.function.__module__ or "")
        texts = (self.doc, inspect.cleandoc(getattr(module, "__doc__", None) or ""))
        return next(filter(None, (reading.sections(text)[1] for text in texts)), "")

    # -- using it -------------------------------------------------------------------------

    def rules(self, direction: Direction | None = None) -> tuple[Rule, ...]:
        """The equations as rules.

        Parameters
        ----------
        direction : {"forward", "backward", "both"}, optional
            The relation's own direction unless it is given.

        Raises
        ------
        RelationError
            If a side that is to be built has variables that the other does not bind, or the side
            that is to be matched is a bare variable.
        """
        chosen = direction or self.direction
        rules = []
        for equation in self.equations:
            if chosen in ("forward", "both"):
                rules.append(self._rule(equation, equation.lhs, equation.rhs))
            if chosen in ("backward", "both"):
                rules.append(self._rule(equation, equation.rhs, equation.lhs))
        return tuple(rules)

    def _rule(self, equation: Eq, pattern: Any, replacement: Any) -> Rule:
        if not isinstance(pattern, Term):
            raise self.error(errors.matches_everything(show(pattern)))
        for part in parts_of(pattern):
            known = isinstance(part, SharedVariable | Constant)  # as other graphs have it
            if isinstance(part, Variable) and not known and self.direction is not None:
                raise self.error(errors.graph_in_pattern(show(pattern), part))
        bound = {part for part in parts_of(pattern) if isvar(part)}
        left, same = _left_of(pattern, replacement, equation.theory or REAL)
        if set(filter(isvar, parts_of(left))) != bound:
            raise self.error(errors.cancels(show(pattern), show(left)))
        if isvar(left):  # ``-(-x)`` is in every node, too
            raise self.error(errors.matches_everything(show(pattern)))
        # A square may be wanted in the place of a product; a goal alone changes nothing anyway.
        if same and self.direction is not None and _words(pattern) == _words(replacement):
            raise self.error(errors.says_nothing(show(pattern), show(replacement)))
        sides: list[tuple[str, Any, Iterable[Any]]]
        sides = [("side", replacement, filter(isvar, parts_of(replacement)))]
        sides += [("condition", c, c.variables) for c in conditions_of(equation)]
        for where, side, variables in sides:
            missing = [str(v) for v in dict.fromkeys(variables) if v not in bound]
            if missing:
                raise self.error(errors.unbound(missing, where, show(pattern), show(side)))
        return Rule(
            self,
            pattern,
            replacement,
            conditions_of(equation),
            equation.theory,
            error=equation.error,
        )

    def __call__(self, left: Any, right: Any) -> Goal:
        """The goal that this relation holds between two terms, in either direction."""
        if self.is_goal:
            return cast(Goal, self.function(left, right))
        goals = [[Zzz(cast(Any, holds), equation, left, right)] for equation in self.equations]
        return cast(Goal, conde(*goals))

    def example(self, build: _F) -> _F:
        """Add a function that builds ``(graph, expected)``; for use as a decorator."""
        self.examples.append(build)
        return build

    def non_example(self, build: _F) -> _F:
        """Add a function that builds what is left alone, or unrelated; for use as a decorator."""
        self.non_examples.append(build)
        return build

    # -- text and equality ----------------------------------------------------------------

    @property
    def text(self) -> str:
        """Its equations, as they are written."""
        if self.is_goal:
            return f"{self.name}(in_lv, out_lv)"
        asked = list(reading.conditions_of(self.parameters, self.error))
        return "\n".join(
            f"{show(e.lhs)} == {show(e.rhs)}"
            + when_text(tuple(c for c in conditions_of(e) if c not in asked))
            + (f" within {e.error:.2g}" if e.error else "")
            for e in self.equations
        )

    def __str__(self) -> str:
        guards = (
            str(p) + (f": {' & '.join(map(str, gs))}" if gs else "")
            for p, gs in self.parameters.items()
        )
        inner = "" if self.is_goal else f"({', '.join(guards)})"
        return f"{self.name}{inner}: {self.text}"

    def __repr__(self) -> str:
        return f"<relation {self} at {self.source}>"

    def _key(self) -> tuple[Any, ...]:
        stated = tuple((e.lhs, e.rhs, e.guards, e.theory, e.error) for e in self.equations)
        return (self.name, self.roles, self.direction, stated or self.function)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.name, self.direction))


@lru_cache(maxsize=1 << 12)
def _left_of(pattern: Any, replacement: Any, theory: Theory) -> tuple[Any, bool]:
    """What a theory leaves of a pattern, and whether that is what is built; once for all passes."""
    left = term(as_term(pattern), theory)
    return left.plain, left is term(as_term(replacement), theory)


def _words(side: Any) -> frozenset[Any]:
    """The operators of a side, but for those by which sums and products are written."""
    found = (part[0] for part in parts_of(side) if isinstance(part, Term))
    return frozenset(found) - {T.add, T.sub, T.neg, T.mul, T.true_div, T.reciprocal}
