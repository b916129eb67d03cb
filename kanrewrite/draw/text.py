"""Graphs and differences as text for the terminal, laid out and coloured by rich.

A subgraph that is used again is written once and numbered ``*n``, and so is what is deep: it stands
further below by itself, so that no line is pushed to the right until nothing fits into it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.text import Text
from rich.tree import Tree

from kanrewrite.config import config
from kanrewrite.display import brief, cut, leaf_text, operator_text, type_text
from kanrewrite.draw.diff import Difference
from kanrewrite.draw.model import Status
from kanrewrite.structure import Structure, outputs_of

_STYLES: dict[Status, str] = {
    "gone": "red",
    "new": "green",
    "rebuilt": "yellow",
    "same": "dim",
    "best": "bold green",
}
_SIGNS: dict[Status, str] = {"gone": "- ", "new": "+ ", "rebuilt": "~ ", "same": "  "}
#: Characters of a graph that is the same on both sides.
_WHOLE = 60
#: Lines of one graph at most.
MOST = 400
#: How deep lines stand; what is below is written further down, under its number.
DEEPEST = 10


def graph_text(graph: Any, title: str = "graph") -> Tree:
    """A graph as a tree of text, outputs first.

    Parameters
    ----------
    graph : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        What to write.
    title : str
        The first line.

    Returns
    -------
    rich.tree.Tree
    """
    structure = Structure(opened=True)
    return _Writer(structure, None).run(structure.add(outputs_of(graph)), title)


def diff_text(change: Difference, titles: tuple[str, str] = ("before", "after")) -> list[Tree]:
    """Two graphs as text: ``-`` only before, ``+`` only after, ``~`` changed below.

    Parameters
    ----------
    change : Difference
        What `diff` found.
    titles : tuple of str
        The first line of each.

    Returns
    -------
    list of rich.tree.Tree
    """
    writers = [_Writer(change.structure, change) for _ in titles]
    roots = (change.outputs_before, change.outputs_after)
    return [
        writer.run(list(numbers), title)
        for writer, numbers, title in zip(writers, roots, titles, strict=True)
    ]


class _Writer:
    def __init__(self, structure: Structure, change: Difference | None):
        self.structure = structure
        self.change = change
        self.shared: dict[int, int] = {}
        self.put_off: list[int] = []
        self.lines = 0

    def run(self, roots: list[int], title: str) -> Tree:
        below = self.structure.below(roots)
        readers = Counter(o for n in below for o in self.structure.operands(n))
        self.readers = {n for n, count in readers.items() if count > 1 and self._inner(n)}
        tree = Tree(Text(title, style="bold"), guide_style="dim")
        # A stack instead of recursion: graphs are deeper than Python's.
        todo = [(tree, number, 0) for number in reversed(roots)]
        while todo or self.put_off:
            branch, number, depth = todo.pop() if todo else (tree, self.put_off[0], 0)
            if self.lines >= MOST:
                branch.add(Text("…", style="dim"))
                if not todo:
                    break
                continue
            inner = self._add(branch, number, depth)
            if inner is not None:
                operands = reversed(self.structure.operands(number))
                todo += [(inner, operand, depth + 1) for operand in operands]
        return tree

    def _inner(self, number: int) -> bool:
        return self.structure.variables[number].owner is not None

    def _add(self, branch: Tree, number: int, depth: int) -> Tree | None:
        """Write one line; the branch for what is below it, None if that stands somewhere else."""
        self.lines += 1
        variable = self.structure.variables[number]
        status = self.change.status(number) if self.change else ""
        style = _STYLES.get(status, "")
        text = Text(_SIGNS.get(status, ""), style, no_wrap=True, overflow="ellipsis")
        if variable.owner is None:
            branch.add(text.append(leaf_text(variable), style=None if status else "cyan"))
            return None
        if status == "same":
            branch.add(text.append(cut(brief(variable), _WHOLE)))
            return None
        text.append(cut(operator_text(variable.owner.op), config.label_width))
        known = number in self.shared
        if not depth and number in self.put_off:
            self.put_off.remove(number)
            known = False
        elif (
            not known
            and depth >= DEEPEST
            and any(map(self._inner, self.structure.operands(number)))
        ):
            self.shared[number] = len(self.shared) + 1
            self.put_off.append(number)
            known = True
        if number in self.readers or number in self.shared:
            own = self.shared.setdefault(number, len(self.shared) + 1)
            text.append(f" *{own}", style="magenta")
        if known:
            branch.add(text.append(" …", style="dim"))
            return None
        if not self.change:
            text.append(f"  {type_text(variable.type)}", style="dim")
        return branch.add(text)
