"""Derivatives as linear operators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal

import aesara
import aesara.tensor as at
import numpy as np
from aesara.gradient import DisconnectedType, _float_zeros_like
from aesara.graph.null_type import NullType

from kanrewrite.border import AnyVariable, Tensors, Variables, checked
from kanrewrite.errors import NotOneEach, UnknownRows
from kanrewrite.gradient.explicit import dual_type
from kanrewrite.gradient.implicit import implicit_gradients, implicit_tangents, refuse
from kanrewrite.gradient.names import Var
from kanrewrite.gradient.path import path_nodes
from kanrewrite.gradient.within import differentiated

Disconnected = Literal["ignore", "warn", "raise"]


@checked
class Linearization:
    """The derivative of `outputs` in `wrt`: a linear map from directions to tangents.

    Parameters
    ----------
    outputs, wrt : TensorVariable, or list or tuple of TensorVariable
        What is differentiated with respect to what, of any number of dimensions.
    consider_constant : sequence of Variable, optional
        Variables not to differentiate through.
    disconnected_inputs : {'ignore', 'warn', 'raise'}
        What to do if one of `wrt` reaches none of `outputs` (in forward mode: if one of
        `outputs` is reached by none of `wrt`).

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x = at.vector("x")
    >>> square = Linearization(x**2, x)
    >>> square.vjp(at.as_tensor([1.0, 0.0])).eval({x: [3.0, 4.0]})
    array([6., 0.])
    >>> square.jvp(at.as_tensor([0.0, 1.0])).eval({x: [3.0, 4.0]})
    array([0., 8.])
    >>> square.matrix().eval({x: [3.0, 4.0]})
    array([[6., 0.],
           [0., 8.]])
    """

    def __init__(
        self,
        outputs: Variables,
        wrt: Variables,
        consider_constant: Collection[AnyVariable] | None = None,
        disconnected_inputs: Disconnected = "raise",
    ):
        self.outputs, self._as_outputs = taken_apart(outputs)
        self.wrt, self._as_wrt = taken_apart(wrt)
        self.disconnected_inputs = disconnected_inputs
        constants = list(consider_constant or ())
        # within_gradient() is answered once: all uses of this operator are one derivative.
        env = differentiated([*self.outputs, *self.wrt, *constants], self.wrt)
        self._ends = [env.get(y, y) for y in self.outputs]
        self._roots = [env.get(v, v) for v in self.wrt]
        self._leaves = {env.get(v, v) for v in constants}

    @checked
    def vjp(self, cotangents: Tensors) -> Any:
        """Apply the adjoint: cotangents times the Jacobian, in reverse mode.

        Parameters
        ----------
        cotangents : TensorVariable, or list or tuple of TensorVariable
            One for each output, of its shape.

        Returns
        -------
        TensorVariable, or list or tuple of TensorVariable
            One for each of ``wrt``, of its shape.

        Raises
        ------
        NotOneEach
            If there are more or fewer cotangents than outputs, or of other ranks.
        """
        given = _one_each("cotangent", cotangents, "output", self.outputs)
        return self._as_wrt(self._pull(self._ends, given))

    def _pull(self, outputs: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        ends: dict[Var, Var] = {}
        for y, u in zip(outputs, cotangents, strict=True):
            u = u.astype(dual_type(y).dtype)
            ends[y] = ends[y] + u if y in ends else u
        todo = list(dict.fromkeys(self._roots))
        found = implicit_gradients(ends, todo, self._leaves, self.disconnected_inputs)
        return [_or_zeros(found[v], v) for v in self._roots]

    @checked
    def jvp(self, directions: Tensors) -> Any:
        """Apply the map: the Jacobian times directions, in forward mode.

        Parameters
        ----------
        directions : TensorVariable, or list or tuple of TensorVariable
            One for each of ``wrt``, of its shape.

        Returns
        -------
        TensorVariable, or list or tuple of TensorVariable
            One for each output, of its shape.

        Raises
        ------
        NotOneEach
            If there are more or fewer directions than variables, or of other ranks.
        """
        given = _one_each("direction", directions, "variable", self.wrt)
        moving: dict[Var, Var] = {}
        for v, d in zip(self._roots, given, strict=True):
            moving[v] = moving[v] + d if v in moving else d
        reached = [y for y in self._ends if self._reaches(y)]
        found: dict[Var, Var] = {}
        if reached:
            roots = list(moving)
            found = implicit_tangents(
                list(dict.fromkeys(reached)), roots, [moving[v] for v in roots], self._leaves
            )
        for y in self._ends:
            if y not in found:
                refuse(y, self.disconnected_inputs)
        return self._as_outputs([found.get(y, _float_zeros_like(y)) for y in self._ends])

    def _reaches(self, y: Var) -> bool:
        return y in self._roots or bool(path_nodes([y], self._roots, self._leaves))

    def matrix(self, unroll: bool = False) -> Any:
        """The Jacobian, written into a tensor row by row.

        Parameters
        ----------
        unroll : bool
            Whether rows are written out one by one, without a loop: for backends that lack
            `aesara.scan`, such as JAX. The lengths of each output must be known.

        Returns
        -------
        TensorVariable, or list or tuple of TensorVariable
            For every output (of any number of dimensions), for every one of ``wrt``, a tensor
            of shape ``output.shape + wrt.shape``.

        Raises
        ------
        UnknownRows
            If rows are to be unrolled and an output's type does not say how many there are.
        """
        rows = self._unrolled if unroll else self._rows
        return self._as_outputs([self._as_wrt(rows(y)) for y in self._ends])

    def _rows(self, y: Any) -> list[Any]:
        if y.type.ndim == 0 or not self.wrt:
            return self._pull([y], [at.ones_like(y, dtype=dual_type(y).dtype)])
        basis = at.eye(y.size, dtype=dual_type(y).dtype)
        # The map is used as it is, by closure: as an argument of the loop, y would be cut off
        # from what it is differentiated with respect to.
        rows, _ = aesara.scan(
            lambda row: self._pull([y], [row.reshape(y.shape, ndim=y.type.ndim)]),
            sequences=[basis],
            return_list=True,
        )
        shapes = [at.concatenate([y.shape, v.shape]) for v in self._roots]
        ndims = [y.type.ndim + v.type.ndim for v in self._roots]
        return [r.reshape(s, ndim=n) for r, s, n in zip(rows, shapes, ndims, strict=True)]

    def _unrolled(self, y: Any) -> list[Any]:
        lengths = y.type.shape
        if None in lengths:
            raise UnknownRows(y)
        size = int(np.prod(lengths))
        basis = np.eye(size, dtype=dual_type(y).dtype).reshape(size, *lengths)
        pulled = [self._pull([y], [at.constant(row)]) for row in basis]
        if not pulled:
            return self._rows(y)
        stacked = [at.stack(rows) for rows in zip(*pulled, strict=True)]
        if y.type.ndim == 1:
            return stacked
        return [
            s.reshape([*lengths, *_lengths(v)], ndim=y.type.ndim + v.type.ndim)
            for s, v in zip(stacked, self._roots, strict=True)
        ]


def _lengths(v: Any) -> list[Any]:
    """A variable's lengths, as numbers where they are known."""
    return [v.shape[d] if n is None else n for d, n in enumerate(v.type.shape)]


def taken_apart(variables: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """A list, and what gives another list the form of the original."""
    if isinstance(variables, list | tuple):
        return list(variables), type(variables)
    return [variables], lambda results: results[0]


def _one_each(what: str, given: Any, of: str, variables: Sequence[Any]) -> list[Any]:
    tensors = [at.as_tensor_variable(v) for v in taken_apart(given)[0]]
    if [v.type.ndim for v in tensors] != [v.type.ndim for v in variables]:
        raise NotOneEach(what, tensors, of, variables)
    return tensors


def _or_zeros(gradient: Any, v: Any) -> Any:
    if isinstance(gradient.type, NullType):
        raise NotImplementedError(gradient.type.why_null)
    return _float_zeros_like(v) if isinstance(gradient.type, DisconnectedType) else gradient
