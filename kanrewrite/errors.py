"""Every error of kanrewrite and the text of every message: what, where, why, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


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


class StatesNoDerivative(KanrewriteError, TypeError):
    """A relation registered as a gradient that says nothing of derivatives."""

    def __init__(self, name: str, source: str):
        super().__init__(
            f"relation {name} ({source}) states no derivative. Write its equations as "
            "`yield eq(T.gradient(expression, variable, upstream), derivative)`, or register it "
            "with kanrewrite.register to rewrite graphs by it."
        )


class UnknownPictureFormat(KanrewriteError, ValueError):
    """A picture saved under an ending that says no known format."""

    def __init__(self, path: object, known: Sequence[str]):
        super().__init__(
            f"cannot save a picture as {str(path)!r}: the ending of the file name chooses the "
            f"format, and pictures are written as {' or '.join(known)}"
        )


class RelationError(KanrewriteError, ValueError):
    """A relation that cannot be used as it is written.

    Parameters
    ----------
    name : str
        The relation.
    source : str
        ``file:line`` of its definition.
    problem : str
        What is wrong with it, and what to do.
    """

    def __init__(self, name: str, source: str, problem: str):
        super().__init__(f"relation {name} ({source}): {problem}")
        self.name = name
        self.source = source


class RelationWarning(UserWarning):
    """A relation was left out of a compilation, which went on without it."""


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
    return f"stating its equations raised {type(error).__name__}: {error}"


def not_an_equation(value: object) -> str:
    """A relation yielded something else than an equation."""
    return f"it yields {value!r}, which is not an equation. Write `yield eq(left, right)`."


def not_a_condition(goal: object) -> str:
    """An equation has a goal as a guard that is not made by a guard."""
    return (
        f"the condition {goal!r} is a goal that cannot be asked without running it. Make a guard "
        "of its predicate, Guard(name, predicate), and call that with the parameters."
    )


def no_equation() -> str:
    """A relation's generator yields nothing."""
    return "it yields no equation. Write `yield eq(left, right)`."


class RelationLosesDerivative(RelationError):
    """A relation states the derivative of an expression in a part of its variables only."""

    def __init__(self, name: str, source: str, expr: str, lost: Mapping[str, str]):
        ways = " and ".join(f"`{p}`, which is {v}," for p, v in lost.items())
        super().__init__(
            name,
            source,
            f"it matches {expr}, which depends on what is differentiated through {ways} too, but "
            "it states no gradient there, so a part of the derivative would be lost. State one, "
            "`yield eq(T.gradient(expression, variable, upstream), derivative)` for each variable, "
            f"or leave the relation out with kanrewrite.disabled({name!r}).",
        )
        self.lost = dict(lost)


def unknown_direction(direction: object) -> str:
    """A direction that is none of the four."""
    return f"direction={direction!r} is not one of 'forward', 'backward', 'both' and None."


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


class ForeignTerm(KanrewriteError, TypeError):
    """A matcher given something other than an interned term of its theory."""

    def __init__(self, subject: object, theory: str):
        super().__init__(
            f"a matcher modulo {theory!r} was given {subject!r}, which is not an interned term of "
            "that theory. Make one with kanrewrite.ac.term(subject, theory), or use "
            "kanrewrite.ac.match."
        )


class NothingToBeWithin(KanrewriteError, TypeError):
    """`within_gradient` was called without variables."""

    def __init__(self) -> None:
        super().__init__(
            "within_gradient() needs at least one variable: it is true where the graph is being "
            "differentiated with respect to something that one of its variables depends on."
        )


def changes_type(old: object, new: object) -> str:
    """A replacement has another type than what it replaces."""
    return (
        f"it would replace a value of type {old} by one of type {new}: the dtype, the broadcast "
        "pattern and every known length must stay. Guard its parameters, e.g. with Float."
    )


def guard_fails(condition: object, values: str) -> str:
    """A guard refused a match."""
    return f"`{condition}` does not hold for {values}"


def too_many_answers(limit: int) -> str:
    """A node has more matches than are tried."""
    return f"none of its first {limit} matches at this node could be used; the others are not tried"


def wrong_number_of_results(expected: int, given: int) -> str:
    """A goal constructor answered with a list of another length than the node has outputs."""
    return f"its goal gives {given} results for a node of {expected} outputs."


def left_out(name: str, source: str, place: str, reason: str) -> str:
    """A relation failed while a function was compiled."""
    return (
        f"relation {name} ({source}) was left out at {place}: {reason} "
        "The function is compiled without it; correct the relation, or switch it off with "
        f"kanrewrite.disable({name!r})."
    )


def loops(names: Sequence[str], sources: Sequence[str], steps: int) -> str:
    """Relations rewrite their own results again and again."""
    places = ", ".join(f"{n} ({s})" for n, s in zip(names, sources, strict=True))
    if len(names) == 1:
        who, cure = f"relation {places} rewrites its own result again and again", "the result"
    else:
        who, cure = f"relations {places} rewrite each other's results", "one of the results"
    return (
        f"{who}: stopped after {steps} steps, what they did there was undone, and the function "
        f"is compiled without them. Guard them so that {cure} no longer matches, or declare "
        "@relation(direction=None) to use the equations as goals only."
    )


class MissingExtra(KanrewriteError, ImportError):
    """A package that an extra of kanrewrite brings cannot be imported."""

    def __init__(self, extra: str, package: str):
        super().__init__(
            f"{package} is not installed: it comes with the extra `{extra}`. "
            f"Run `pip install kanrewrite[{extra}]`."
        )


def disconnected_variable(variable: object) -> str:
    """The text of Aesara's DisconnectedInputError."""
    return (
        f"the gradient with respect to {variable} was asked for, but the cost is not a "
        "differentiable function of it: it is no part of the cost's graph, or only Ops without a "
        "gradient lie between. Leave it out of wrt, or pass disconnected_inputs='ignore' for a "
        "gradient of zero."
    )


def undefined_gradient(variable: object, why: str) -> str:
    """The text of Aesara's NullTypeGradError."""
    return (
        f"the gradient with respect to {variable} is undefined. {why} Pass "
        "null_gradients='return' for a placeholder in its place."
    )


class NotOneEach(KanrewriteError, ValueError):
    """Cotangents or directions do not fit what is differentiated."""

    def __init__(self, what: str, given: Sequence[object], of: str, variables: Sequence[object]):
        def kinds(vs: Sequence[object]) -> str:
            return ", ".join(f"{v} ({getattr(v, 'ndim', '?')}-d)" for v in vs) or "none"

        super().__init__(
            f"one {what} is needed for every {of}, with as many dimensions: the {of}s are "
            f"{kinds(variables)}, the {what}s given {kinds(given)}."
        )


class UnknownRows(KanrewriteError, ValueError):
    """A Jacobian is to be written row by row, and nobody knows how many rows it has."""

    def __init__(self, variable: Any):
        super().__init__(
            f"cannot write out the rows of the Jacobian of {variable} one by one: its type, "
            f"{variable.type}, does not say how many there are. Give it known lengths with "
            "aesara.tensor.specify_shape or TensorType(dtype, shape=...), or leave unroll=False, "
            "which loops over the rows with aesara.scan."
        )


class UnknownShape(KanrewriteError, ValueError):
    """A shape that is needed to count operations and follows from nothing given."""

    def __init__(self, variable: object):
        super().__init__(
            f"the shape of {variable} is not known: it follows neither from the shapes given nor "
            "from its type; add it to `shapes`, or its value as a constant where a length is meant"
        )


class NotBuildable(KanrewriteError, TypeError):
    """A term that is no graph."""

    def __init__(self, term: object, why: str):
        super().__init__(f"{term} cannot be built as a graph of Aesara: {why}.")


class EndlessSet(KanrewriteError, RuntimeError):
    """A list asked for of a set of unifiers that has no known end."""

    def __init__(self, theory: str, equations: str, found: int):
        super().__init__(
            f"the unifiers of {equations} modulo {theory!r} cannot be made a list: modulo "
            f"associativity alone the set may be infinite, and after {found} of them the search "
            "had not ended. Take a number of them with itertools.islice."
        )


class UnknownSearchDirection(KanrewriteError, ValueError):
    """A search asked to go a way that there is not."""

    def __init__(self, direction: object, known: Sequence[str]):
        super().__init__(
            f"cannot explore in direction {direction!r}: it is one of {', '.join(map(repr, known))}"
        )


def cannot_be_turned(name: str, source: str, why: object) -> str:
    """A relation that a search cannot use against its direction."""
    return f"{name} ({source}) is not used against its direction: {why}"


class DuplicateRelation(RelationError):
    """A second relation under a name that is taken."""

    def __init__(self, name: str, source: str, taken: str):
        super().__init__(
            name,
            source,
            f"the name is taken by the relation at {taken}. Rename one of them, or replace that "
            "one with register(..., replace=True).",
        )


class UnknownRelation(KanrewriteError, KeyError):
    """A name that is neither a relation nor a family."""

    def __init__(self, name: str, near: Sequence[str]):
        meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        super().__init__(
            f"{name!r} is neither a relation nor a family of relations; "
            f"`kanrewrite list` shows both.{meant}"
        )

    def __str__(self) -> str:
        return str(self.args[0])


class NotARelation(KanrewriteError, TypeError):
    """Something else than a relation is to be registered."""

    def __init__(self, value: object):
        super().__init__(
            f"{value!r} is not a relation: decorate its function with @kanrewrite.relation."
        )


def failed_entry_point(name: str, value: str, error: Exception) -> str:
    """An installed package offers relations that cannot be loaded."""
    return (
        f"the relations {name!r} of another package ({value}) were left out: loading them raised "
        f"{type(error).__name__}: {error}. Correct or uninstall that package."
    )


class NothingToExplain(KanrewriteError, TypeError):
    """`why_not` asked about a relation whose pattern cannot be seen."""

    def __init__(self, name: str, source: str):
        super().__init__(
            f"{name} ({source}) is a goal constructor: it has no pattern of which a part could "
            "match. State it by equations, or run its goal on the graph"
        )


class ScriptError(KanrewriteError):
    """A script, or what it should hold, cannot be used from the command line."""


def not_file_and_name(target: str) -> str:
    """A target on the command line is not FILE.py:NAME."""
    return f"{target!r} does not name a graph. Write FILE.py:NAME, e.g. model.py:loss."


def no_such_file(path: object) -> str:
    """The script is not there."""
    return f"{path} does not exist or is no file; the part before the last colon is the script."


def script_raised(path: object, error: BaseException, line: int | None) -> str:
    """Running a script ended in an exception."""
    where = f"{path}:{line}" if line else str(path)
    return f"the script raised at {where}: {type(error).__name__}: {error}"


def no_such_name(path: object, name: str, graphs: Sequence[str], near: Sequence[str]) -> str:
    """The script defines nothing of that name."""
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    known = f" Graphs in it: {', '.join(graphs)}." if graphs else " It holds no graph at its top."
    return f"{path} defines no {name!r}.{meant}{known}"


def not_a_graph(path: object, name: str, value: object) -> str:
    """What a name stands for is no graph."""
    return (
        f"{name!r} in {path} is {type(value).__name__} {value!r:.60}, not a graph: it must be an "
        "Aesara variable, a list of variables, or a function without parameters that returns them."
    )


def no_such_input(name: str, names: Sequence[str]) -> str:
    """A value is given for an input that the graph does not have."""
    return f"the graph has no input {name!r}; its inputs are {', '.join(names) or 'none'}."


def unusable_value(name: str, text: str, error: Exception) -> str:
    """A value on the command line cannot be read."""
    return (
        f"the value {text!r} of input {name!r} cannot be used ({error}). Give a Python literal, "
        "e.g. --input x=[1,2,800], or the name of a .npy file."
    )


def unusable_inputs(names: Sequence[str], error: Exception) -> str:
    """A graph cannot be evaluated at generated values."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return (
        f"the graph cannot be evaluated at these inputs: {first}. Give values yourself, e.g. "
        + " ".join(f"--input {name}=..." for name in names)
    )


class CyclicSubstitution(KanrewriteError, ValueError):
    """A substitution under which a variable contains itself."""

    def __init__(self, variable: object, value: object):
        super().__init__(
            f"the substitution binds {variable!r} to {value!r}, which contains {variable!r} again: "
            "the term would be infinite. Give each variable a term without it; kanren's own `eq` "
            "does not check this, kanrewrite's does."
        )


def only_read(names: Sequence[str]) -> str:
    """Relations without a direction, which a search has no way to use."""
    return (
        f"{', '.join(names)}: without a direction, so for reading graphs and not for rewriting them"
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
