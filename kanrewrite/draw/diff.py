"""What changed between two graphs, by structure.

Equal subgraphs are equal wherever they sit and whoever built them.  Above a change every
operator is a new object; walking down from the outputs pairs those that are the same operator,
so that they are told from what was really replaced.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aesara.graph.basic import Constant, Variable
from aesara.graph.op import HasInnerGraph

from kanrewrite.draw.graph import COMPACT, diagram
from kanrewrite.draw.layout import WIDEST
from kanrewrite.draw.model import Diagram, Status
from kanrewrite.insides import nodes_within
from kanrewrite.structure import Structure, outputs_of

Graph = Variable[Any, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two graphs numbered together, and what is in one only.

    Attributes
    ----------
    structure : Structure
        Numbers of both graphs: equal numbers are equal subgraphs.
    before, after : frozenset of int
        Every subgraph of the one and of the other.
    rebuilt : frozenset of int
        Those whose operator stayed and whose operands changed.
    """

    structure: Structure
    outputs_before: tuple[int, ...]
    outputs_after: tuple[int, ...]
    before: frozenset[int]
    after: frozenset[int]
    rebuilt: frozenset[int]

    @property
    def gone(self) -> frozenset[int]:
        """Subgraphs of the first graph that were replaced."""
        return self.before - self.after - self.rebuilt

    @property
    def new(self) -> frozenset[int]:
        """Subgraphs of the second graph that replace them."""
        return self.after - self.before - self.rebuilt

    def status(self, number: int) -> Status:
        """How a subgraph is coloured."""
        if number in self.before and number in self.after:
            return "same"
        if number in self.rebuilt:
            return "rebuilt"
        return "gone" if number in self.before else "new"


def diff(before: Any, after: Any) -> Difference:
    """Compare two graphs by structure.

    Parameters
    ----------
    before, after : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        Inputs are paired by identity, then by name and type, then by position.

    Returns
    -------
    Difference

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.vector("x")
    >>> change = diff(at.log(at.exp(x)) + 1, at.log1p(x) + 1)
    >>> len(change.gone), len(change.new), len(change.rebuilt)
    (2, 1, 2)
    """
    first, second = outputs_of(before), outputs_of(after)
    structure = Structure(_pair_inputs(first, second), opened=True)
    old, new = structure.add(first), structure.add(second)
    below_old, below_new = frozenset(structure.below(old)), frozenset(structure.below(new))
    gone, born = set(below_old - below_new), set(below_new - below_old)
    paired = _pair(structure, list(zip(old, new, strict=False)), gone, born)
    return Difference(structure, tuple(old), tuple(new), below_old, below_new, paired)


def _pair_inputs(first: Sequence[Graph], second: Sequence[Graph]) -> dict[Graph, Graph]:
    """For each input of the second graph the input of the first that it stands for."""
    old, new = list(_inputs(first)), list(_inputs(second))
    free = [x for x in old if x not in new]
    pairs: dict[Graph, Graph] = {}
    for by_name in (True, False):
        for x in new:
            if x in old or x in pairs:
                continue
            alike = (y for y in free if y.type == x.type and _alike(x, y, by_name))
            match = next(alike, None)
            if match is not None:
                pairs[x] = match
                free.remove(match)
    return pairs


def _inputs(outputs: Sequence[Graph]) -> dict[Graph, None]:
    """The inputs of a graph, and of the steps of its loops."""
    leaves = (x for node in nodes_within(outputs) for x in node.inputs)
    every = (x for x in (*outputs, *leaves) if x.owner is None and not isinstance(x, Constant))
    return dict.fromkeys(every)


def _alike(x: Graph, y: Graph, by_name: bool) -> bool:
    return x.name is not None and x.name == y.name if by_name else None in (x.name, y.name)


def _pair(
    structure: Structure, roots: list[tuple[int, int]], gone: set[int], new: set[int]
) -> frozenset[int]:
    """Those whose operator stayed: met from the outputs down, then from what they stand on."""
    differ = gone | new
    partner: dict[int, int] = {}
    for left, right in (pairs := list(roots)):
        if _same_operator(structure, left, right) and left in gone and right in new:
            gone.remove(left)
            new.remove(right)
            partner[left] = right
            pairs.extend(_operands(structure, left, right))
    by_operator = defaultdict(list)
    for right in sorted(new):
        by_operator[_operator(structure, right)].append(right)
    # Ascending numbers are bottom up: what an operator stands on is paired before it.
    for left in sorted(gone):
        candidates = by_operator[_operator(structure, left)]
        best = next((x for x in candidates if _stands_on(structure, left, x, partner)), None)
        if best is not None:
            candidates.remove(best)
            partner[left] = best
    kept = {
        left: right
        for left, right in partner.items()
        if not _takes_others(structure, left, right, partner, differ)
    }
    return frozenset(kept) | frozenset(kept.values())


def _takes_others(
    structure: Structure, left: int, right: int, partner: dict[int, int], differ: set[int]
) -> bool:
    """Whether two uses of an operator differ in themselves, and not only in what is below them.

    They have another number of operands, or no longer one that the other graph holds too, or
    another order of them: nothing else in the picture would show it.
    """
    nodes = [structure.variables[number].owner for number in (left, right)]
    if len({node and len(node.inputs) for node in nodes}) > 1:
        return True
    old = [partner.get(x, x) for x in structure.operands(left)]
    new = structure.operands(right)
    others = Counter(old) - Counter(new)
    if others:
        return not differ.issuperset(others)
    scalar = getattr(nodes[0] and nodes[0].op, "scalar_op", None)
    return old != new and not getattr(scalar, "commutative", False)


def _operator(structure: Structure, number: int) -> Any:
    node = structure.variables[number].owner
    if node is not None and isinstance(node.op, HasInnerGraph):
        return type(node.op), str(node.op), node.outputs.index(structure.variables[number])
    return None if node is None else node.op


def _same_operator(structure: Structure, left: int, right: int) -> bool:
    operator = _operator(structure, left)
    return operator is not None and operator == _operator(structure, right)


def _stands_on(structure: Structure, left: int, right: int, partner: dict[int, int]) -> bool:
    """Whether two operators have an operand in common that is itself an operator."""
    below = {partner.get(x, x) for x in structure.operands(left)}
    common = below & set(structure.operands(right))
    return _same_operator(structure, left, right) and any(
        structure.variables[x].owner is not None for x in common
    )


def _operands(structure: Structure, old: int, new: int) -> list[tuple[int, int]]:
    """Operands to compare: equal ones aside, the others in order."""
    left, right = structure.operands(old), structure.operands(new)
    alone_left = [x for x in left if x not in right]
    alone_right = [x for x in right if x not in left]
    return list(zip(alone_left, alone_right, strict=False))


def before_after(
    before: Any, after: Any, titles: tuple[str, str] = ("before", "after")
) -> list[Diagram]:
    """Two diagrams with their differences coloured.

    Parameters
    ----------
    before, after : graph
        As for `diff`.
    titles : tuple of str
        What is written above each.

    Returns
    -------
    list of Diagram
        In large graphs what is in both is drawn only where it touches a difference.
    """
    change = diff(before, after)
    large = max(len(change.before), len(change.after)) > COMPACT
    sides = ((before, change.before, change.gone), (after, change.after, change.new))
    return [
        diagram(
            graph,
            title,
            change.structure,
            change.status,
            _near(change.structure, whole, differ).__contains__ if large else None,
            widest=WIDEST / 2,
        )
        for (graph, whole, differ), title in zip(sides, titles, strict=True)
    ]


def _near(structure: Structure, whole: frozenset[int], differ: frozenset[int]) -> set[int]:
    """What differs in a graph, and what touches that there."""
    near = set(differ)
    for number in whole:
        operands = structure.operands(number)
        if number in differ:
            near.update(operands)
        elif not differ.isdisjoint(operands):
            near.add(number)
    return near
