"""The pass: a function graph rewritten where exponentials meet."""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace
from aesara.tensor.type import TensorType
import aesara.tensor as at

from kanrewrite.view.build import Builder
from kanrewrite.view.read import FLOATS, View


class LiftingPass(GraphRewriter):
    """Reads a graph as forms and rebuilds each variable at which exponentials meet."""

    def __init__(self, definitions: Any, recogniser: Any = None):
        super().__init__()
        self.definitions = definitions
        self.recogniser = recogniser

    def apply(self, fgraph: FunctionGraph) -> None:
        view = View(self.definitions)
        order = fgraph.toposort()
        for node in order:
            for out in node.outputs:
                if isinstance(out.type, TensorType) and out.type.dtype in FLOATS:
                    view.read(out)
        recogniser = self.recogniser() if self.recogniser is not None else None
        builders: dict[str, Builder] = {}
        needed = self.needed(fgraph, view)
        for var in needed:
            compared = view.compared(var)
            dtype = var.type.dtype if compared is None else var.owner.inputs[0].type.dtype
            if dtype not in builders:
                builders[dtype] = Builder(view, dtype, recogniser)
            if compared is None:
                new = self.fit(builders[dtype].value(view.read(var)), var)
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
        from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum

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

    def fit(self, new: Variable, var: Variable) -> Variable:
        """The result with the dimensions of what it replaces."""
        if new.type.ndim < var.type.ndim:
            new = at.alloc(new, *var.shape) if False else at.second(var.owner.inputs[0], new)
        return new
