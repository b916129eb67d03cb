"""Draw docs/architecture.svg: the rooms of kanrewrite, and who stands on whom.

Run it after a change of the layers, which tests/test_layers.py holds::

    python docs/architecture.py
"""

from __future__ import annotations

from pathlib import Path

from kanrewrite.draw import Picture
from kanrewrite.draw.model import Box, Diagram, Line

PICTURE = Path(__file__).with_name("architecture.svg")

#: Rooms that stand together, what they are for, and the group of each they build on.
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "errors border config ranges clock limits": ("messages, settings, budgets", ()),
    "terms theory guards unify": ("patterns; graphs read as terms", ("errors",)),
    "insides structure display spelled": ("graphs by structure, as text", ("terms",)),
    "ac": ("matching and unification modulo a theory", ("terms",)),
    "relation laws": ("equations, and what operators obey", ("ac",)),
    "completion index": ("rules that follow; which rule at which node", ("relation",)),
    "trace steps": ("what was done, and where", ("completion", "insides")),
    "ops": ("operators for axes of any length", ("errors",)),
    "inner": ("the steps of loops", ("trace",)),
    "view": ("graphs read as products of exponentials", ("trace", "ops")),
    "rewriter": ("a relation as an Aesara rewriter", ("view",)),
    "registry magic": ("optdb at 1.4: enable, stabilize", ("rewriter", "inner")),
    "gradient": ("derivatives expanded late", ("registry",)),
    "reference cost": ("exact numbers", ("trace", "ops")),
    "verify": ("is a relation true", ("reference", "registry")),
    "fuzz": ("is a rewrite right", ("reference", "registry")),
    "search why improve": ("what else, why not, what is better", ("reference", "registry")),
    "audit blame": ("is a graph right, and who changed it", ("fuzz", "search")),
    "draw report pages": ("pictures and pages", ("audit", "verify", "gradient")),
    "cli demo": ("commands", ("draw",)),
}


def picture() -> Picture:
    """The rooms, foundations above."""
    keys = {names.split()[0]: n for n, names in enumerate(GROUPS)}
    result = Diagram()
    for n, (names, (purpose, below)) in enumerate(GROUPS.items()):
        result.boxes[n] = Box([names, purpose])
        result.lines += [Line(keys[name], n) for name in below]
    equations = len(GROUPS)
    result.boxes[equations] = Box(["relations/", "the equations"], "input")
    result.lines += [Line(keys["relation"], equations), Line(equations, keys["view"])]
    return Picture((result,))


if __name__ == "__main__":
    PICTURE.write_text(picture().svg, encoding="utf-8")
