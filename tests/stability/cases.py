"""Graphs that people write by hand, which overflow or cancel as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara.tensor as at
import numpy as np

Case = tuple[str, Callable[..., Any]]
CASES: dict[str, Case] = {}

LOG_2 = 0.6931471805599453
LOG_2PI = 1.8378770664093453


def case(inputs: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a builder; each letter says what an input is.

    ``m`` and ``v`` are a matrix and a vector of logits, ``w`` positive weights and ``t`` a small
    tensor (both matrices), ``b`` a mask of zeros and ones, ``n`` a vector of negative numbers.
    """

    def add(build: Callable[..., Any]) -> Callable[..., Any]:
        CASES[build.__name__] = inputs, build
        return build

    return add


def rows(x: Any) -> Any:
    """What is summed over each row, still a column."""
    return x.sum(axis=1, keepdims=True)


def normal(e: Any) -> Any:
    return e / rows(e)


# -- softmax -----------------------------------------------------------------------------------


@case("m")
def softmax_quotient(x: Any) -> Any:
    return normal(at.exp(x))


@case("m")
def softmax_reciprocal(x: Any) -> Any:
    return at.exp(x) * (1 / rows(at.exp(x)))


@case("m")
def softmax_upside_down(x: Any) -> Any:
    return (rows(at.exp(x)) / at.exp(x)) ** -1


@case("m")
def softmax_exp_minus_log(x: Any) -> Any:
    return at.exp(x - at.log(rows(at.exp(x))))


@case("m")
def softmax_columns(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum(axis=0)


@case("m")
def softmax_everything(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum()


@case("v")
def softmax_vector(x: Any) -> Any:
    e = at.exp(x)
    return e / e.sum()


@case("m")
def softmax_temperature(x: Any) -> Any:
    return normal(at.exp(x / 3))


@case("m")
def softmax_of_minus(x: Any) -> Any:
    return normal(1 / at.exp(x))


@case("m")
def softmax_squared(x: Any) -> Any:
    return normal(at.exp(x) ** 2)


@case("m")
def softmax_other_base(x: Any) -> Any:
    return normal(at.exp(x * LOG_2))


@case("mt")
def softmax_sum_of_logits(x: Any, y: Any) -> Any:
    return at.exp(x + y) / rows(at.exp(x) * at.exp(y))


@case("mw")
def softmax_weighted(x: Any, w: Any) -> Any:
    return normal(w * at.exp(x))


@case("mb")
def softmax_masked(x: Any, b: Any) -> Any:
    return normal(b * at.exp(x))


@case("m")
def softmax_with_one_more(x: Any) -> Any:
    return at.exp(x) / (1 + rows(at.exp(x)))


@case("m")
def softmax_twice_shifted(x: Any) -> Any:
    return normal(at.exp(x - x.min(axis=1, keepdims=True)))


@case("m")
def softmax_over_mean(x: Any) -> Any:
    return at.exp(x) / at.exp(x).mean(axis=1, keepdims=True)


@case("m")
def softmax_of_join(x: Any) -> Any:
    e = at.exp(at.concatenate([x, x / 2], axis=1))
    return normal(e)


@case("mt")
def expected_value(x: Any, y: Any) -> Any:
    return (y * at.exp(x)).sum(axis=1) / at.exp(x).sum(axis=1)


@case("mt")
def attention_late_division(x: Any, v: Any) -> Any:
    e = at.exp(x)
    return at.dot(e, v.T) / rows(e)


@case("m")
def reference_class(x: Any) -> Any:
    return 1 / (1 + at.exp(x).sum(axis=1))


# -- log-softmax, losses ---------------------------------------------------------------------


@case("m")
def log_softmax_quotient(x: Any) -> Any:
    return at.log(normal(at.exp(x)))


@case("m")
def log_softmax_columns(x: Any) -> Any:
    return at.log(at.exp(x) / at.exp(x).sum(axis=0, keepdims=True))


@case("v")
def log_softmax_vector(x: Any) -> Any:
    return at.log(at.exp(x) / at.exp(x).sum())


@case("m")
def log_softmax_minus_inverse(x: Any) -> Any:
    return -at.log(rows(at.exp(x)) / at.exp(x))


@case("mw")
def log_softmax_weighted(x: Any, w: Any) -> Any:
    return at.log(normal(w * at.exp(x)))


@case("m")
def log_of_root(x: Any) -> Any:
    return at.log(at.sqrt(normal(at.exp(x))))


@case("m")
def first_class_loss(x: Any) -> Any:
    return -at.log(normal(at.exp(x))[:, 0])


@case("mb")
def cross_entropy(x: Any, y: Any) -> Any:
    return -(y * at.log(normal(at.exp(x)))).sum(axis=1)


@case("m")
def transposed_log(x: Any) -> Any:
    return at.log((at.exp(x).T / at.exp(x).sum(axis=1)).T)


@case("m")
def log_of_reshaped(x: Any) -> Any:
    return at.log(normal(at.exp(x)).reshape((-1,)))


@case("vv")
def pair_loss(x: Any, y: Any) -> Any:
    return -at.log(at.exp(x) / (at.exp(x) + at.exp(y)))


# -- logsumexp ---------------------------------------------------------------------------------


@case("m")
def logsumexp(x: Any) -> Any:
    return at.log(at.exp(x).sum(axis=1))


@case("m")
def logsumexp_everything(x: Any) -> Any:
    return at.log(at.exp(x).sum())


@case("m")
def logmeanexp(x: Any) -> Any:
    return at.log(at.exp(x).mean(axis=1))


@case("mw")
def logsumexp_weighted(x: Any, w: Any) -> Any:
    return at.log((w * at.exp(x)).sum(axis=1))


@case("mb")
def logsumexp_masked(x: Any, b: Any) -> Any:
    return at.log((b * at.exp(x)).sum(axis=1))


@case("m")
def soft_minimum(x: Any) -> Any:
    return -at.log(at.exp(-x).sum(axis=1))


@case("m")
def logsumexp_and_one(x: Any) -> Any:
    return at.log1p(at.exp(x).sum(axis=1))


@case("mm")
def logsumexp_of_two(x: Any, y: Any) -> Any:
    return at.log(at.exp(x).sum(axis=1) + at.exp(y).sum(axis=1))


@case("m")
def logsumexp_base_two(x: Any) -> Any:
    return at.log2(at.exp(x).sum(axis=1))


@case("mt")
def log_of_product(x: Any, t: Any) -> Any:
    return at.log(at.dot(at.exp(x), at.exp(t).T))


@case("vv")
def logaddexp(x: Any, y: Any) -> Any:
    return at.log(at.exp(x) + at.exp(y))


@case("vv")
def logaddexp_half(x: Any, y: Any) -> Any:
    return at.log(0.5 * at.exp(x) + 0.5 * at.exp(y))


# -- the logistic function and its kin ----------------------------------------------------------


@case("v")
def sigmoid(x: Any) -> Any:
    return at.exp(x) / (1 + at.exp(x))


@case("v")
def sigmoid_of_minus(x: Any) -> Any:
    return 1 / (1 + at.exp(x))


@case("v")
def sigmoid_complement(x: Any) -> Any:
    return 1 - 1 / (1 + at.exp(-x))


@case("vv")
def sigmoid_of_two(x: Any, y: Any) -> Any:
    return at.exp(x) / (at.exp(x) + at.exp(y))


@case("v")
def logistic_density(x: Any) -> Any:
    return at.exp(-x) / at.square(1 + at.exp(-x))


@case("v")
def logistic_variance(x: Any) -> Any:
    p = 1 / (1 + at.exp(-x))
    return p * (1 - p)


@case("v")
def log_sigmoid(x: Any) -> Any:
    return at.log(1 / (1 + at.exp(-x)))


@case("v")
def log_complement(x: Any) -> Any:
    return at.log(1 - at.exp(x) / (1 + at.exp(x)))


@case("v")
def log_odds(x: Any) -> Any:
    p = at.exp(x) / (1 + at.exp(x))
    return at.log(p) - at.log(1 - p)


@case("v")
def softplus(x: Any) -> Any:
    return at.log(at.exp(x) + 1)


@case("v")
def softplus_lifted(x: Any) -> Any:
    return x + at.log(1 + at.exp(-x))


@case("v")
def softplus_root(x: Any) -> Any:
    return at.log(at.sqrt(1 + at.exp(2 * x)))


@case("v")
def hyperbolic_tangent(x: Any) -> Any:
    return (at.exp(x) - at.exp(-x)) / (at.exp(x) + at.exp(-x))


@case("v")
def hyperbolic_secant(x: Any) -> Any:
    return 2 / (at.exp(x) + at.exp(-x))


@case("n")
def log1mexp(x: Any) -> Any:
    return at.log(1 - at.exp(x))


@case("n")
def bose_einstein(x: Any) -> Any:
    return at.exp(x) / (1 - at.exp(x))


# -- entropies, mixtures ------------------------------------------------------------------------


@case("m")
def entropy(x: Any) -> Any:
    p = normal(at.exp(x))
    return -(p * at.log(p)).sum(axis=1)


@case("mt")
def divergence(x: Any, y: Any) -> Any:
    p, q = normal(at.exp(x)), normal(at.exp(y))
    return (p * at.log(p / q)).sum(axis=1)


@case("mw")
def gaussian_mixture(x: Any, w: Any) -> Any:
    density = at.exp(-0.5 * at.square(x / 8) - 0.5 * LOG_2PI)
    return at.log((w * density).sum(axis=1))


@case("mw")
def responsibilities(x: Any, w: Any) -> Any:
    return normal(w * at.exp(-0.5 * at.square(x / 8)))


# -- joined, cut, indexed and masked ------------------------------------------------------------


@case("mm")
def softmax_of_joined_exponentials(x: Any, y: Any) -> Any:
    return normal(at.concatenate([at.exp(x), at.exp(y)], axis=1))


@case("m")
def softmax_with_a_joined_one(x: Any) -> Any:
    return normal(at.concatenate([at.ones((2, 1)), at.exp(x)], axis=1))


@case("mm")
def share_of_a_stack(x: Any, y: Any) -> Any:
    e = at.stack([at.exp(x), at.exp(y)])
    return e / e.sum(axis=0)


@case("mm")
def log_of_joined_softmaxes(x: Any, y: Any) -> Any:
    return at.log(at.concatenate([normal(at.exp(x)), normal(at.exp(y))], axis=1))


@case("m")
def softmax_of_a_slice(x: Any) -> Any:
    return normal(at.exp(x)[:, 1:])


@case("m")
def softmax_reversed(x: Any) -> Any:
    e = at.exp(x)
    return e[:, ::-1] / e.sum(axis=1, keepdims=True)


@case("m")
def log_of_two_picked(x: Any) -> Any:
    e = at.exp(x)
    return at.log(e[:, 0] + e[:, 2])


@case("m")
def picked_by_index(x: Any) -> Any:
    e = at.exp(x)
    return at.log(e[at.arange(2), np.array([2, 0])] / e.sum(axis=1))


@case("m")
def gathered_over_gathered(x: Any) -> Any:
    e = at.exp(x)
    return e[:, np.array([2, 0])] / e[:, np.array([1, 0, 2])].sum(axis=1, keepdims=True)


@case("m")
def masked_by_setting(x: Any) -> Any:
    return normal(at.set_subtensor(at.exp(x)[:, 0], 0.0))


@case("m")
def smoothed_by_adding(x: Any) -> Any:
    return normal(at.inc_subtensor(at.exp(x)[:, 0], 1.0))


@case("m")
def log_of_a_diagonal(x: Any) -> Any:
    return at.log(at.diagonal(normal(at.exp(x))))


@case("mb")
def log_of_what_a_mask_keeps(x: Any, b: Any) -> Any:
    return at.log((normal(at.exp(x)) * b).sum(axis=1))


@case("mb")
def share_of_what_a_mask_keeps(x: Any, b: Any) -> Any:
    return at.log((at.exp(x) * b).sum(axis=1) / at.exp(x).sum(axis=1))


@case("mbt")
def masked_attention_late_division(x: Any, b: Any, v: Any) -> Any:
    e = at.exp(x) * b
    return at.dot(e, v.T) / e.sum(axis=1, keepdims=True)


@case("mb")
def log_of_a_masked_dot(x: Any, b: Any) -> Any:
    return at.log(at.dot(at.exp(x), b[0]))


@case("mb")
def likelihood_of_a_label(x: Any, b: Any) -> Any:
    p = 1 / (1 + at.exp(-x))
    return at.log(b * p + (1 - b) * (1 - p))


@case("mb")
def log_of_a_choice(x: Any, b: Any) -> Any:
    return at.log(at.switch(at.gt(b, 0), normal(at.exp(x)), 1.0))


@case("m")
def guarded_entropy(x: Any) -> Any:
    p = normal(at.exp(x))
    return at.switch(at.eq(p, 0), 0.0, p * at.log(p)).sum(axis=1)


# -- powers, products and what is missing -------------------------------------------------------


@case("mw")
def softmax_to_a_power(x: Any, w: Any) -> Any:
    return normal(at.exp(x)) ** w


@case("m")
def log_of_a_product_of_softmaxes(x: Any) -> Any:
    return at.log(at.prod(normal(at.exp(x)), axis=1))


@case("m")
def product_of_sigmoids(x: Any) -> Any:
    return at.prod(1 / (1 + at.exp(-x)), axis=1)


@case("m")
def log_of_what_is_missing_from_one(x: Any) -> Any:
    return at.log(1 - normal(at.exp(x))[:, 1])


@case("m")
def focal_loss(x: Any) -> Any:
    p = normal(at.exp(x))
    return -(at.square(1 - p) * at.log(p)).sum()


@case("vv")
def ratio_of_sigmoids(x: Any, y: Any) -> Any:
    return (1 + at.exp(-y)) / (1 + at.exp(-x))


@case("n")
def complementary_log_log(x: Any) -> Any:
    return at.log(1 - at.exp(-at.exp(x / 1e4)))


# -- one thing after another ---------------------------------------------------------------------


@case("m")
def softmax_of_columns_normalised_over_rows(x: Any) -> Any:
    e = at.exp(8 * x)
    return normal(e / e.sum(axis=0))


@case("m")
def softmax_with_a_class_that_has_no_exponent(x: Any) -> Any:
    e = at.exp(x)
    return e[:, :-1] / (1 + rows(e[:, :-1]))


@case("v")
def entropy_of_two_classes(x: Any) -> Any:
    return at.log(1 + at.exp(3 * x)) - 3 * x * at.exp(3 * x) / (1 + at.exp(3 * x))


@case("vv")
def entropy_of_two_logits(x: Any, y: Any) -> Any:
    p = at.exp(x) / (at.exp(x) + at.exp(y))
    return at.log(at.exp(x) + at.exp(y)) - p * x - (1 - p) * y


@case("v")
def likelihood_as_powers(x: Any) -> Any:
    y = at.constant([1.0, 0.0, 1.0, 0.0])
    p = 1 / (1 + at.exp(-x))
    return p**y * (1 - p) ** (1 - y)


@case("m")
def quotient_by_one_and_a_product(x: Any) -> Any:
    e = at.exp(x)
    return e / (e.prod(axis=1, keepdims=True) + 1)


# -- how small it can be -------------------------------------------------------------------------


@case("v")
def complementary_log_log_anywhere(x: Any) -> Any:
    return at.log(1 - at.exp(-at.exp(x)))


# -- two picks of one tensor, and what is put together from parts -------------------------------


@case("m")
def mixture_of_two_picks(x: Any) -> Any:
    p = normal(at.exp(x))
    return at.log(0.25 * p[:, 0] + 0.75 * p[:, 2])


@case("v")
def mixture_of_two_elements(x: Any) -> Any:
    p = at.exp(x) / at.exp(x).sum()
    return at.log(0.25 * p[0] + 0.75 * p[3])


@case("m")
def a_label_and_a_column(x: Any) -> Any:
    p = normal(at.exp(x))
    return -at.log(p[at.arange(2), np.array([2, 0])] + p[:, 1])


@case("m")
def a_slice_and_a_column(x: Any) -> Any:
    p = normal(at.exp(x))
    return at.log(p[:, :2].sum(axis=1) + 0.5 * p[:, 2])


@case("mmw")
def pointer_network(x: Any, y: Any, w: Any) -> Any:
    p, q, g = normal(at.exp(x)), normal(at.exp(y)), w / (1 + w)
    rows, label = at.arange(2), np.array([2, 0])
    return -at.log((g * p + (1 - g) * q)[rows, label]).mean()


@case("mmw")
def sharpened_mixture(x: Any, y: Any, w: Any) -> Any:
    mixture = 0.25 * normal(at.exp(x)) + w / 4 * normal(at.exp(y))
    return normal(mixture ** (1 + w))


@case("mm")
def halves_set_one_by_one(x: Any, y: Any) -> Any:
    both = at.set_subtensor(at.zeros((2, 6))[:, :3], at.exp(x))
    return normal(at.set_subtensor(both[:, 3:], at.exp(y)))


SEGMENTS = np.array([0, 2, 0, 2])


@case("v")
def softmax_of_segments(x: Any) -> Any:
    e = at.exp(x)
    return e / at.inc_subtensor(at.zeros(3)[SEGMENTS], e)[SEGMENTS]


@case("v")
def logsumexp_of_segments(x: Any) -> Any:
    return at.log(at.inc_subtensor(at.zeros(3)[SEGMENTS], at.exp(x))[SEGMENTS])


# -- sums that vanish, signs and choices --------------------------------------------------------


@case("mb")
def unlikelihood(x: Any, b: Any) -> Any:
    return -(at.log(1 - normal(at.exp(x))) * b).sum()


@case("v")
def log_of_what_is_missing_from_each(x: Any) -> Any:
    return at.log(1 - at.exp(x) / at.exp(x).sum())


@case("m")
def share_of_sigmoids(x: Any) -> Any:
    return normal(1 / (1 + at.exp(-x)))


@case("mt")
def average_weighted_by_sigmoids(x: Any, t: Any) -> Any:
    p = 1 / (1 + at.exp(-x))
    return (p * t).sum(axis=1) / p.sum(axis=1)


@case("mb")
def likelihood_by_distance(x: Any, b: Any) -> Any:
    return -at.log(1 - abs(b - 1 / (1 + at.exp(-x))))


@case("m")
def over_the_largest(x: Any) -> Any:
    return at.exp(x) / at.exp(x).max(axis=1, keepdims=True)


@case("v")
def log_of_at_least_one_half(x: Any) -> Any:
    return at.log(at.maximum(at.exp(x), 0.5))


@case("vv")
def share_of_the_smaller(x: Any, y: Any) -> Any:
    return at.minimum(at.exp(x), at.exp(y)) / (at.exp(x) + at.exp(y))


@case("m")
def over_a_floor(x: Any) -> Any:
    e = at.exp(x)
    return e / at.maximum(e.sum(axis=1, keepdims=True), 1e-8)


@case("v")
def partial_likelihood_of_failures(x: Any) -> Any:
    failed = np.array([1.0, 0.0, 1.0, 0.0])
    return -(failed * (x - at.log(at.cumsum(at.exp(x))))).sum()


@case("v")
def log_of_the_sum_of_the_others(x: Any) -> Any:
    e = at.exp(x / 64)
    return at.log(e.sum() - e)


@case("m")
def log_of_all_that_is_missing_from_one(x: Any) -> Any:
    return at.log(1 - normal(at.exp(-x / 64)))


@case("v")
def log_of_a_softplus(x: Any) -> Any:
    return at.log(at.log(1 + at.exp(x)))


@case("nb")
def likelihood_of_a_log_probability(x: Any, y: Any) -> Any:
    return (y[0] * x + (1 - y[0]) * at.log(1 - at.exp(x))).sum()


# -- masks and matrices --------------------------------------------------------------------------


@case("v")
def exponential_linear_unit(x: Any) -> Any:
    return (x > 0) * x + (x <= 0) * (at.exp(x) - 1)


@case("v")
def the_left_half_of_an_exponential(x: Any) -> Any:
    return (x < 0) * at.exp(x)


@case("m")
def log_of_what_is_not_the_largest(x: Any) -> Any:
    return at.log((at.exp(x) * (x < x.max(axis=1, keepdims=True))).sum(axis=1))


@case("mm")
def log_of_a_matrix_product(x: Any, y: Any) -> Any:
    return at.log(at.dot(at.exp(x), at.exp(y.T)))


@case("mm")
def log_of_a_batch_of_matrix_products(x: Any, y: Any) -> Any:
    left, right = at.stack([x, y]), at.stack([y.T, x.T])
    return at.log(at.batched_dot(at.exp(left), at.exp(right)))


@case("v")
def risk_sets_by_a_constant_matrix(x: Any) -> Any:
    later = at.constant(np.tril(np.ones((4, 4))))
    return -(x - at.log(at.dot(later, at.exp(x)))).sum()


# -- sums that leave picks out -----------------------------------------------------------------

PARTNERS = np.array([1, 0, 3, 2])


def likeness(x: Any) -> Any:
    """A kernel matrix: nothing is as much like an element as itself."""
    return at.exp(-abs(x[:, None] - x[None, :]))


@case("v")
def kernel_without_its_diagonal(x: Any) -> Any:
    e = likeness(x)
    return at.log(e.sum(axis=1) - at.diagonal(e))


@case("v")
def kernel_without_its_diagonal_by_columns(x: Any) -> Any:
    e = likeness(x)
    return at.log(e.sum(axis=0) - e[at.arange(4), at.arange(4)])


@case("v")
def kernel_without_a_weighted_identity(x: Any) -> Any:
    e = likeness(x)
    return at.log(e.sum(axis=1) - (e * at.eye(4)).sum(axis=1))


@case("v")
def contrast_of_partners(x: Any) -> Any:
    e = likeness(x)
    return -at.log(e[at.arange(4), PARTNERS] / (e.sum(axis=1) - at.diagonal(e))).mean()


@case("v")
def sum_without_an_element(x: Any) -> Any:
    e = at.exp(x)
    return at.log(e.sum() - e[0])


@case("m")
def sum_without_a_column(x: Any) -> Any:
    e = at.exp(2 * x)
    return at.log(e.sum(axis=1, keepdims=True) - e[:, 2].dimshuffle(0, "x"))


@case("mv")
def sum_without_labels(x: Any, y: Any) -> Any:
    e = at.exp(x.dimshuffle(0, 1, "x") + y)
    return at.log(e.sum(axis=(1, 2)) - e[at.arange(2), 1, np.array([3, 0])])


@case("mm")
def sum_of_two_without_a_row(x: Any, y: Any) -> Any:
    e, f = at.exp(x), at.exp(y)
    return at.log(e.sum(axis=0) + f.sum(axis=0) - e[1] - f[-1])


# -- complements of products and means, and what fades as softpluses do ------------------------


@case("m")
def log_of_a_noisy_or(x: Any) -> Any:
    return at.log(1 - at.prod(1 - 1 / (1 + at.exp(-x)), axis=1))


@case("mb")
def noisy_or_of_a_label(x: Any, b: Any) -> Any:
    p = 1 - at.prod(1 - at.sigmoid(x), axis=1)
    return -(b[:, 0] * at.log(p) + (1 - b[:, 0]) * at.log(1 - p))


@case("m")
def log_of_a_missing_mean(x: Any) -> Any:
    return at.log(1 - at.sigmoid(-x).mean(axis=1))


@case("m")
def log_of_what_all_miss(x: Any) -> Any:
    return at.log(1 - at.sigmoid(abs(x)).mean())


@case("mb")
def bag_of_instances(x: Any, b: Any) -> Any:
    p = at.sigmoid(-x).mean(axis=1)
    return -(b[:, 0] * at.log(p) + (1 - b[:, 0]) * at.log(1 - p)).mean()


@case("m")
def log_of_a_sum_of_softpluses(x: Any) -> Any:
    return at.log(at.log(1 + at.exp(x)).sum(axis=1))


@case("m")
def share_of_softpluses(x: Any) -> Any:
    return normal(at.log1p(at.exp(x)))


@case("mt")
def average_by_softpluses(x: Any, t: Any) -> Any:
    w = at.softplus(x)
    return (w * t).sum(axis=1) / w.sum(axis=1)


@case("m")
def log_of_sums_over_some_classes(x: Any) -> Any:
    groups = at.constant(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]]))
    return at.log(at.dot(at.exp(x), groups.T))


@case("m")
def log_of_probabilities_of_some_classes(x: Any) -> Any:
    groups = at.constant(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]]))
    return at.log(at.dot(normal(at.exp(x)), groups.T))


@case("mm")
def log_of_a_product_of_two_softmaxes(x: Any, y: Any) -> Any:
    p, q = normal(at.exp(x)), normal(at.exp(at.concatenate([y, -y[:1]])))
    return at.log(at.dot(p, q))


@case("mm")
def likelihood_of_words_under_topics(x: Any, y: Any) -> Any:
    p = at.dot(normal(at.exp(x)), normal(at.exp(at.concatenate([y, -y[:1]]))))
    return -at.log(p[[1, 1], [2, 0]]).sum()


@case("mb")
def log_of_a_picked_probability_by_batches(x: Any, b: Any) -> Any:
    return at.log(at.batched_dot(normal(at.exp(x)), b))


@case("mmv")
def chain_of_hidden_states(x: Any, y: Any, z: Any) -> Any:
    steps = normal(at.exp(at.concatenate([y, -y[:1]])))
    state = at.log(at.exp(z[:3]) / at.exp(z[:3]).sum()) + x[0]
    state = at.log(at.dot(at.exp(state), steps)) + x[1]
    state = at.log(at.dot(at.exp(state), steps))
    return at.log(at.exp(state).sum())


@case("mmb")
def log_of_a_masked_matrix_product(x: Any, y: Any, b: Any) -> Any:
    return at.log(1 + at.dot(at.exp(x) * b, at.exp(y).T))


@case("mm")
def posterior_of_a_hidden_state(x: Any, y: Any) -> Any:
    steps = at.exp(at.concatenate([y, -y[:1]]))
    before = at.dot(at.exp(x[0]), steps) * at.exp(x[1])
    both = before * at.dot(steps, at.exp(x[0]))
    return both / both.sum()


@case("v")
def shares_of_all_pairs_of_neighbours(x: Any) -> Any:
    e = at.exp(-((x[:, None] - x[None, :]) ** 2)) * (1 - at.eye(4))
    return e / e.sum()
