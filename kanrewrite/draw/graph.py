"""Aesara graphs as diagrams.

Equal subgraphs become one box (structural hash-consing), constants are written into the boxes
that use them.  A large graph is made readable by three more steps, in this order: names and
short operands are written into the boxes as well, chains of one-operand operators share a box,
and a line across many rows is replaced by the number of the box it would come from.  A label is cut
where it is long; the whole is shown when a box is pointed at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from aesara.graph.basic import Constant, Variable
from aesara.scan.op import Scan
from aesara.tensor.elemwise import DimShuffle

from kanrewrite.config import config
from kanrewrite.display import applied, brief, cut, leaf_text, operator_text, type_text
from kanrewrite.draw.layout import WIDEST
from kanrewrite.draw.model import Box, Diagram, Kind, Line, Status
from kanrewrite.draw.rows import rows_of
from kanrewrite.structure import Structure, outputs_of
from kanrewrite.trace import source_of

Graph = Variable[Any, Any]

#: What is written at the line from what a loop computes in a step, or an Op inside, to it.
STEP, INSIDE = "each step", "inside"
#: Above this many operators a graph is drawn in its compact form.
COMPACT = 40
#: In compact form, lines across more rows than this become references, but for the shortest of
#: each box, by which the graph hangs together, where it is no longer than the second number.
FAR, FURTHEST = 4, 8
#: Boxes drawn at most; what lies further from the outputs is an ellipsis.
MOST = 600
_CHAIN = 4
#: Operands of an operator with more lines than this are not numbered.
_NUMBERED = 8
#: More operands of a sum that have no box near by are counted.
_HIDDEN = 3
_ROUNDS = 3
_INFIX = {"add": "+", "sub": "−", "mul": "×", "true_div": "÷", "pow": "^"}


Mark = Callable[[int], Status]


def diagram(
    graph: Any,
    title: str = "",
    structure: Structure | None = None,
    mark: Mark | None = None,
    keep: Callable[[int], bool] | None = None,
    compact: bool | None = None,
    widest: float = WIDEST,
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
        Whether a number is drawn; what is not becomes an ellipsis.  Where that leaves nothing,
        the outputs are drawn.
    compact : bool, optional
        Draw the compact form; by default when there are more than `COMPACT` operators.
    widest : float
        How wide it will be drawn.

    Returns
    -------
    Diagram
    """
    structure = Structure(opened=True) if structure is None else structure
    roots = structure.add(outputs_of(graph))
    below = structure.below(roots, MOST)
    shown = [n for n in below if keep is None or keep(n)] or roots
    if compact is None:
        compact = sum(structure.variables[n].owner is not None for n in shown) > COMPACT
    drawing = _Drawing(structure, roots, set(shown), mark or _mark_outputs(roots), compact)
    return drawing.run(shown, title, widest)


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
        #: The reader to which each box keeps its line, however far.
        self.kept: dict[int, int] = {}
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

    def _is_short(self, number: int) -> bool:
        """Whether it says more than an ellipsis: an input, or a constant that is moved about."""
        return self.structure.variables[number].owner is None or self._is_written(number)

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

    def run(self, shown: list[int], title: str, widest: float) -> Diagram:
        """Draw; in compact form as often as lines turn out to be far."""
        far: set[tuple[int, int]] = set()
        for _ in range(_ROUNDS):
            numbers = {source: i for i, source in enumerate(sorted({s for s, _ in far}), 1)}
            self.result = Diagram(title=title)
            for number in sorted(shown):
                if number in self.boxes:
                    self._add(number, far, numbers)
            more = self._far_lines(widest) - far if self.compact else set()
            if not more:
                break
            far |= more
        return self.result

    def _far_lines(self, widest: float) -> set[tuple[int, int]]:
        """Lines that cross more rows than they may."""
        widths = {key: box.width for key, box in self.result.boxes.items()}
        row = rows_of(widths, [(x.source, x.target) for x in self.result.lines], widest)
        far = set()
        for operand, readers in self._readers().items():
            own = row[self.heads[operand]]
            nearest = self.kept.setdefault(
                operand, max(readers, key=lambda number: row[self.heads[number]])
            )
            far |= {
                (operand, number)
                for number in readers
                if own - row[self.heads[number]] > (FURTHEST if number == nearest else FAR)
            }
        return far

    def _readers(self) -> dict[int, list[int]]:
        """The boxes that read each box."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number in sorted(self.boxes):
            for operand in dict.fromkeys(self.structure.operands(number)):
                if operand in self.boxes:
                    found[operand].append(number)
        return found

    def _add(self, number: int, far: set[tuple[int, int]], numbers: Mapping[int, int]) -> None:
        variable = self.structure.variables[number]
        head = self.heads[number]
        kind: Kind = "input" if variable.owner is None else "op"
        box = self.result.boxes.setdefault(head, Box([], kind, self.mark(head)))
        texts: list[str | None] = []
        steps = self.structure.steps(number)
        for position, operand in enumerate(self.structure.operands(number)):
            if operand in steps and operand not in self.boxes:
                what = _inside(self.structure.variables[number])
                texts.append(f"{what}: {brief(self.structure.variables[operand])}")
            elif (operand, number) in far:
                texts.append(f"[{numbers[operand]}]")
                box.refers.append(self.heads[operand])
            elif operand in self.boxes:
                texts.append(None)
                if self.heads[operand] != head:
                    self._line(operand, number, position)
            elif operand in self.written or self._is_short(operand):
                texts.append(brief(self.structure.variables[operand]))
            else:
                texts.append("…")
        text = _text(variable, [t for t in texts if t is not None] if steps else texts)
        box.lines.append(cut(text, config.label_width))
        if number in numbers:
            box.lines[-1] = f"[{numbers[number]}] {box.lines[-1]}"
            box.number = numbers[number]
        box.detail = _detail(variable, text)

    def _line(self, operand: int, number: int, position: int) -> None:
        steps = self.structure.steps(number)
        if operand in steps:
            what = _inside(self.structure.variables[number])
            self.result.lines.append(Line(self.heads[operand], self.heads[number], what))
            return
        inner = [o for o in self.structure.operands(number) if o in self.boxes and o not in steps]
        node = self.structure.variables[number].owner
        ordered = node is not None and operator_text(node.op) not in ("add", "mul")
        label = str(position + 1) if ordered and 1 < len(inner) <= _NUMBERED else ""
        line = Line(self.heads[operand], self.heads[number], label)
        if label or line not in self.result.lines:
            self.result.lines.append(line)


def _inside(variable: Graph) -> str:
    return STEP if isinstance(getattr(variable.owner, "op", None), Scan) else INSIDE


def _detail(variable: Graph, text: str) -> str:
    """What is shown when a box is pointed at: the whole label, the expression, type and place."""
    name = "" if variable.owner is None else operator_text(variable.owner.op)
    whole = [x for x in (name, text) if len(x) > config.label_width]
    named = [f"named {variable.name}"] if variable.owner is not None and variable.name else []
    place = [place] if (place := source_of(variable)) else []
    return "\n".join([*whole, cut(brief(variable), 400), *named, type_text(variable.type), *place])


def _text(variable: Graph, operands: list[str | None]) -> str:
    """What is written in a box: the operator, with the operands that have no line of their own."""
    if variable.owner is None:
        return leaf_text(variable)
    name = operator_text(variable.owner.op)
    sign = _INFIX.get(name)
    if all(operand is None for operand in operands):
        return sign or name
    slots = ["·" if operand is None else operand for operand in operands]
    hidden = slots.count("…")
    if sign and hidden > _HIDDEN:  # only of sums and products, whose order says nothing
        rest = [text for text in slots if text != "…"]
        return f" {sign} ".join([*rest, f"({hidden} more)"]) if rest else f"{sign} of {hidden}"
    return f" {sign} ".join(slots) if sign else applied(variable.owner.op, slots)
