"""What it takes to check the library, and a hundred relations of users with it.

Run ``python -m tests.benchmarks.check_cost``.  The time is that of the processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

from kanrewrite import Eq, Float, T, check, eq, registry, relation
from kanrewrite.relation import Relation

OPERATORS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "erf", "exp", "log")


def users(count: int) -> list[Relation]:
    """Relations as users write them: of one operator over another one, times a number."""
    pairs = [(f, g) for f in OPERATORS for g in OPERATORS]

    def stated(number: int) -> Relation:
        outer, inner = (getattr(T, name) for name in pairs[number])

        def rule(x: Float, y: Float) -> Iterator[Eq]:
            yield eq(outer(inner(x) * y) + number, T.sqrt(x + y + number))

        rule.__name__ = f"user_{number}"
        return relation(rule)

    return [stated(number) for number in range(count)]


def main() -> None:
    """Print how many findings there are and how long they take."""
    library = [r for r in registry.relations() if not r.states_derivatives]
    core = [r for r in library if r.family != "accuracy"]
    sets: dict[str, Any] = {"without accuracy": core, "library": library}
    sets["without accuracy, 100 of users"] = core + users(100)
    sets["library, 100 of users"] = library + users(100)
    for name, relations in sets.items():
        start = process_time()
        found = check(relations, seconds=600)
        print(f"{name}: {len(relations)} relations, {len(found)} findings, ", end="")
        print(f"{process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
