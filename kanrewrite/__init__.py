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
    from kanrewrite.terms import T as T

__version__ = "0.1.0"

_SUBMODULES = frozenset({"ac"})

#: Where each public name is defined.
_PUBLIC = {
    name: module
    for module, names in {
        "terms": ("T",),
        "theory": ("Theory",),
        "guards": ("Axis", "Bool", "Constant", "Elementwise", "Float", "Int", "Ndim"),
        "relation": ("Eq", "Relation", "eq", "relation"),
        "completion": ("check",),
        "trace": ("trace", "why_not"),
        "registry": ("disable", "disabled", "enable", "register", "stabilize"),
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
        "verify": ("verify",),
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


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_environment.check()
sys.modules[__name__].__class__ = _Package
