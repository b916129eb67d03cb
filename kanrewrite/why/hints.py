"""What to do about a difference between a pattern and a graph, where that is known."""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import Variable
from aesara.tensor.elemwise import CAReduce, DimShuffle

from kanrewrite.display import brief
from kanrewrite.terms import Term
from kanrewrite.why.weaken import Demand


def spelled(value: Any) -> str:
    """What a pattern met, as text."""
    if isinstance(value, Variable):
        return brief(value)
    return "something else" if value is None else str(value)


def hint_for(demand: Demand, found: Any) -> str:
    """What the user may write instead.

    Parameters
    ----------
    demand : Demand
        What was wanted.
    found : Variable or other
        What is there.

    Returns
    -------
    str
        Empty where nothing is known.
    """
    if demand.setting == "keepdims":
        return _KEEP if demand.part is True else "leave out keepdims=True"
    node = found.owner if isinstance(found, Variable) else None
    if node is None:
        is_input = isinstance(found, Variable) and isinstance(demand.part, Term)
        return f"{brief(found)} is an input: the graph ends here" if is_input else ""
    if isinstance(node.op, DimShuffle) and _is_reduction(node.inputs[0]):
        return f"this DimShuffle does not put the reduced axis back: {_KEEP}"
    wanted = demand.part[0].parameters if isinstance(demand.part, Term) else {}
    return _KEEP if isinstance(node.op, CAReduce) and "keepdims" in wanted else ""


_KEEP = "write keepdims=True in the reduction"


def _is_reduction(variable: Variable[Any, Any]) -> bool:
    return variable.owner is not None and isinstance(variable.owner.op, CAReduce)
