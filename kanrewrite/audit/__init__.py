"""`audit`: is a graph safe, what of it is proved, and where does it go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanrewrite.audit.compiling import Run, rewritten, with_gradients
from kanrewrite.audit.helping import explained
from kanrewrite.audit.inputs import Graph, Input, inputs_of
from kanrewrite.audit.proving import proved
from kanrewrite.audit.result import Audit, Part, Risk, Witness
from kanrewrite.audit.searching import Search
from kanrewrite.border import Amount, AnyMode, Count, checked
from kanrewrite.clock import wall
from kanrewrite.ranges import ByInput
from kanrewrite.structure import computable

__all__ = ["Audit", "Part", "Risk", "Witness", "audit"]

#: How long it lasts, and for how long it is looked for what would have helped.
SECONDS, EXPLAINING = 10.0, 5.0
#: And how long at least, if it is.
_EXPLAINED = 1.0
#: The part of the time that is left for the search however long compiling takes, and the part by
#: which what would have helped may go beyond it.
_LEAST, _BEYOND = 0.5, 0.25
#: And the part that the search leaves for it once something was found.
_KEPT = 0.5
#: How many inputs are tried, and after how many risks it ends.
_SAMPLES, _MOST = 64, 8


@checked
def audit(
    outputs: Any,
    inputs: ByInput | None = None,
    *,
    gradient: bool = False,
    as_written: bool = False,
    shapes: ByInput | None = None,
    mode: AnyMode = None,
    samples: Count = _SAMPLES,
    seconds: Amount = SECONDS,
    most: Count = _MOST,
    seed: Count = 0,
    explain: bool = True,
) -> Audit:
    """Whether a graph gives right numbers: what is proved, and witnesses where it does not.

    Parameters
    ----------
    outputs : Variable, or whatever holds a graph
        What is audited; tensors of real numbers.
    inputs : Mapping, optional
        The range of inputs, ``{x: (low, high)}``, both ends included; keys are variables or names.
        Those without one may be any finite float, or an index into an axis of length 3.
    gradient : bool
        Whether the derivatives of the outputs' sum in each float input are audited too.
    as_written : bool
        Audit the graph as it is.  By default it is what a compilation makes of it, with the
        relations that are enabled.
    shapes : Mapping, optional
        Of inputs, ``{x: (2, 5)}``; what is not given has axes of length 3, or as long as the
        numbers ask by which the graph picks elements.
    mode : Mode or str, optional
        Of the compilation, without its fused and inplace operators.
    samples : int
        How many inputs are tried.
    seconds : float
        How long it lasts at most, compiling included; what was not reached by then is told.
    most : int
        Risks after which it ends.
    seed : int
        Of the inputs tried.
    explain : bool
        Whether risks say which relation would have helped, or why none did.

    Returns
    -------
    Audit
        With ``ok``, ``risks`` and ``parts``; it shows itself as text and as a picture.

    Raises
    ------
    NotAGraph, NoSuchInput, UnusableRange
        For what is no graph, no input, or no range.
    NothingRan
        If the graph can be evaluated at no input that is tried.

    Notes
    -----
    A result is wrong if it is not finite and the exact one is, or farther from it than 1e-10 (1e-4
    in float32) of its size and of that of the output at everyday inputs, unless a change of the
    inputs by rounding explains it.  That there is no number, as of ``log(-1)``, is a risk where
    ranges are given, unless only single points were met, as that of ``x / x``.  An exact number
    beyond the floats is told there too, as a risk that is `harmless`: infinity is the right
    result, and the audit is ok.

    What is proved, is proved by interval arithmetic, rounded outwards: no element of that variable
    overflows or is nan, whatever the inputs in their ranges are, of any shape up to 2**40 elements
    and without empty axes.  That no digits are lost is searched for, not proved.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.dvector("x")
    >>> e = at.exp(x)
    >>> found = audit(at.log(e.sum()), {x: (-1000, 1000)}, as_written=True)
    >>> found.ok, found.risks[0].kind, found.risks[0].variable
    (False, 'overflow', Elemwise{exp,no_inplace}.0)
    >>> audit(at.log(e.sum()), {x: (-10, 10)}, as_written=True).ok
    True
    """
    began = wall()
    written = computable(outputs)
    written = with_gradients(written) if gradient else written
    known = inputs_of(written, inputs, shapes)
    variables = [i.variable for i in known]
    audited = written if as_written else rewritten(variables, written, mode)
    explaining = EXPLAINING if explain else 0.0
    is_compiled = mode is None and not as_written
    left = max(seconds - (wall() - began), _LEAST * seconds)
    return examined(known, written, audited, left, most, samples, seed, explaining, is_compiled)


def examined(
    known: Sequence[Input],
    written: list[Graph],
    audited: list[Graph],
    seconds: float,
    most: int = _MOST,
    samples: int = _SAMPLES,
    seed: int = 0,
    explaining: float = EXPLAINING,
    is_compiled: bool = True,
    stock: Run | None = None,
) -> Audit:
    """The audit of a graph that is compiled already.

    Parameters
    ----------
    known : sequence of Input
        With their ranges.
    written, audited : list of Variable
        Before and after the compilation, over the same inputs.
    seconds, most, samples, seed
        As for `audit`.
    explaining : float
        For how many seconds what would have helped is looked for.
    is_compiled : bool
        Whether `audited` is what a compilation with the enabled relations leaves.
    stock : callable, optional
        Computes the outputs without relations. Then what helps is looked for among those that are
        enabled, and no further compilation is needed.
    """
    end = wall() + seconds
    kept = min(explaining, _KEPT * seconds)
    search = Search(known, written, audited, seconds, most, kept)
    search.search(samples, seed)
    risks = sorted(
        search.found.values(), key=lambda r: (r.harmless, r.inherent, not r.silent, -r.digits)
    )
    if explaining:
        least = min(_EXPLAINED, explaining)
        left = end - wall()
        explaining = max(min(max(explaining, left), left + _BEYOND * seconds), least)
        risks = explained(risks, search.judge, explaining, is_compiled, stock)
    begin = {risk.variable for risk in risks}
    parts = [
        Part(
            p.variable,
            "risk" if p.variable in begin else p.verdict,
            p.low,
            p.high,
            search.bits.get(p.variable, 0.0),
            p.why,
        )
        for p in proved(known, audited)
    ]
    ranges = {i.variable: (i.low, i.high) for i in known if i.given}
    return Audit(
        audited, written, risks, parts, search.tried, search.judged, search.stopped, ranges
    )
