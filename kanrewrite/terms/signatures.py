"""The operators of ``T`` that take more than tensors, and names that mean the same."""

from __future__ import annotations

from typing import Any

#: The default of a parameter that must be given.
REQUIRED = object()
#: The default of a parameter that may be anything.
ANY = object()

#: Operators that take more than tensors: their parameters in order, with defaults.
SIGNATURES: dict[str, dict[str, Any]] = {
    **{
        name: {"axis": None, "keepdims": False}
        for name in ("sum", "prod", "max", "min", "all", "any", "mean", "var", "std")
    },
    "cumsum": {"axis": None},
    "cumprod": {"axis": None},
    "argmax": {"axis": None, "keepdims": False},
    "softmax": {"axis": None},
    "log_softmax": {"axis": None},
    "logsumexp": {"axis": None, "keepdims": False},
    "softmax_grad": {"axis": None},
    "shift": {"axis": None},
    "others": {"axis": None},
    "size": {"axis": None},
    "dimshuffle": {"order": REQUIRED},
    "drop": {"axis": REQUIRED},
    "undrop": {"axis": REQUIRED},
    "reshape": {"shape": REQUIRED},
    "subtensor": {"index": REQUIRED},
    "scatter": {"index": REQUIRED},
    "unpicked": {"index": REQUIRED},
    "alloc": {"shape": REQUIRED},
    "join": {"axis": REQUIRED},
}
#: How many tensor operands such an operator takes (one unless told; None: any number).
ARITY: dict[str, int | None] = {"softmax_grad": 2, "join": None, "size": 1}

#: Operators without parameters that are not elementwise ones of Aesara.
PLAIN = frozenset(
    {
        "dot", "batched_dot", "ones_like", "mask", "kept", "closed", "finite", "defined",
        "logaddexp", "gradient",
    }
)  # fmt: skip

#: Other spellings of one operator, each an elementwise operator of Aesara.
ALIASES = {
    "abs_": "abs",
    "absolute": "abs",
    "divide": "true_div",
    "true_divide": "true_div",
    "floor_divide": "int_div",
    "inv": "reciprocal",
    "isinf": "isinf_",
    "isnan": "isnan_",
    "conjugate": "conj",
    "subtract": "sub",
    "multiply": "mul",
    "negative": "neg",
    "power": "pow",
    "square": "sqr",
    "sgn": "sgn",
    "where": "switch",
    "tensordot": "dot",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "bitwise_not": "invert",
    "digamma": "psi",
    "expit": "sigmoid",
    "log1pexp": "softplus",
}
