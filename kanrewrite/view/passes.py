"""The pass: a function graph rewritten where exponentials meet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aesara.graph.basic import Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace
from aesara.tensor.type import TensorType

from kanrewrite.relation import Relation
from kanrewrite.view.build import Builder
from kanrewrite.view.fit import fitted
from kanrewrite.view.forms import App, Leaf, Lin, Prod, Sum
from kanrewrite.view.read import FLOATS, View
from kanrewrite.view.recognise import Recogniser
from kanrewrite.view.rules import LIFTING, definitions, recognitions


class LiftingPass(GraphRewriter):
    """Reads a graph as forms and rebuilds each variable at which exponentials meet.

    Parameters
    ----------
    relations : iterable of Relation
        Those of the family ``lifting`` are the equations that reading and building follow: without
        any of them the pass does nothing.  The others say what operators mean, and what formulas
        are recognised in what is built.
    """

    name = "kanrewrite_lifting"

    def __init__(self, relations: Iterable[Relation]):
        super().__init__()
        relations = tuple(relations)
        self.active = any(r.family == LIFTING for r in relations)
        self.definitions = definitions(relations)
        self.rules = list(recognitions(r for r in relations if self.takes(r)))

    def takes(self, relation: Relation) -> bool:
        """Whether this pass applies a relation, so that no other need try it."""
        module: str = relation.function.__module__
        return self.active and module.startswith("kanrewrite.relations.")

    def apply(self, fgraph: FunctionGraph) -> None:
        if not self.active:
            return
        view = View(self.definitions)
        order = fgraph.toposort()
        for node in order:
            for out in node.outputs:
                if isinstance(out.type, TensorType) and out.type.dtype in FLOATS:
                    view.read(out)
        recogniser = Recogniser(self.rules)
        builders: dict[str, Builder] = {}
        needed = self.needed(fgraph, view)
        for var in needed:
            compared = view.compared(var)
            dtype = var.type.dtype if compared is None else var.owner.inputs[0].type.dtype
            if dtype not in builders:
                builders[dtype] = Builder(view, dtype, recogniser)
            if compared is None:
                new = fitted(builders[dtype].value(view.read(var)), var)
            else:
                new = builders[dtype].comparison(compared, var)
            if new is not var:
                copy_stack_trace(var, new)
                fgraph.replace(var, new, reason="lifting", import_missing=False)

    def needed(self, fgraph: FunctionGraph, view: View) -> list[Variable]:
        """The events whose value something outside the forms needs, outputs first."""
        found: dict[Variable, None] = {}
        seen: set[Variable] = set()
        stack = list(fgraph.outputs)
        while stack:
            var = stack.pop()
            if var in seen:
                continue
            seen.add(var)
            compared = view.compared(var)
            if compared is not None:
                found[var] = None
                stack.extend(self.leaves(compared))
            elif view.is_event(var):
                found[var] = None
                stack.extend(self.leaves(view.read(var)))
            elif var.owner is not None:
                stack.extend(var.owner.inputs)
        return list(found)

    def leaves(self, form: Any) -> list[Variable]:
        """The variables that a form is built from."""
        out, stack, seen = [], [form], set()
        while stack:
            form = stack.pop()
            if form in seen:
                continue
            seen.add(form)
            if isinstance(form, Leaf):
                out.append(form.var)
            elif isinstance(form, App):
                stack.extend(form.forms)
            elif isinstance(form, Prod):
                stack.extend(m for m, _ in form.expo.terms)
                stack.extend(f for f, _ in form.factors)
            elif isinstance(form, (Sum, Lin)):
                stack.extend(m for m, _ in form.terms)
        return out
