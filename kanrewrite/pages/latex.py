"""Terms as mathematics, in LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from math import frexp, isinf
from typing import Any

from unification import isvar

from kanrewrite.unify import is_term

#: How tightly what an operator makes is bound: what is looser stands in parentheses.
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_GREEK = frozenset({"alpha", "beta", "gamma", "delta", "epsilon", "lambda", "mu", "sigma", "tau"})
_RELATIONS = {"lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "eq": "=", "neq": r"\ne"}
_BIG = {"sum": r"\sum", "prod": r"\prod", "max": r"\max", "min": r"\min"}
#: Powers of two beyond this one are written as powers.
_LARGE = 30
#: Atoms, and yet what is raised to a power is not clear without parentheses.
_FRACTIONS = frozenset({"true_div", "reciprocal", "switch"})
_FUNCTIONS = frozenset({"log", "sin", "cos", "tan", "sinh", "cosh", "tanh"})
Written = tuple[str, int]


def latex(term: Any) -> str:
    r"""A term, or one side of an equation, in LaTeX.

    Parameters
    ----------
    term : Term, number or logic variable

    Returns
    -------
    str

    Examples
    --------
    >>> from kanrewrite.terms import Param, T
    >>> x, axis = Param("latex:x"), Param("latex:axis")
    >>> latex(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True))
    '\\frac{e^{x}}{\\sum_{axis} e^{x}}'
    >>> latex(-(x + 1) ** 2)
    '- \\left(x + 1\\right)^{2}'
    """
    return _write(term)[0]


def _write(term: Any) -> Written:
    if isvar(term):
        return _name(str(term)), _ATOM
    if not is_term(term):
        text = _number(term)
        return text, _SUM if text.startswith("-") else _ATOM
    head, *operands = term
    writer = _WRITERS.get(head.name)
    return writer(operands) if writer else _applied(head, operands)


def _within(term: Any, binding: int) -> str:
    """A term as an operand of something that binds so tightly."""
    text, mine = _write(term)
    return text if mine >= binding else rf"\left({text}\right)"


def _name(name: str) -> str:
    if name in _GREEK:
        return rf"\{name}"
    return name if len(name) == 1 else rf"\mathit{{{name}}}".replace("_", r"\_")


def _number(value: Any) -> str:
    if isinstance(value, float) and isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    if isinstance(value, float):
        mantissa, exponent = frexp(value)
        power = mantissa == 0.5 and abs(exponent) > _LARGE
        return f"2^{{{exponent - 1}}}" if power else f"{value:.6g}"
    if isinstance(value, tuple):
        return rf"\left({', '.join(map(_plain, value))}\right)"
    return _plain(value)


def _plain(value: Any) -> str:
    text = str(value)
    return text if text.replace(".", "").lstrip("-").isdigit() else rf"\mathrm{{{_escaped(text)}}}"


def _escaped(text: str) -> str:
    return text.replace("_", r"\_").replace("{", r"\{").replace("}", r"\}")


def _applied(head: Any, operands: list[Any]) -> Written:
    """An operator by its name over its operands, parameters as an index."""
    tensors = len(operands) - len(head.parameters)
    named = rf"\{head.name}" if head.name in _FUNCTIONS else _operator(head.name)
    shown = [x for x in operands[tensors:] if not isinstance(x, bool) and x is not None]
    if shown:
        named += f"_{{{', '.join(_index(x) for x in shown)}}}"
    return rf"{named}\left({', '.join(latex(x) for x in operands[:tensors])}\right)", _ATOM


def _operator(name: str) -> str:
    return rf"\operatorname{{{_escaped(name)}}}"


def _index(value: Any) -> str:
    return str(value).replace("_", r"\_") if isvar(value) else latex(value)


def _add(operands: list[Any]) -> Written:
    text = ""
    for n, operand in enumerate(operands):
        part = _within(operand, _SUM)
        sign = "" if n == 0 else " " if part.startswith("-") else " + "
        text += sign + part
    return text, _SUM


def _sub(operands: list[Any]) -> Written:
    return f"{_within(operands[0], _SUM)} - {_within(operands[1], _PRODUCT)}", _SUM


def _neg(operands: list[Any]) -> Written:
    return f"- {_within(operands[0], _PRODUCT)}", _SUM


def _mul(operands: list[Any]) -> Written:
    if len(operands) == 2 and operands[0] == operands[1]:
        return _pow([operands[0], 2])
    *first, last = operands
    # What follows a sum is summed with it, unless the sum has parentheses.
    texts = [_within(x, _ATOM if _is_big(x) else _PRODUCT) for x in first]
    if first[0][0].name == "mul" if is_term(first[0]) else not isvar(first[0]):
        texts[0] = latex(first[0])  # the sign of a number in front needs no parentheses
    text = r" \, ".join([*texts, _within(last, _PRODUCT)])
    return text, _SUM if text.startswith("-") else _PRODUCT


def _is_big(term: Any) -> bool:
    return is_term(term) and term[0].name in _BIG


def _quotient(operands: list[Any]) -> Written:
    return rf"\frac{{{latex(operands[0])}}}{{{latex(operands[1])}}}", _ATOM


def _pow(operands: list[Any]) -> Written:
    base, exponent = operands
    text = _within(base, _ATOM)
    if is_term(base) and base[0].name in _FRACTIONS:  # else the power is read as the numerator's
        text = rf"\left({text}\right)"
    return f"{text}^{{{latex(exponent)}}}", _POWER


def _reduced(sign: str) -> Callable[[list[Any]], Written]:
    def write(operands: list[Any]) -> Written:
        inner, axis, *_ = operands
        index = "" if axis is None else f"_{{{_index(axis)}}}"
        return f"{sign}{index} {_within(inner, _PRODUCT)}", _PRODUCT

    return write


def _compared(sign: str) -> Callable[[list[Any]], Written]:
    return lambda xs: (f"{_within(xs[0], _SUM)} {sign} {_within(xs[1], _SUM)}", _SUM - 1)


def _switch(operands: list[Any]) -> Written:
    condition, yes, no = operands
    rows = [rf"{latex(yes)} & {latex(condition)}"]
    while is_term(no) and no[0].name == "switch":
        condition, yes, no = no[1:]
        rows.append(rf"{latex(yes)} & {latex(condition)}")
    rows.append(rf"{latex(no)} & \text{{otherwise}}")
    written = r" \\ ".join(rows)
    return rf"\begin{{cases}} {written} \end{{cases}}", _ATOM


def _extremum(name: str) -> Callable[[list[Any]], Written]:
    def flat(operands: list[Any]) -> list[str]:
        nested = ((x, is_term(x) and x[0].name == f"{name}imum") for x in operands)
        return [text for x, same in nested for text in (flat(list(x[1:])) if same else [latex(x)])]

    return lambda xs: (rf"\{name}\left({', '.join(flat(xs))}\right)", _ATOM)


_WRITERS: dict[str, Callable[[list[Any]], Written]] = {
    "add": _add,
    "exp": lambda xs: (f"e^{{{latex(xs[0])}}}", _POWER),
    "sub": _sub,
    "neg": _neg,
    "mul": _mul,
    "true_div": _quotient,
    "reciprocal": lambda xs: _quotient([1, *xs]),
    "pow": _pow,
    "sqr": lambda xs: _pow([*xs, 2]),
    "sqrt": lambda xs: (rf"\sqrt{{{latex(xs[0])}}}", _ATOM),
    "abs": lambda xs: (rf"\left|{latex(xs[0])}\right|", _ATOM),
    "switch": _switch,
    "isinf_": lambda xs: (rf"\left|{latex(xs[0])}\right| = \infty", _SUM - 1),
    # Looser than comparisons, and "or" than "and".
    "and_": lambda xs: (r" \wedge ".join(_within(x, _SUM - 2) for x in xs), _SUM - 2),
    "or_": lambda xs: (r" \vee ".join(_within(x, _SUM - 3) for x in xs), _SUM - 3),
    "maximum": _extremum("max"),
    "minimum": _extremum("min"),
    **{name: _reduced(sign) for name, sign in _BIG.items()},
    **{name: _compared(sign) for name, sign in _RELATIONS.items()},
}
