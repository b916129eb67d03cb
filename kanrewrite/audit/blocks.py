"""Large arrays hold few numbers: a block, and parts of it again and again.

An exact value of each of 50,000 numbers takes seconds; of numbers that are there many times it is
computed once (see `kanrewrite.reference.alike`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanrewrite.audit.inputs import Array

#: Arrays of more elements are made of a block of at most so many.
MANY, BLOCK = 256, 64


def in_blocks(made: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...]) -> Array:
    """An array of a shape, made of a block where it is large.

    The first half of a block is there once, so that one element can be the largest of all; what
    follows repeats the second half.

    Parameters
    ----------
    made : callable
        The numbers of a shape.
    shape : tuple of int

    Examples
    --------
    >>> in_blocks(lambda shape: np.arange(np.prod(shape)).reshape(shape), (300,))[[0, 63, 64, 299]]
    array([ 0, 63, 32, 43])
    """
    block = _block(shape)
    values = made(block)
    for axis, (length, short) in enumerate(zip(shape, block, strict=True)):
        if short < length:
            half = short // 2
            again = half + (np.arange(length) - half) % (short - half)
            values = np.take(values, np.where(np.arange(length) < half, range(length), again), axis)
    return values


def _block(shape: tuple[int, ...]) -> tuple[int, ...]:
    lengths = list(shape)
    if np.prod(lengths, dtype=float) > MANY:
        while np.prod(lengths, dtype=float) > BLOCK:
            longest = int(np.argmax(lengths))
            lengths[longest] = 2 ** ((lengths[longest] - 1).bit_length() - 1)
    return tuple(lengths)
