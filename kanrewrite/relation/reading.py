"""Reading a relation's function: its parameters, their guards, the equations that it states."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kanrewrite import errors
from kanrewrite.ac import Eq, eq
from kanrewrite.errors import RelationError
from kanrewrite.guards import Condition, Guard, guards_in
from kanrewrite.relation import sides
from kanrewrite.terms import Param, parts_of, stating
from kanrewrite.theory import Theory

#: Makes an error of a problem: it knows the relation and its place.
Fail = Callable[[str], RelationError]
Parameters = dict[Param, tuple[Guard, ...]]
Function = Callable[..., Any]
#: A heading of a section, as numpydoc writes it.
_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def check_goal_constructor(function: Function, fail: Fail) -> None:
    """Refuse a function that states no equations and cannot be a goal constructor either."""
    parameters = list(inspect.signature(function).parameters)
    try:
        annotations = inspect.get_annotations(function, eval_str=True)
    except Exception:  # noqa: BLE001  # any expression; a goal constructor may not care
        annotations = {}
    guarded = any(guards_in(a) for name, a in annotations.items() if name != "return")
    if len(parameters) != 2 or guarded:
        raise fail(errors.neither_generator_nor_goal(parameters))


def read_parameters(
    function: Function, name: str, scope: Mapping[str, Any], fail: Fail
) -> Parameters:
    """The logic variables of a relation and what their annotations ask of them."""
    parameters = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise fail(errors.variadic(parameter.name))
        guards = _guards(parameter, {**function.__globals__, **scope}, fail)
        parameters[Param(f"{name}:{parameter.name}")] = guards
    return parameters


def _guards(parameter: inspect.Parameter, scope: dict[str, Any], fail: Fail) -> tuple[Guard, ...]:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return ()
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, scope)
        except Exception as error:  # an annotation is any expression
            problem = errors.unreadable_annotation(parameter.name, annotation, error)
            raise fail(problem) from error
    guards = guards_in(annotation)
    if guards is None:
        raise fail(errors.not_a_guard(parameter.name, annotation))
    return guards


def conditions_of(parameters: Parameters, fail: Fail) -> Iterator[Condition]:
    """What the annotations ask, as conditions."""
    named = {str(parameter): parameter for parameter in parameters}
    for parameter, guards in parameters.items():
        for guard in guards:
            unknown = [x for x in guard.others if isinstance(x, str) and x not in named]
            if unknown:
                raise fail(errors.unknown_other(str(parameter), unknown[0]))
            yield guard.bind(parameter, named)


def read_equations(
    function: Function, parameters: Parameters, theory: Theory | None, fail: Fail
) -> Iterator[Eq]:
    """The equations that a generator yields, each with the annotations of what it mentions."""
    try:
        with stating():
            stated = list(function(*parameters))
    except Exception as error:  # a relation is a user's code: it can raise anything
        raise fail(errors.equations_raised(error)) from error
    if not stated:
        raise fail(errors.no_equation())
    conditions = tuple(conditions_of(parameters, fail))
    for equation in stated:
        if not isinstance(equation, Eq):
            raise fail(errors.not_an_equation(equation))
        sides.check(equation, fail)
        sides.check_axes(equation, conditions, fail)
        left, right = map(sides.plain, (equation.lhs, equation.rhs))
        used = {part for side in (left, right) for part in parts_of(side)}
        asked = [c for c in conditions if used.issuperset(c.variables)]
        own = theory if equation.theory is None else equation.theory
        for guard in equation.guards:
            if not isinstance(guard, Condition):
                raise fail(errors.not_a_condition(guard))
        same = eq(left, right, own).within(equation.error)
        yield same.when(*asked, *equation.guards)


def sections(doc: str) -> tuple[str, str]:
    r"""A docstring without its section ``References``, and that section.

    Examples
    --------
    >>> sections("An equation.\n\nReferences\n----------\nEuler, 1748.")
    ('An equation.', 'Euler, 1748.')
    """
    parts = _HEADING.split(doc)
    titles = dict(zip(parts[1::2], parts[2::2], strict=True))
    literature = titles.pop("References", "").strip()
    rest = [f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in titles.items()]
    return "\n\n".join([parts[0].strip(), *rest]), literature
