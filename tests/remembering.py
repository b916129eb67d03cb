"""What Aesara finds anew each time though it depends on little, kept for all tests of a run.

Compiling takes most of the tests' time, and this a sixth of compiling.  No result is another one:
what is kept are pure functions of what they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import lru_cache
from typing import Any

import aesara.graph.rewriting.basic
from aesara.link.c.op import ExternalCOp
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.var import TensorConstant

#: So many operators on operands of some types are known at a time.
_KNOWN = 8192


def start() -> None:
    """Have Aesara remember, from now on."""
    rewriting: Any = aesara.graph.rewriting.basic
    compose = lru_cache(maxsize=4096)(rewriting._compose_mro)
    rewriting._compose_mro = lambda cls, types: compose(cls, tuple(types))
    for owner, name, remember in (
        (ExternalCOp, "load_c_code", _read_once),
        (Elemwise, "get_output_info", _by_types),
        (TensorConstant, "equals", _itself_first),
    ):
        setattr(owner, name, remember(getattr(owner, name)))


def _read_once(load: Callable[..., None]) -> Callable[..., None]:
    """The C code of an operator: a file that is read though nothing compiles it."""
    loaded: dict[Any, tuple[Collection[str], dict[str, str]]] = {}

    def load_once(self: Any, files: Sequence[str]) -> None:
        key = type(self), tuple(files)
        if key not in loaded:
            load(self, files)
            loaded[key] = tuple(self.func_codes), dict(self.code_sections)
        self.func_codes, self.code_sections = list(loaded[key][0]), dict(loaded[key][1])

    return load_once


def _by_types(info: Callable[..., Any]) -> Callable[..., Any]:
    """The types of what an elementwise operator gives, of operands of one dimension."""
    known: dict[Hashable, Any] = {}

    def get_output_info(self: Any, dim_shuffle: Any, *inputs: Any) -> Any:
        types = [i.type for i in inputs]
        if len({t.ndim for t in types}) > 1:
            return info(self, dim_shuffle, *inputs)
        key = self.scalar_op, tuple(self.inplace_pattern.items()), *types
        if key not in known:
            if len(known) >= _KNOWN:
                known.clear()
            known[key] = info(self, dim_shuffle, *inputs)[:2]
        dtypes, shapes = known[key]
        return list(dtypes), [list(shape) for shape in shapes], list(inputs)

    return get_output_info


def _itself_first(equals: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Whether a constant equals another one, of which most are the same object."""
    return lambda self, other: self is other or equals(self, other)
