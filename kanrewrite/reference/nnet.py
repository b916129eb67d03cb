"""The softmax and cross-entropy Ops of `aesara.tensor.nnet`.

Importing that package adds rewrites to Aesara, so this module is imported only for a graph that
holds one of its Ops already.
"""

from __future__ import annotations

from typing import Any

import aesara.tensor.nnet.basic as nnet
import numpy as np

from kanrewrite.reference import functions, special
from kanrewrite.reference.linear import greatest, log_softmax_row, softmax_row
from kanrewrite.reference.registry import SCALAR, Node, Values, lift, objects, register
from kanrewrite.reference.scales import ZERO, Arithmetic

SCALAR[nnet.ScalarSoftsign] = special.softsign


def _biased(a: Arithmetic, x: Any, bias: Any) -> list[list[Any]]:
    return [[a.add(u, v) for u, v in zip(row, bias, strict=True)] for row in x]


@register(nnet.SoftmaxWithBias)
def softmax_with_bias(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Softmax of the rows of ``x + b``."""
    del op, node
    x, bias = inputs
    values = [softmax_row(arithmetic, row) for row in _biased(arithmetic, x, bias)]
    return [objects([v for row in values for v in row], x.shape)]


@register(nnet.CrossentropySoftmaxArgmax1HotWithBias)
def crossentropy(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``-log(softmax(x + b))`` at the labels, the softmax, and the labels it predicts."""
    del op
    a = arithmetic
    x, bias, labels = inputs
    logits = _biased(a, x, bias)
    losses = [a.neg(log_softmax_row(a, row)[int(k)]) for row, k in zip(logits, labels, strict=True)]
    values = [v for row in logits for v in softmax_row(a, row)]
    best = [greatest(a, row) for row in logits]
    predicted = np.array(best, dtype=node.outputs[2].type.dtype)
    return [objects(losses, (len(losses),)), objects(values, x.shape), predicted]


@register(nnet.CrossentropySoftmax1HotWithBiasDx)
def crossentropy_dx(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The gradient ``g * (softmax - onehot)`` of the cross-entropy."""
    del op, node
    a = arithmetic
    upstream, p, labels = inputs
    gradients = np.broadcast_to(upstream, p.shape[:1])
    out = p.copy()
    for i, (g, label) in enumerate(zip(gradients, labels, strict=True)):
        out[i] = [a.mul(g, v) for v in p[i]]
        out[i, label] = a.sub(out[i, label], g)
    return [out]


@register(nnet.CrossentropyCategorical1Hot)
def categorical(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``-log(p)`` at the labels."""
    del op, node
    p, labels = inputs
    logs = [
        arithmetic.neg(functions.log(arithmetic, row[int(k)]))
        for row, k in zip(p, labels, strict=True)
    ]
    return [objects(logs, (len(logs),))]


@register(nnet.CrossentropyCategorical1HotGrad)
def categorical_grad(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``-g / p`` at the labels, zero elsewhere."""
    del op, node
    upstream, p, labels = inputs
    out = np.empty(p.shape, dtype=object)
    out[...] = ZERO
    for i, (g, label) in enumerate(zip(upstream, labels, strict=True)):
        out[i, label] = arithmetic.neg(arithmetic.div(g, p[i, label]))
    return [out]


@register(nnet.Prepend_scalar_constant_to_each_row)
def prepend_constant(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A constant before each row."""
    (matrix,) = inputs
    return prepend(op, node, [lift(op.val.data, "float64", arithmetic), matrix], arithmetic)


@register(nnet.Prepend_scalar_to_each_row)
def prepend(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A scalar before each row."""
    del op, node, arithmetic
    value, matrix = inputs
    column = np.broadcast_to(value, (len(matrix), 1))
    return [np.concatenate([column, matrix], axis=1)]
