"""What a graph is worth as mathematics: every Op evaluated in growing precision."""

from kanrewrite.reference import linear, loops, own, scalars, structure
from kanrewrite.reference.evaluation import evaluate, run
from kanrewrite.reference.registry import meaning, register
from kanrewrite.reference.rounding import round_to, ulps
from kanrewrite.reference.scales import Arithmetic, Real

__all__ = [
    "Arithmetic",
    "Real",
    "evaluate",
    "linear",
    "loops",
    "meaning",
    "own",
    "register",
    "round_to",
    "run",
    "scalars",
    "structure",
    "ulps",
]
