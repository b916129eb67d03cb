"""Relational rewriting of Aesara graphs.

A relation states once what is true, ``exp(x) / sum(exp(x), axis) == softmax(x, axis)``, and is
found in a graph in whatever spelling, modulo the theory its operators obey. Importing the package
imports none of its modules and registers nothing: each public name is looked up on first use.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kanrewrite import _environment

if TYPE_CHECKING:
    from kanrewrite.ac import neq as neq
    from kanrewrite.audit import audit as audit
    from kanrewrite.blame import blame as blame
    from kanrewrite.completion import check as check
    from kanrewrite.config import config as config
    from kanrewrite.fuzz import fuzz as fuzz
    from kanrewrite.gradient import grad as grad
    from kanrewrite.gradient import hessian as hessian
    from kanrewrite.gradient import hvp as hvp
    from kanrewrite.gradient import jacobian as jacobian
    from kanrewrite.gradient import jvp as jvp
    from kanrewrite.gradient import value_and_grad as value_and_grad
    from kanrewrite.gradient import vjp as vjp
    from kanrewrite.gradient import within_gradient as within_gradient
    from kanrewrite.guards import Axis as Axis
    from kanrewrite.guards import Bool as Bool
    from kanrewrite.guards import Constant as Constant
    from kanrewrite.guards import ConstantAlong as ConstantAlong
    from kanrewrite.guards import Elementwise as Elementwise
    from kanrewrite.guards import Float as Float
    from kanrewrite.guards import Guard as Guard
    from kanrewrite.guards import Int as Int
    from kanrewrite.guards import Ndim as Ndim
    from kanrewrite.guards import computed as computed
    from kanrewrite.guards import constant_along as constant_along
    from kanrewrite.guards import differs as differs
    from kanrewrite.guards import has_dtype as has_dtype
    from kanrewrite.guards import ndim as ndim
    from kanrewrite.guards import nonnegative as nonnegative
    from kanrewrite.guards import nonzero as nonzero
    from kanrewrite.guards import one_axis as one_axis
    from kanrewrite.guards import one_axis_or_all as one_axis_or_all
    from kanrewrite.guards import positive as positive
    from kanrewrite.guards import same_shape as same_shape
    from kanrewrite.improve import improve as improve
    from kanrewrite.registry import disable as disable
    from kanrewrite.registry import disabled as disabled
    from kanrewrite.registry import enable as enable
    from kanrewrite.registry import register as register
    from kanrewrite.registry import registered as registered
    from kanrewrite.registry import stabilize as stabilize
    from kanrewrite.registry import unregister as unregister
    from kanrewrite.relation import Eq as Eq
    from kanrewrite.relation import Relation as Relation
    from kanrewrite.relation import eq as eq
    from kanrewrite.relation import relation as relation
    from kanrewrite.search.explore import explore as explore
    from kanrewrite.terms import T as T
    from kanrewrite.theory import Theory as Theory
    from kanrewrite.trace import trace as trace
    from kanrewrite.unify import as_graph as as_graph
    from kanrewrite.verify import verify as verify
    from kanrewrite.why import why_not as why_not

__version__ = "0.1.0"

_SUBMODULES = frozenset({"ac", "ops"})

#: Where each public name is defined.
_PUBLIC = {
    name: module
    for module, names in {
        "terms": ("T",),
        "unify": ("as_graph",),
        "theory": ("Theory",),
        "ac": ("neq",),
        "guards": (
            "Axis",
            "Bool",
            "Constant",
            "ConstantAlong",
            "Elementwise",
            "Float",
            "Guard",
            "Int",
            "Ndim",
            "constant_along",
            "computed",
            "differs",
            "has_dtype",
            "ndim",
            "nonnegative",
            "nonzero",
            "one_axis",
            "one_axis_or_all",
            "positive",
            "same_shape",
        ),
        "relation": ("Eq", "Relation", "eq", "relation"),
        "trace": ("trace",),
        "registry": (
            "disable",
            "disabled",
            "enable",
            "register",
            "registered",
            "stabilize",
            "unregister",
        ),
        "gradient": (
            "grad",
            "hessian",
            "hvp",
            "jacobian",
            "jvp",
            "value_and_grad",
            "vjp",
            "within_gradient",
        ),
        "search": ("explore",),
        "why": ("why_not",),
        "verify": ("verify",),
        "completion": ("check",),
        "config": ("config",),
        "fuzz": ("fuzz",),
        "audit": ("audit",),
        "improve": ("improve",),
        "blame": ("blame",),
    }.items()
    for name in names
}

__all__ = sorted(_SUBMODULES | _PUBLIC.keys())


class _Package(ModuleType):
    """A package whose public names win over submodules of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        # Importing the module kanrewrite.relation makes Python set the attribute `relation` here,
        # which would hide the decorator.
        if not (isinstance(value, ModuleType) and name in _PUBLIC):
            super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    elif name in _SUBMODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """Make ``%load_ext kanrewrite`` bring the magic ``%%kanrewrite``."""
    import_module(f"{__name__}.magic").register(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_environment.check()
sys.modules[__name__].__class__ = _Package
