"""Loops as users write them, in which exponentials overflow as written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.builders import OpFromGraph
from aesara.gradient import Rop
from aesara.ifelse import ifelse
from aesara.scan.utils import until

import kanrewrite

#: By what logits are multiplied.
SCALES = {"everyday": 1.0, "large": 1e3, "extreme": 1e5}


class Derivatives:
    """Derivatives within a value: the library's, or Aesara's where `written_out`."""

    written_out = False

    def grad(self, cost: Any, wrt: Any) -> Any:
        return (aesara.grad if self.written_out else kanrewrite.grad)(cost, wrt)

    def jvp(self, value: Any, wrt: Any, direction: Any) -> Any:
        return (Rop if self.written_out else kanrewrite.jvp)(value, wrt, direction)

    def hvp(self, cost: Any, wrt: Any, direction: Any) -> Any:
        if not self.written_out:
            return kanrewrite.hvp(cost, wrt, direction)
        return aesara.grad((aesara.grad(cost, wrt) * direction).sum(), wrt)


take = Derivatives()


class Loop(NamedTuple):
    """A loop: the shapes of its logits, of what is not scaled, and how its value is made."""

    logits: tuple[tuple[int, ...], ...]
    fixed: tuple[tuple[int, ...], ...]
    build: Callable[..., Any]


LOOPS: dict[str, Loop] = {}


Build = Callable[..., Any]


def loop(
    *logits: tuple[int, ...], fixed: tuple[tuple[int, ...], ...] = ()
) -> Callable[[Build], Build]:
    """Put the value that a function builds into the corpus, under the function's name."""

    def put(build: Build) -> Build:
        LOOPS[build.__name__] = Loop(logits, fixed, build)
        return build

    return put


def inputs_of(name: str) -> tuple[list[Any], list[Any]]:
    """The logits and the other inputs of a loop."""
    case = LOOPS[name]
    groups = (case.logits, case.fixed)
    logits, fixed = ([at.tensor("float64", (None,) * len(s)) for s in shapes] for shapes in groups)
    return logits, fixed


def values_of(name: str, scale: str) -> list[Any]:
    """Values for them; sixteenths, so that sums of them are exact."""
    case = LOOPS[name]
    rng = np.random.default_rng(len(name))
    drawn = [np.round(16 * rng.normal(size=s)) / 16 for s in (*case.logits, *case.fixed)]
    return [v * SCALES[scale] if n < len(case.logits) else v for n, v in enumerate(drawn)]


def upstream(value: Any) -> Any:
    """A cost: the sum of a value, weighted."""
    n = value.size
    return (value.flatten() * at.cos(at.arange(n))).sum()


def soft(row: Any) -> Any:
    e = at.exp(row)
    return e / e.sum()


def total(x: Any, axis: Any = None) -> Any:
    return at.log(at.exp(x).sum(axis))


def added(a: Any, b: Any) -> Any:
    return at.log(at.exp(a) + at.exp(b))


def scan(step: Any, *sequences: Any, state: Any = None, **options: Any) -> Any:
    """The results of all steps of a loop with at most one state."""
    info = None if state is None else [state]
    return aesara.scan(step, sequences=list(sequences), outputs_info=info, **options)[0]


# -- what a step computes ----------------------------------------------------------------------


@loop((4, 3))
def softmax_of_each_step(x: Any) -> Any:
    return scan(soft, x)


@loop((4, 3))
def logsumexp_of_each_step(x: Any) -> Any:
    return scan(total, x)


@loop((4, 3), fixed=((3,),))
def mixture_of_each_step(x: Any, w: Any) -> Any:
    return scan(lambda row: at.log((at.square(w) * at.exp(row)).sum()), x)


@loop((4, 3))
def masked_softmax(x: Any) -> Any:
    mask = np.array([[1.0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 0, 0]])

    def step(row: Any, m: Any) -> Any:
        e = m * at.exp(row)
        return e / e.sum()

    return scan(step, x, at.constant(mask))


@loop((4, 3), (3, 3))
def attention_over_time(queries: Any, keys: Any) -> Any:
    def step(q: Any) -> Any:
        e = at.exp(at.dot(keys, q) / 64)
        return at.dot(e / e.sum(), keys)

    return scan(step, queries)


@loop((4, 3), fixed=((3, 3),))
def cross_entropy_of_each_step(x: Any, w: Any) -> Any:
    labels = at.constant([0, 2, 1, 0])
    return scan(lambda row, label: -at.log(soft(at.dot(row, w))[label]), x, labels)


@loop((4, 3))
def log_outside_of_the_loop(x: Any) -> Any:
    return at.log(scan(soft, x))[at.arange(4), at.constant([0, 2, 1, 0])]


@loop((4, 3))
def several_outputs(x: Any) -> Any:
    both = scan(lambda row: [soft(row), total(row)], x)
    return at.concatenate([both[0], both[1][:, None]], axis=1)


@loop((4, 3))
def backwards(x: Any) -> Any:
    return scan(soft, x, go_backwards=True)


@loop((5, 3))
def neighbours(x: Any) -> Any:
    taps = {"input": x, "taps": [-1, 0, 1]}
    return aesara.scan(lambda a, b, c: at.log(at.exp(a) + at.exp(b) + at.exp(c)), [taps])[0]


@loop((2, 3, 3))
def loop_in_a_loop(x: Any) -> Any:
    return scan(lambda m: scan(soft, m), x)


@loop((4, 3))
def op_from_graph(x: Any) -> Any:
    v = at.vector()
    op = OpFromGraph([v], [soft(v)])
    return scan(op, x)


@loop((4, 3))
def op_around_a_loop(x: Any) -> Any:
    m = at.matrix()
    return OpFromGraph([m], [scan(soft, m)])(x)


@loop((4, 3))
def op_with_a_gradient_of_its_own(x: Any) -> Any:
    v = at.vector()

    def twice(inputs: Any, gradients: Any) -> Any:
        return [2 * inputs[0] * gradients[0]]

    make: Any = OpFromGraph
    op = make([v], [at.log(at.exp(v).sum() + at.exp(v))], grad_overrides=twice)
    return scan(op, x)


@loop((4, 3))
def chosen_branch(x: Any) -> Any:
    return scan(lambda row: ifelse(at.gt(row[0], 0), soft(row), at.log(soft(row))), x)


@loop((4, 3))
def gradient_in_each_step(x: Any) -> Any:
    return scan(lambda row: take.grad(-at.log(soft(row)[0]), row), x)


# -- what steps hand on ------------------------------------------------------------------------


@loop((4, 3), fixed=((3, 3),))
def carried_softmax(x: Any, w: Any) -> Any:
    return scan(lambda row, s: soft(row + at.dot(s, w)), x, state=at.zeros(3))


@loop((4, 3))
def entropy_of_each_state(x: Any) -> Any:
    def step(row: Any, p: Any) -> Any:
        p = soft(row + p)
        return p, -(p * at.log(p)).sum()

    return aesara.scan(step, sequences=[x], outputs_info=[at.zeros(3), None])[0][1]


@loop((4, 3), fixed=((3, 3),))
def recurrent_net(x: Any, w: Any) -> Any:
    def step(row: Any, h: Any) -> Any:
        h = at.tanh(row + at.dot(h, w))
        return h, at.log(soft(1000 * h))

    return aesara.scan(step, sequences=[x], outputs_info=[at.zeros(3), None])[0][1]


@loop((4, 3), (3, 3))
def hidden_states_in_logs(x: Any, a: Any) -> Any:
    return scan(lambda row, s: total(s[:, None] + a, 0) + row, x, state=at.zeros(3))


@loop((4, 3), (3, 3))
def hidden_states_normalised(x: Any, a: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        e = at.dot(s, at.exp(a) / at.exp(a).sum(1, keepdims=True)) * at.exp(row)
        return e / e.sum(), at.log(e.sum())

    return aesara.scan(step, sequences=[x], outputs_info=[at.ones(3) / 3, None])[0][1]


@loop((4, 2, 3), (3, 3))
def hidden_states_of_a_batch(x: Any, a: Any) -> Any:
    def step(rows: Any, s: Any) -> Any:
        e = at.dot(s, at.exp(a) / at.exp(a).sum(1, keepdims=True)) * at.exp(rows)
        total = e.sum(1, keepdims=True)
        return e / total, at.log(total[:, 0])

    return aesara.scan(step, sequences=[x], outputs_info=[at.ones((2, 3)) / 3, None])[0][1]


@loop((4, 3))
def multiplicative_weights(x: Any) -> Any:
    """Losses of weighted experts, whose weights are multiplied by what they have lost."""

    def step(row: Any, w: Any) -> Any:
        return w * at.exp(-row), (w * row).sum() / w.sum()

    return aesara.scan(step, sequences=[x], outputs_info=[at.ones(3), None])[0][1]


@loop((4, 5))
def alignment_paths(x: Any) -> Any:
    """As in connectionist temporal classification: stay, or advance by one."""

    def step(row: Any, s: Any) -> Any:
        return at.concatenate([s[:1], added(s[1:], s[:-1])]) + row

    return scan(step, x, state=at.zeros(5))


@loop((3, 4))
def sinkhorn_in_logs(x: Any) -> Any:
    def step(g: Any) -> Any:
        f = -total(x + g, 1)
        return -total(x + f[:, None], 0)

    return aesara.scan(step, outputs_info=[at.zeros(4)], n_steps=3)[0]


@loop((3, 4))
def sinkhorn(x: Any) -> Any:
    def step(p: Any) -> Any:
        p = p / p.sum(1, keepdims=True)
        return p / p.sum(0, keepdims=True)

    return aesara.scan(step, outputs_info=[at.exp(x)], n_steps=2)[0][-1]


@loop((4, 3), fixed=((3, 3),))
def gate_of_a_softmax(x: Any, w: Any) -> Any:
    def step(row: Any, h: Any) -> Any:
        z = soft(row + at.dot(h, w))
        return (1 - z) * h + z * at.tanh(at.dot(row, w))

    return scan(step, x, state=at.zeros(3))


@loop((5, 3))
def two_states_back(x: Any) -> Any:
    def step(row: Any, a: Any, b: Any) -> Any:
        return at.log(at.exp(a) + at.exp(b)) + row

    info = {"initial": at.zeros((2, 3)), "taps": [-2, -1]}
    return aesara.scan(step, sequences=[x], outputs_info=[info])[0]


@loop((5, 3))
def truncated_gradient(x: Any) -> Any:
    return scan(added, x, state=at.zeros(3), truncate_gradient=2)


@loop((5, 3))
def until_it_is_sure(x: Any) -> Any:
    return scan(lambda row: (soft(row), until(at.gt(soft(row)[1], 0.5))), x)


@loop((4, 3))
def beam_scores(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        return (s[:, None] + at.log(soft(row))).max(0)

    return scan(step, x, state=at.zeros(3))


@loop((4, 3))
def gates_in_logs(x: Any) -> Any:
    return scan(lambda row, s: at.log(1 / (1 + at.exp(-(row + s)))), x, state=at.zeros(3))


@loop((3,))
def sharpened(x: Any) -> Any:
    return aesara.scan(lambda p: soft(2 * p), outputs_info=[soft(x)], n_steps=3)[0]


@loop((3,), fixed=((4, 3),))
def descent(w: Any, x: Any) -> Any:
    """Steps of gradient descent on a cross-entropy."""

    def step(w: Any) -> Any:
        p = at.exp(x * w) / at.exp(x * w).sum(1, keepdims=True)
        return w - 0.25 * take.grad(-at.log(p[:, 0]).sum(), w)

    return aesara.scan(step, outputs_info=[w], n_steps=2)[0]


@loop((4, 3))
def shared_state(x: Any) -> Any:
    counted = aesara.shared(np.zeros(3), name="counted")

    def step(row: Any) -> Any:
        return [soft(row)], {counted: counted + soft(row)}

    outputs, updates = aesara.scan(step, sequences=[x])
    return outputs + updates[counted]


# -- derivatives through loops -----------------------------------------------------------------


@loop((3, 3), fixed=((3, 3),))
def directional(x: Any, direction: Any) -> Any:
    return take.jvp(scan(added, x, state=at.zeros(3))[-1], x, direction)


@loop((3, 3), fixed=((3, 3),))
def hessian_product(x: Any, direction: Any) -> Any:
    return take.hvp(upstream(scan(lambda row: at.log(soft(row)), x)), x, direction)
