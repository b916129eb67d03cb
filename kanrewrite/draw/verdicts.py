"""Audits as pictures: the graph, coloured by what is proved and where digits are lost."""

from __future__ import annotations

from kanrewrite.audit import Audit, Part
from kanrewrite.blame import Blame
from kanrewrite.draw.diff import before_after, diff
from kanrewrite.draw.graph import diagram
from kanrewrite.draw.model import Box, Diagram, Status
from kanrewrite.draw.picture import Picture
from kanrewrite.draw.text import diff_text
from kanrewrite.draw.tree import expression
from kanrewrite.structure import Structure

#: Bits of local error from which a box is hot.
HOT = 4.0


def audit_picture(found: Audit) -> Picture:
    """The audited graph with its verdicts; the risks are told below it.

    Parameters
    ----------
    found : Audit
    """
    structure = Structure()
    structure.add(found.outputs)
    parts: dict[int, Part] = {}
    for part in found.parts:
        number = structure[part.variable]
        if number not in parts or part.verdict == "risk":
            parts[number] = part
    kinds: dict[int, list[str]] = {}
    for risk in found.risks:
        kinds.setdefault(structure[risk.variable], []).append(risk.kind)
    title = "risks, and what is proved"
    if not found.risks or found.ok:
        title = "no risk was found" if found.judged else "no result was compared"
    result = diagram(found.outputs, title, structure, lambda n: _status(parts.get(n), n in kinds))
    for number, box in result.boxes.items():
        _tell(box, parts.get(number), list(dict.fromkeys(kinds.get(number, []))))
    return Picture((result,), (str(found),), "audit", str(found))


def _status(part: Part | None, is_risk: bool) -> Status:
    if is_risk:
        return "risk"
    if part is None:
        return ""
    if part.error >= HOT:
        return "lossy"
    return "proved" if part.verdict == "proved" else ""


def _tell(box: Box, part: Part | None, kinds: list[str]) -> None:
    """Write what happens in a box, and in its detail what is known of it."""
    if kinds:
        box.lines.append(", ".join(kinds))
    if part is None:
        return
    if part.error >= HOT:
        box.lines.append(f"{part.error:.0f} bits lost")
    known = f"in [{part.low:.6g}, {part.high:.6g}]" if part.verdict == "proved" else part.why
    box.detail = "\n".join(filter(None, [box.detail, known]))


def blame_picture(found: Blame) -> Picture:
    """What was replaced, and by what.

    Parameters
    ----------
    found : Blame
    """
    if found.before is None or found.after is None:
        nothing = Diagram({0: Box(expression(str(found)), "graph")})
        return Picture((nothing,), (str(found),), "blame")
    titles = (f"before {found.name}", f"after {found.name}")
    panels = before_after(found.before, found.after, titles)
    texts = diff_text(diff(found.before, found.after), titles)
    return Picture(tuple(panels), (*texts, str(found)), "blame", str(found))
