"""Relations as they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kanrewrite.errors.base import KanrewriteError, told


def not_a_guard(parameter: str, annotation: object) -> str:
    """An annotation of a relation's parameter is something else than a guard."""
    return (
        f"the annotation of `{parameter}` is {annotation!r}, which is not a guard. Annotate with "
        "Float, Int, Bool, Axis, Ndim[...], Constant, Elementwise, ConstantAlong[...] or a Guard "
        "of your own, or leave the annotation out."
    )


def unreadable_annotation(parameter: str, annotation: str, error: Exception) -> str:
    """An annotation of a relation's parameter raises when it is evaluated."""
    return (
        f"the annotation {annotation!r} of `{parameter}` cannot be evaluated "
        f"({type(error).__name__}: {error}). Import what it names in the module of the relation."
    )


def unknown_other(parameter: str, other: str) -> str:
    """A guard names a parameter that the relation does not have."""
    return f"the guard of `{parameter}` names `{other}`, which is not a parameter of the relation."


def variadic(parameter: str) -> str:
    """A relation's function takes a variable number of parameters."""
    return (
        f"`{parameter}` takes any number of arguments, but each parameter of a relation is one "
        "logic variable. Name them."
    )


def neither_generator_nor_goal(parameters: Sequence[str]) -> str:
    """A relation's function is neither a generator of equations nor a goal constructor."""
    return (
        f"its function, of ({', '.join(parameters)}), is neither a generator of equations nor a "
        "goal constructor. State equations with `yield eq(left, right)`, or take exactly two "
        "parameters without annotations, (in_lv, out_lv), and return a goal."
    )


def equations_raised(error: Exception) -> str:
    """The generator of a relation raised."""
    text = f"stating its equations raised {type(error).__name__}: {error}"
    if isinstance(error, KanrewriteError) or not re.search(
        r"'(Param|Term)'|\b(Param|Term)\b", text
    ):
        return text
    return (
        f"{text.rstrip('.')}. A parameter is a pattern, no tensor: write T.exp(x) for np.exp(x), "
        "T.sum(x, 0) for x.sum(0), T.subtensor(x, (0,)) for x[0], T.dimshuffle(x, (1, 0)) for x.T."
    )


def not_an_equation(value: object) -> str:
    """A relation yielded something else than an equation."""
    return f"it yields {told(value)}, which is not an equation. Write `yield eq(left, right)`."


def not_a_condition(goal: object) -> str:
    """An equation has a goal as a guard that is not made by a guard."""
    return (
        f"the condition {goal!r} is a goal that cannot be asked without running it. Make a guard "
        "of its predicate, Guard(name, predicate), and call that with the parameters."
    )


def no_equation() -> str:
    """A relation's generator yields nothing."""
    return "it yields no equation. Write `yield eq(left, right)`."


def unknown_direction(direction: object) -> str:
    """A direction that is none of the four."""
    return f"direction={direction!r} is not one of 'forward', 'backward', 'both' and None."


def unknown_role(role: object, known: Sequence[str]) -> str:
    """A role that is none of the five."""
    return f"role={role!r} is not one of {', '.join(map(repr, known))}."


def unknown_where(where: object, known: Sequence[str]) -> str:
    """A part of a graph that is none."""
    return f"where={where!r} is not one of {', '.join(map(repr, known))}."


def role_without_equations(roles: Sequence[str], direction: object, is_goal: bool) -> str:
    """Only a rewrite has a direction, or can be a goal constructor."""
    role = ", ".join(map(repr, roles))
    if is_goal:
        return (
            f"a goal constructor has no equation that could be followed as {role}. State it with "
            "`yield eq(left, right)`, or leave the role at 'rewrite'."
        )
    return (
        f"direction={direction!r} is that of a rewrite, but its role is {role}: such an equation "
        "is followed from left to right. Leave the direction out, and turn the equation round if "
        "its sides stand the other way."
    )


def defines_nothing(equation: str) -> str:
    """A definition whose equations do not say what an operator means."""
    return (
        f"`{equation}` does not say what an operator means. Write the operator over distinct "
        "parameters left and its meaning, without that operator, right: "
        "`yield eq(T.sigmoid(x), 1 / (1 + T.exp(-x)))`; of role=('rewrite', 'define'), which "
        "rewrites a formula into the operator, the operator stands right."
    )


#: For each role the shape of its equations, with an example.
_SHAPES = {
    "lift": (
        "an operator over what leaves it left, and outside of it right: "
        "`eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))`"
    ),
    "sink": (
        "what is wanted left, and right the same with a level taken out: `m = T.shift(a, axis)`, "
        "`eq(T.sum(T.exp(a) * r, axis, keepdims=True), "
        "T.exp(m) * T.sum(T.exp(a - m) * r, axis, keepdims=True))`"
    ),
    "cancel": (
        "what loses its digits left, and what keeps them right: "
        "`eq(a - T.switch(c, a, 0), T.switch(c, 0, a))`"
    ),
}


def cannot_be_followed(role: str, equation: str, why: str) -> str:
    """An equation that has not the shape of its relation's role."""
    return f"`{equation}` cannot be followed with role={role!r}: {why}. Write {_SHAPES[role]}."


def unbound(names: Sequence[str], where: str, pattern: str, other: str) -> str:
    """A side that is to be built has variables which the matched side does not bind."""
    listed = ", ".join(f"`{name}`" for name in names)
    return (
        f"{listed} in the {where} `{other}` would not be bound by a match of `{pattern}`. Use "
        "only variables of the matched side, or declare @relation(direction=None) if the "
        "equations are to be used as a goal only."
    )


def matches_everything(pattern: str) -> str:
    """The side that is to be matched has no operator."""
    return (
        f"the matched side `{pattern}` has no operator, so it would match every node. Turn the "
        "equation round with @relation(direction=...), or state an operator."
    )


def cancels(pattern: str, left: str) -> str:
    """A matched side that the axioms make smaller, so that parameters are gone from it."""
    return (
        f"the matched side `{pattern}` is `{left}` by the axioms of sums and products, which hold "
        "without a relation: nothing would bind what has cancelled. Leave the equation out, or "
        "write the matched side as what is left in a graph; where the axioms do not hold, give "
        "@relation(theory=...) without them."
    )


def says_nothing(pattern: str, replacement: str) -> str:
    """Two sides that the axioms make equal, so that nothing would be rewritten."""
    return (
        f"`{pattern}` and `{replacement}` are one by the axioms of sums and products, which hold "
        "without a relation: following it would change nothing. Leave the equation out; where the "
        "axioms do not hold, give @relation(theory=...) without them, and for a goal alone "
        "@relation(direction=None)."
    )


def not_a_side(side: object) -> str:
    """A side of an equation that is no pattern."""
    return (
        f"{side!r} is no side of an equation. Write terms of T, as in T.exp(x), parameters of the "
        "relation, and numbers: a graph of Aesara stands for itself, and has inputs of its own."
    )


def graph_in_pattern(pattern: str, graph: object) -> str:
    """A graph of Aesara inside of what is to be matched."""
    return (
        f"`{graph}` in the matched side `{pattern}` is a variable of Aesara, and no other graph "
        "has that very one. Write what is to be found with T, T.of(op)(...) for an Op without a "
        "name in it, and a parameter, as in `k: Constant`, for a value."
    )


def wrong_number_of_operands(term: str, wanted: int, given: int) -> str:
    """An elementwise operator over more or fewer operands than its Op takes."""
    return f"`{term}` has {given} operands, but Aesara's operator takes {wanted}."


def tensor_as_axes(parameter: str, term: str) -> str:
    """A parameter that is annotated as a tensor, where axes stand."""
    return (
        f"`{parameter}` is annotated as a tensor and stands for the axes of `{term}`. Annotate it "
        "with Axis, or give the axes by name, axis=...: T.sum takes one tensor; of two, "
        "T.maximum(x, y) is the larger."
    )


def not_axes(term: str, axis: object) -> str:
    """Axes that are no integers."""
    return (
        f"the axis of `{term}` is {axis!r}. Give an integer, a tuple of them, None for all, or a "
        "parameter with the annotation Axis."
    )


def not_an_error(error: object) -> str:
    """What an equation is to hold within is no number."""
    return f"within({error!r}) is no relative error. Give a number that is no less than 0."


def misplaced_gradient(equation: str) -> str:
    """`T.gradient` stands elsewhere than at the root of a left side."""
    return (
        f"in `{equation}`, T.gradient is not the left side alone. A relation that states "
        "derivatives states nothing else: write every equation as "
        "`yield eq(T.gradient(expression, variable, upstream), derivative)`."
    )


def unusable_gradient(equation: str, why: str) -> str:
    """`T.gradient` has operands that cannot be matched."""
    return (
        f"in `{equation}`, {why}. Write T.gradient(expression, variable, upstream): an expression "
        "made by an operator, a parameter that it holds as a tensor, and a parameter of its own "
        "for the gradient that arrives at the expression."
    )


def stated_twice(variable: object, expression: str) -> str:
    """A relation gives one derivative of an expression twice."""
    return (
        f"it gives the gradient of `{expression}` in `{variable}` twice under the same conditions. "
        "State it once; what reaches a variable by several ways is one sum."
    )


def derivative_turned(direction: object) -> str:
    """A relation that states derivatives is to be used in another direction."""
    return (
        f"it states derivatives, which are found by what is differentiated; {direction=!r} would "
        "look for their right sides. Leave the direction at 'forward'."
    )
