"""Guards and conditions: a named predicate, and the goal it becomes over logic variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from kanren.constraints import ConstrainedState, ConstraintStore
from unification import Var, isvar, reify

from kanrewrite.border import checked
from kanrewrite.terms import Param, Term, parameters_of, show


@checked
@dataclass(frozen=True)
class Guard:
    """A named predicate; what it is called with becomes a `Condition`.

    Parameters
    ----------
    name : str
        The name it has in texts.
    predicate : callable
        Takes the values, returns whether they satisfy the guard.
    factorwise : bool
        Whether a product satisfies the guard when each of its factors does.  A view may then
        split ``a * b`` into the factors that ``a`` can stand for, and the rest.
    others : tuple
        What the predicate takes after the annotated parameter's value; a string is the name of
        another parameter.

    Examples
    --------
    >>> from kanrewrite.guards import ndim
    >>> ndim[2]
    Ndim[2]
    >>> ndim[2](Param("guarded:x"))
    x: Ndim[2]
    """

    name: str
    predicate: Callable[..., bool]
    factorwise: bool = False
    others: tuple[Any, ...] = ()

    def __getitem__(self, others: Any) -> Guard:
        return replace(self, others=others if isinstance(others, tuple) else (others,))

    def __call__(self, *arguments: Any) -> Condition:
        """The condition that these arguments satisfy the guard."""
        return Condition(self, arguments + self.others)

    def bind(self, parameter: Var, named: Mapping[str, Var]) -> Condition:
        """The condition that this guard, as an annotation, puts on a parameter.

        Raises
        ------
        KeyError
            If the guard names a parameter that is not in ``named``.
        """
        others = (named[x] if isinstance(x, str) else x for x in self.others)
        return Condition(self, (parameter, *others))

    def __repr__(self) -> str:
        if not self.others:
            return self.name
        return f"{self.name}[{', '.join(_slice_text(x) for x in self.others)}]"


def _slice_text(value: Any) -> str:
    if not isinstance(value, slice):
        return repr(value)
    ends = ("" if end is None else str(end) for end in (value.start, value.stop))
    return ":".join(ends)


@dataclass(frozen=True)
class Condition:
    """A guard over particular arguments: a predicate over bindings, and a goal.

    As a goal it is decided when all its variables are bound; until then it waits in the state
    (as miniKanren's own constraints do) and is decided by the unification that binds the last.
    """

    guard: Guard
    arguments: tuple[Any, ...]

    @property
    def variables(self) -> tuple[Var, ...]:
        """The logic variables that it asks about."""
        return tuple(dict.fromkeys(parameters_of(self.arguments)))

    def holds(self, bindings: Mapping[Any, Any]) -> bool | None:
        """Whether it holds; None while one of its variables is not bound."""
        values = tuple(_bound(x, bindings) for x in self.arguments)
        if any(True for value in values for _ in parameters_of(value)):
            return None
        return bool(self.guard.predicate(*values))

    def renamed(self, names: Mapping[Any, Any]) -> Condition:
        """The same condition over other variables."""
        return Condition(self.guard, tuple(_bound(x, names) for x in self.arguments))

    def __call__(self, state: Any) -> Iterator[Any]:
        """The states that extend ``state`` and satisfy the condition."""
        held = self.holds(state)
        if held:
            yield state
        elif held is None:
            if not isinstance(state, ConstrainedState):
                state = ConstrainedState(state)
            else:
                state = state.copy()
            store = state.constraints.get(ConditionStore, ConditionStore())
            state.constraints[ConditionStore] = store.with_pending(self)
            yield state

    def __repr__(self) -> str:
        first, *others = (show(x) for x in self.arguments)
        if self.guard.others or not others:
            return f"{first}: {self.guard!r}"
        return f"{self.guard.name}({', '.join((first, *others))})"


def _bound(value: Any, bindings: Mapping[Any, Any]) -> Any:
    """A value of a condition with everything replaced that is bound."""
    if isvar(value):
        # What stands for itself, as the parameter of a pattern does, stands for nothing else.
        found = bindings.get(value, value)
        same = found is value or (isvar(found) and found == value)
        return value if same else reify(value, bindings)
    if isinstance(value, Term):
        return Term(_bound(x, bindings) for x in value)
    return value


class ConditionStore(ConstraintStore):
    """The conditions of a miniKanren state that wait for their variables."""

    op_str = "when"

    def __init__(self, pending: tuple[Condition, ...] = ()):
        super().__init__()  # type: ignore[no-untyped-call]  # kanren has no types
        self.pending = pending

    def with_pending(self, condition: Condition) -> ConditionStore:
        """A store with one more condition."""
        return ConditionStore((*self.pending, condition))

    def pre_unify_check(self, *_: Any) -> bool:
        """Nothing can be decided before the binding is made."""
        return True

    def post_unify_check(self, lvar_map: Any, *_: Any, **__: Any) -> bool:
        """Decide the conditions whose variables are now bound."""
        verdicts = [(condition, condition.holds(lvar_map)) for condition in self.pending]
        self.pending = tuple(condition for condition, held in verdicts if held is None)
        return all(held is not False for _, held in verdicts)

    def copy(self) -> ConditionStore:
        """An independent store with the same conditions."""
        return ConditionStore(self.pending)

    def constraints_str(self, lvar: Any) -> str:
        """The conditions on a variable, for displaying a reified answer."""
        return ", ".join(str(c) for c in self.pending if lvar in c.variables)

    def __contains__(self, lvar: Any) -> bool:
        return any(lvar in condition.variables for condition in self.pending)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConditionStore) and self.pending == other.pending

    __hash__ = None  # type: ignore[assignment]  # a state's stores change


def guards_in(annotation: Any) -> tuple[Guard, ...] | None:
    """The guards of an annotation, None where it is something else.

    Examples
    --------
    >>> from typing import Annotated
    >>> from kanrewrite.guards import Float, ndim
    >>> guards_in(Float), guards_in(Annotated[Float, ndim[2]]), guards_in(int)
    ((Float,), (Float, Ndim[2]), None)
    """
    if isinstance(annotation, Guard):
        return (annotation,)
    if annotation is Param or annotation is Any:
        return ()
    found = tuple(part for part in get_args(annotation) if isinstance(part, Guard))
    return found or None
