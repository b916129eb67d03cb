"""The part of a graph through which a derivative passes, and a closed copy of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aesara.gradient import _node_to_pattern
from aesara.graph.basic import Constant, io_toposort

from kanrewrite.gradient.names import Node, Var

#: ``pattern[i][j]``: output ``j`` of a node is a differentiable function of its input ``i``.
Pattern = list[list[bool]]


def connections(node: Node) -> Pattern:
    """The connection pattern that Aesara's own reverse mode follows."""
    pattern: Pattern = _node_to_pattern(node)
    return pattern


def connected_inputs(v: Var) -> list[Var]:
    """The variables that the node of one has it depend on, as far as patterns tell."""
    if v.owner is None:
        return []
    column = v.owner.outputs.index(v)
    rows = zip(v.owner.inputs, connections(v.owner), strict=True)
    return [i for i, row in rows if row[column]]


def dependence(node: Node) -> Pattern:
    """Every output depends on every input, differentiably or not."""
    return [[True] * len(node.outputs) for _ in node.inputs]


def path_nodes(
    outputs: Iterable[Var],
    wrt: Iterable[Var],
    leaves: Iterable[Var] = (),
    pattern_of: Callable[[Node], Pattern] = connections,
) -> list[Node]:
    """The nodes through which `outputs` are functions of `wrt`, inputs first.

    Parameters
    ----------
    outputs, wrt
        Where paths end and begin.
    leaves
        Variables behind which nobody looks, although they may themselves be outputs.
    pattern_of
        Which outputs of a node are functions of which inputs.

    Returns
    -------
    list of Apply
        In topological order. A graph of any depth is walked without recursion.
    """
    outputs, leaves = list(outputs), set(leaves)
    order = list(io_toposort([], outputs))
    patterns = {node: pattern_of(node) for node in order}
    wanted, _ = _wanted(outputs, leaves, order, patterns)
    live = set(wrt)
    made: set[Var] = set()
    nodes = []
    for node in order:
        reached = _reached(node, patterns[node], lambda v: v in live or (v in made - leaves))
        made.update(reached)
        if not wanted.isdisjoint(reached):
            nodes.append(node)
    return nodes


def connected(outputs: Iterable[Var], wrt: Iterable[Var], leaves: Iterable[Var] = ()) -> list[Var]:
    """Those of `wrt` that `outputs` are differentiable functions of, as far as patterns tell."""
    outputs = list(outputs)
    order = list(io_toposort([], outputs))
    patterns = {node: connections(node) for node in order}
    made, read = _wanted(outputs, set(leaves), order, patterns)
    return [v for v in wrt if v in made or v in read]


def _wanted(
    outputs: list[Var],
    leaves: set[Var],
    order: list[Node],
    patterns: dict[Node, Pattern],
) -> tuple[set[Var], set[Var]]:
    """The variables that `outputs` are functions of: as their nodes make them, and as leaves."""
    made, read = set(outputs), set[Var]()
    for node in reversed(order):
        columns = [j for j, out in enumerate(node.outputs) if out in made]
        for inp, row in zip(node.inputs, patterns[node], strict=True):
            if any(row[j] for j in columns):
                (read if inp in leaves else made).add(inp)
    return made, read


def _reached(node: Node, pattern: Pattern, live: Callable[[Var], bool]) -> list[Var]:
    rows = [row for inp, row in zip(node.inputs, pattern, strict=True) if live(inp)]
    return [out for j, out in enumerate(node.outputs) if any(row[j] for row in rows)]


def substituted(outputs: Sequence[Var], replace: Mapping[Var, Var]) -> list[Var]:
    """`outputs` with some variables replaced, and nothing copied that does not change.

    Aesara's ``clone_replace`` copies the replacements too; but a variable that is differentiated
    with respect to must stay itself.

    Parameters
    ----------
    outputs
        Variables of a graph.
    replace
        What to put for which variable, all at once.
    """
    env = substitution(outputs, replace)
    return [env.get(v, v) for v in outputs]


def substitution(outputs: Sequence[Var], replace: Mapping[Var, Var]) -> dict[Var, Var]:
    """What every variable below `outputs` becomes that changes when some are replaced."""
    env = dict(replace)
    for node in io_toposort(list(env), list(outputs)):
        inputs = [env.get(v, v) for v in node.inputs]
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            new_outputs = node.clone_with_new_inputs(inputs).outputs
            for old, new in zip(node.outputs, new_outputs, strict=True):
                env.setdefault(old, new)
    return env


@dataclass(frozen=True, eq=False)
class Path:
    """A closed copy of the graph from `wrt` to `outputs`.

    Attributes
    ----------
    inputs
        Fresh variables for everything that enters the path from outside.
    trail
        All results of the nodes on the path, in topological order.
    outputs, wrt
        What is differentiated with respect to what: among `inputs` and `trail`.
    cut
        Whether the path ends at leaves, although it could go on.
    """

    inputs: tuple[Var, ...]
    trail: tuple[Var, ...]
    outputs: tuple[Var, ...]
    wrt: tuple[Var, ...]
    cut: bool = False

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the path, inputs first."""
        return list(dict.fromkeys(v.owner for v in self.trail))


@dataclass
class _Copy:
    """A path under construction: what its nodes read (`seen`) and what they make (`made`)."""

    leaves: set[Var]
    roots: set[Var]
    seen: dict[Var, Var] = field(default_factory=dict)
    made: dict[Var, Var] = field(default_factory=dict)

    def read(self, v: Var) -> Var:
        if v in self.made and v not in self.leaves:
            return self.made[v]
        if isinstance(v, Constant) and v not in self.roots:
            return v
        if v not in self.seen:
            self.seen[v] = v.type()
            self.seen[v].name = v.name
        return self.seen[v]

    def add(self, node: Node) -> None:
        copy = node.clone_with_new_inputs([self.read(v) for v in node.inputs])
        self.made.update(zip(node.outputs, copy.outputs, strict=True))


def closed_path(
    outputs: Sequence[Var],
    wrt: Sequence[Var],
    leaves: Iterable[Var] = (),
    pattern_of: Callable[[Node], Pattern] = connections,
) -> tuple[Path, list[Var], list[Var]]:
    """Copy the graph from `wrt` to `outputs`.

    Parameters
    ----------
    outputs, wrt, leaves, pattern_of
        See `path_nodes`. A leaf that is also an output is read as a leaf and differentiated as
        an output.

    Returns
    -------
    path : Path
        The copy.
    inputs, trail : list of Variable
        The originals of ``path.inputs`` and ``path.trail``.
    """
    leaves = set(leaves)
    copy = _Copy(leaves, set(wrt))
    for node in path_nodes(outputs, wrt, leaves, pattern_of):
        copy.add(node)
    ends = tuple(copy.made[v] if v in copy.made else copy.read(v) for v in outputs)
    roots = tuple(copy.read(v) for v in wrt)
    cut = not leaves.issubset(outputs) or (bool(leaves) and len(outputs) > 1)
    path = Path(tuple(copy.seen.values()), tuple(copy.made.values()), ends, roots, cut)
    return path, list(copy.seen), list(copy.made)


def continuous(v: Any) -> bool:
    """Whether values of this variable can carry a derivative."""
    dtype = getattr(v.type, "dtype", None)
    return dtype is None or not str(dtype).startswith(("int", "uint", "bool"))
