"""The implicit derivative Ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import aesara
from aesara.compile.mode import Mode
from aesara.gradient import disconnected_type
from aesara.graph.basic import Apply, io_connection_pattern
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op
from aesara.tensor.exceptions import ShapeError

from kanrewrite.gradient.explicit import pull, push
from kanrewrite.gradient.marks import Mark
from kanrewrite.gradient.names import Node, Var, eager_grad, eager_rop
from kanrewrite.gradient.path import Path, Pattern, continuous, substituted
from kanrewrite.gradient.recursions import differentiable
from kanrewrite.inner.waiting import Later


class Derivative(Op, Later):
    """A derivative that is not written out yet.

    It is an honest function of its inputs, whatever is done to the graph around it: they are
    everything that enters the path from ``wrt`` to ``outputs``, every result on that path (the
    formulas of reverse mode read them, and ``givens`` may replace them), and the point: upstream
    gradients or directions. While a function is compiled, the results on the path give way to
    handles on the graph that is being rewritten; see `kanrewrite.gradient.opening`.

    Parameters
    ----------
    path : Path
        What is differentiated with respect to what, closed.
    point_types, out_types : sequence of Type
        The types of the point and of the results.
    handles : tuple of int, optional
        How many handles follow the point: on outputs, on variables, on what is not
        differentiated through. None before the derivative is opened.
    """

    def __init__(
        self,
        path: Path,
        point_types: Sequence[Any],
        out_types: Sequence[Any],
        handles: tuple[int, int, int] | None = None,
    ):
        self.path = path
        self.point_types = tuple(point_types)
        self.out_types = tuple(out_types)
        self.handles = handles
        self._function: Callable[..., list[Any]] | None = None
        self._pattern: Pattern | None = None
        _on_creation()

    def _key(self) -> tuple[object, ...]:
        return (type(self), id(self.path), self.point_types, self.out_types, self.handles)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derivative) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), id(self.path), self.handles))

    @property
    def is_open(self) -> bool:
        """Whether handles have taken the place of the path's results."""
        return self.handles is not None

    @property
    def like(self) -> tuple[Var, ...]:
        """The inner variables whose shapes the results have."""
        raise NotImplementedError

    #: Writes the derivative out: from outputs, variables, the point, and what is passed by.
    explicit: Callable[..., list[Var]]

    # -- the inputs and their parts

    def split(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        """Inputs of the path, its results, the point, the handles."""
        sizes = [
            len(self.path.inputs),
            0 if self.is_open else len(self.path.trail),
            len(self.point_types),
            sum(self.handles or ()),
        ]
        parts, start = [], 0
        for size in sizes:
            parts.append(list(inputs[start : start + size]))
            start += size
        return parts[0], parts[1], parts[2], parts[3]

    def opened(self, outputs: int, wrt: int, stops: int) -> Derivative:
        """The same derivative, with so many handles."""
        return type(self)(self.path, self.point_types, self.out_types, (outputs, wrt, stops))

    def held(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """What the handles of an open derivative hold: outputs, variables, stops."""
        outputs, wrt, _ = self.handles or (0, 0, 0)
        handles = self.split(inputs)[3]
        return handles[:outputs], handles[outputs : outputs + wrt], handles[outputs + wrt :]

    def make_node(self, *inputs: Var) -> Node:
        """Apply to variables for every part."""
        entering, trail, point, handles = self.split(inputs)
        types = [v.type for v in (*self.path.inputs, *(() if self.is_open else self.path.trail))]
        values = zip(types + list(self.point_types), entering + trail + point, strict=True)
        typed = [t.filter_variable(v) for t, v in values]
        return Apply(self, [*typed, *handles], [t() for t in self.out_types])

    # -- as a function of its inputs

    def closed(self) -> tuple[list[Var], list[Var]]:
        """A graph for the derivative in terms of inputs of its own.

        Returns
        -------
        inputs, outputs : list of Variable
            The inputs correspond to a node's inputs without handles.
        """
        point = [t() for t in self.point_types]
        results = self.explicit(self.path.outputs, self.path.wrt, point)
        results = self.of_declared_type(results)
        inputs = [*self.path.inputs, *point]
        if self.is_open:
            return inputs, results
        trail = [v.type() for v in self.path.trail]
        results = substituted(results, dict(zip(self.path.trail, trail, strict=True)))
        return [*self.path.inputs, *trail, *point], results

    def of_declared_type(self, results: Sequence[Any]) -> list[Var]:
        """Results of the types that the node promised, which Aesara's own gradient has."""
        typed = zip(self.out_types, results, strict=True)
        return [t.filter_variable(_cast(r, t)) for t, r in typed]

    def written_out(self, inputs: Sequence[Var]) -> list[Var]:
        """The derivative in terms of a node's inputs."""
        own, results = self.closed()
        return substituted(results, _paired(own, inputs))

    def perform(
        self, node: Node, inputs: Sequence[Any], output_storage: Any, params: Any = None
    ) -> None:
        """Compile the derivative and call it: for modes that expand nothing."""
        if self._function is None:
            own, results = self.closed()
            self._function = aesara.function(
                own, results, mode=Mode("py", "merge"), on_unused_input="ignore"
            )
        entering, trail, point, _ = self.split(inputs)
        values = self._function(*entering, *trail, *point)
        for storage, value, out in zip(output_storage, values, node.outputs, strict=True):
            storage[0] = out.type.filter(value)

    def infer_shape(self, fgraph: FunctionGraph, node: Node, shapes: list[Any]) -> list[Any]:
        """The shapes of what the results are like."""
        where = {v: i for i, v in enumerate((*self.path.inputs, *self.path.trail))}
        if sum(self.handles or ()):
            outputs, wrt, stops = self.handles or (0, 0, 0)
            first = len(shapes) - outputs - wrt - stops
            ends = (*self.path.outputs, *self.path.wrt)
            where = {v: first + i for i, v in enumerate(ends)}
        if not all(v in where for v in self.like):
            raise ShapeError("the derivative of a constant")
        return [shapes[where[v]] for v in self.like]

    def do_constant_folding(self, fgraph: FunctionGraph, node: Node) -> bool:
        """Never: a derivative is expanded, not computed while compiling."""
        return False

    def connection_pattern(self, node: Node) -> Pattern:
        """What the written-out derivative depends on; all inputs once it is open."""
        if self.is_open:
            return [[True] * len(node.outputs) for _ in node.inputs]
        if self._pattern is None:
            own, results = self.closed()
            self._pattern = [list(row) for row in io_connection_pattern(own, results)]
        return self._pattern

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> list[Var]:
        """Reverse mode through the written-out derivative."""
        own, results = self.closed()
        results, own, _ = differentiable(results, own, [])
        pattern = self._pattern or [list(r) for r in io_connection_pattern(own, results)]
        live = [j for j, g in enumerate(gradients) if hasattr(g.type, "dtype")]
        known = {Mark()(results[j]): gradients[j] for j in live}
        rows = zip(own, pattern, strict=True)
        roots = [v for v, row in rows if any(row[j] for j in live)]
        terms = eager_grad(
            None,
            roots,
            known_grads=known,
            disconnected_inputs="ignore",
            null_gradients="return",
        )
        terms = substituted(terms, _paired(own, inputs))
        term_of = dict(zip(roots, terms, strict=True))
        return [term_of[v] if v in term_of else disconnected_type() for v in own] + [
            disconnected_type() for _ in range(sum(self.handles or ()))
        ]

    def R_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, eval_points: Any
    ) -> list[Var]:
        """Forward mode through the written-out derivative."""
        own, results = self.closed()
        moving = [
            (v, d) for v, d in _paired(own, eval_points).items() if d is not None and continuous(v)
        ]
        tangents = eager_rop(
            results, [v for v, _ in moving], [d for _, d in moving], disconnected_outputs="ignore"
        )
        return substituted(tangents, _paired(own, inputs))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_function": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _on_creation()

    def __str__(self) -> str:
        def names(vs: Sequence[Var]) -> str:
            return ", ".join(map(str, vs))

        return f"{type(self).__name__}{{{names(self.path.outputs)} / {names(self.path.wrt)}}}"


class Gradient(Derivative):
    """Reverse mode: upstream gradients times the Jacobian of ``outputs`` in ``wrt``."""

    explicit = staticmethod(pull)

    @property
    def like(self) -> tuple[Var, ...]:
        """There is one gradient for each variable."""
        return self.path.wrt


class Pushforward(Derivative):
    """Forward mode: the Jacobian of ``outputs`` in ``wrt`` times directions."""

    explicit = staticmethod(push)

    @property
    def like(self) -> tuple[Var, ...]:
        """There is one tangent for each output."""
        return self.path.outputs


def _paired(own: Sequence[Var], inputs: Sequence[Any]) -> dict[Var, Any]:
    """The inputs of a closed graph and what a node has for them; its handles come last."""
    return dict(zip(own, inputs[: len(own)], strict=True))


def _cast(result: Any, type_: Any) -> Any:
    declared = getattr(type_, "dtype", None)
    return result.astype(declared) if declared not in (None, result.type.dtype) else result


def _on_creation() -> None:
    """From the first derivative on, compilation knows what to do with them."""
    from kanrewrite.gradient.registration import register_expansion

    register_expansion()
