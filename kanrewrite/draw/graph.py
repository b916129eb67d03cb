"""Aesara graphs as diagrams.

Equal subgraphs become one box (structural hash-consing), constants are written into the boxes
that use them.  A large graph is made readable by three more steps, in this order: names and
short operands are written into the boxes as well, chains of one-operand operators share a box,
and a line across many rows is replaced by the number of the box it would come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from aesara.graph.basic import Constant, Variable
from aesara.tensor.elemwise import DimShuffle

from kanrewrite.display import applied, brief, leaf_text, operator_text
from kanrewrite.draw.model import Box, Diagram, Kind, Line, Status
from kanrewrite.structure import Structure, outputs_of

Graph = Variable[Any, Any]

#: Above this many operators a graph is drawn in its compact form.
COMPACT = 40
#: In compact form, lines across more rows than this become references.
FAR = 4
#: Boxes drawn at most; what lies further from the outputs is an ellipsis.
MOST = 600
_CHAIN = 4
_INFIX = {"add": "+", "sub": "−", "mul": "×", "true_div": "÷", "pow": "^"}


Mark = Callable[[int], Status]


def diagram(
    graph: Any,
    title: str = "",
    structure: Structure | None = None,
    mark: Mark | None = None,
    keep: Callable[[int], bool] | None = None,
    compact: bool | None = None,
) -> Diagram:
    """The diagram of an Aesara graph.

    Parameters
    ----------
    graph : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        What to draw.
    title : str
        What is written above it.
    structure : Structure, optional
        Numbers to use, when two graphs are to have common ones.
    mark : callable, optional
        The status of a number.
    keep : callable, optional
        Whether a number is drawn; what is not becomes an ellipsis.
    compact : bool, optional
        Draw the compact form; by default when there are more than `COMPACT` operators.

    Returns
    -------
    Diagram
    """
    structure = Structure() if structure is None else structure
    roots = structure.add(outputs_of(graph))
    shown = [n for n in structure.below(roots, MOST) if keep is None or keep(n) or n in roots]
    if compact is None:
        compact = sum(structure.variables[n].owner is not None for n in shown) > COMPACT
    drawing = _Drawing(structure, roots, set(shown), mark or _mark_outputs(roots), compact)
    drawing.result.title = title
    return drawing.run(shown)


def _mark_outputs(roots: list[int]) -> Mark:
    return lambda number: "output" if number in roots else ""


class _Drawing:
    def __init__(
        self, structure: Structure, roots: list[int], shown: set[int], mark: Mark, compact: bool
    ):
        self.structure = structure
        self.roots = set(roots)
        self.mark = mark
        self.compact = compact
        self.result = Diagram()
        self.written = {n for n in shown if n not in self.roots and self._is_written(n)}
        self.boxes = shown - self.written
        readers = Counter(o for n in self.boxes for o in set(structure.operands(n)))
        self.heads = {n: n for n in self.boxes}
        if compact:
            self._join_chains(readers)

    def _is_written(self, number: int) -> bool:
        """Whether it has no box and stands as text in its readers' boxes."""
        base = variable = self.structure.variables[number]
        while base.owner is not None and isinstance(base.owner.op, DimShuffle):
            base = base.owner.inputs[0]
        if isinstance(base, Constant):
            return True
        return self.compact and base.owner is None and len(brief(variable)) <= 24

    def _join_chains(self, readers: Counter[int]) -> None:
        """Give a box with one reader and one operand to that reader's box."""
        length = Counter(self.boxes)
        for number in sorted(self.boxes, reverse=True):
            inner = [o for o in self.structure.operands(number) if o in self.boxes]
            if len(inner) != 1 or readers[inner[0]] != 1 or inner[0] in self.roots:
                continue
            head, below = self.heads[number], inner[0]
            alike = self.mark(below) == self.mark(number) or self.mark(number) == "output"
            if length[head] < _CHAIN and alike:
                self.heads[below] = head
                length[head] += 1

    def run(self, shown: list[int]) -> Diagram:
        far = self._far_lines()
        numbers = {source: i for i, source in enumerate(sorted({s for s, _ in far}), 1)}
        for number in sorted(shown):
            if number in self.boxes:
                self._add(number, far, numbers)
        return self.result

    def _far_lines(self) -> set[tuple[int, int]]:
        """Lines of a compact graph that cross more than `FAR` rows."""
        if not self.compact:
            return set()
        # A box sits one row above its nearest reader, so rows are counted from the outputs.
        row: dict[int, int] = dict.fromkeys(self.boxes, 0)
        pairs = [
            (operand, number)
            for number in sorted(self.boxes, reverse=True)
            for operand in self.structure.operands(number)
            if operand in self.boxes
        ]
        for operand, number in pairs:
            step = self.heads[operand] != self.heads[number]
            row[operand] = max(row[operand], row[number] + step)
        return {(o, n) for o, n in pairs if row[o] - row[n] > FAR}

    def _add(self, number: int, far: set[tuple[int, int]], numbers: Mapping[int, int]) -> None:
        variable = self.structure.variables[number]
        head = self.heads[number]
        kind: Kind = "input" if variable.owner is None else "op"
        box = self.result.boxes.setdefault(head, Box([], kind, self.mark(head)))
        texts: list[str | None] = []
        for position, operand in enumerate(self.structure.operands(number)):
            if (operand, number) in far:
                texts.append(f"[{numbers[operand]}]")
                box.refers.append(self.heads[operand])
            elif operand in self.boxes:
                texts.append(None)
                if self.heads[operand] != head:
                    self._line(operand, number, position)
            elif operand in self.written:
                texts.append(brief(self.structure.variables[operand]))
            else:
                texts.append("…")
        box.lines.append(_text(variable, texts))
        if number in numbers:
            box.lines[-1] = f"[{numbers[number]}] {box.lines[-1]}"
            box.number = numbers[number]
        box.detail = f"{brief(variable)}\n{variable.type}"

    def _line(self, operand: int, number: int, position: int) -> None:
        inner = [o for o in self.structure.operands(number) if o in self.boxes]
        node = self.structure.variables[number].owner
        ordered = node is not None and operator_text(node.op) not in ("add", "mul")
        label = str(position + 1) if ordered and len(inner) > 1 else ""
        line = Line(self.heads[operand], self.heads[number], label)
        if label or line not in self.result.lines:
            self.result.lines.append(line)


def _text(variable: Graph, operands: list[str | None]) -> str:
    """What is written in a box: the operator, with the operands that have no line of their own."""
    if variable.owner is None:
        return leaf_text(variable)
    name = operator_text(variable.owner.op)
    sign = _INFIX.get(name)
    if all(operand is None for operand in operands):
        return sign or name
    slots = ["·" if operand is None else operand for operand in operands]
    return f" {sign} ".join(slots) if sign else applied(variable.owner.op, slots)
