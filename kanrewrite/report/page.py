"""The page of a report."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from aesara.graph.basic import Variable

from kanrewrite.display import brief
from kanrewrite.draw import compare, draw
from kanrewrite.draw.html import page
from kanrewrite.errors import NothingRan
from kanrewrite.report import plot
from kanrewrite.trace import Event
from kanrewrite.why import Explanation

if TYPE_CHECKING:
    from kanrewrite.report import Curve, GraphReport

#: From this error on, in ulp, it is told where it is.
_TOLD = 100.0
#: Steps that have a picture; a longer list goes on as text.
PICTURED = 60
#: Relations that nearly matched and are shown.
NEAR = 8
_STYLE = (
    """<style>
main{max-width:1100px;margin:0 auto}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:1.6em}
details.step{border-bottom:1px solid #c6ced8;padding:.25em 0}
summary{cursor:pointer;padding:.2em 0}summary:focus-visible{outline:2px solid #0b62d6}
code,pre{font:13px 'DejaVu Sans Mono',Menlo,Consolas,monospace}
pre{overflow-x:auto;background:#f2f5f9;padding:.6em;border-radius:5px}
.quiet{color:#56616f}
@media (prefers-color-scheme:dark){details.step{border-color:#3a4350}pre{background:#1d222a}
.quiet{color:#a5b1bf}}
"""
    + plot.STYLE
    + "</style>"
)


def render(report: GraphReport) -> str:
    """The whole page of a report."""
    sections = [
        _summary(report),
        _error(report),
        _audit(report),
        _steps(report),
        _graphs(report),
        _near(report),
    ]
    return page(f"{_STYLE}<main>{''.join(sections)}</main>", report.title)


def _summary(report: GraphReport) -> str:
    fired = [event.name for event in report.steps.fired_events]
    counts = ", ".join(f"{escape(name)} ×{fired.count(name)}" for name in dict.fromkeys(fired))
    rewrites = "rewrite" if len(fired) == 1 else "rewrites"
    said = f"{len(fired)} {rewrites}: {counts}." if fired else "No relation fired."
    return (
        f"<h1>{escape(report.title)}</h1><p>{said} Compiling took {report.seconds:.2f} s, "
        f"{report.stock_seconds:.2f} s without the relations.</p>"
    )


def _error(report: GraphReport) -> str:
    head = "<h2>Error against high precision</h2>"
    curves = report.curves
    note = f'<p class="quiet">{escape(curves[0].note)}</p>' if curves[0].note else ""
    if not curves[0].scales:
        return head + note
    said = "; ".join(f"{escape(curve.name)}: {_ulps(curve)}" for curve in curves)
    unit = "An ulp is a unit in the last place of the largest exact element of an output."
    return f'{head}<p>{said}.</p>{plot.plot(curves)}<p class="quiet">{unit}</p>{note}'


def _audit(report: GraphReport) -> str:
    """Whether it is safe: risks each in one line, and the graph with its verdicts."""
    found = report.audit
    if isinstance(found, NothingRan):
        return f"<h2>Is it safe</h2><p>{escape(str(found))}</p>"
    text, *_ = str(found).splitlines()
    risks = "".join(
        f'<details class="step"><summary><b>{escape(risk.kind)}</b> '
        f"<code>{escape(brief(risk.variable, 3))}</code></summary>"
        f"<pre>{escape(str(risk))}</pre></details>"
        for risk in found.risks
    )
    picture = draw(found)
    plain = replace(picture, caption="").viewer("min(60vh, 460px)")
    return f"<h2>Is it safe</h2><p>{escape(text)}.</p>{risks}{plain}"


def _ulps(curve: Curve) -> str:
    error, scale, size = max(zip(curve.errors, curve.scales, curve.sizes, strict=True))
    if error == float("inf"):
        return "nan or infinity where there is a number"
    # Where all of an output vanishes no digit of it may be right, and none of them may matter.
    of = f" at inputs of size {scale:g}, of an output that is at most {size:.1e} there"
    return f"at most {error:.3g} ulp" + of * (error > _TOLD)


def _steps(report: GraphReport) -> str:
    events = report.steps.fired_events
    if not events:
        return ""
    return "<h2>Which relations fired where</h2>" + "".join(
        _step(n, event) for n, event in enumerate(events, 1)
    )


def _step(n: int, event: Event) -> str:
    place = f' <span class="quiet">{escape(event.source)}</span>' if event.source else ""
    bindings = "\n".join(
        f"{escape(name)} = {escape(_shown(value))}" for name, value in event.bindings.items()
    )
    picture = draw(event).viewer("min(60vh, 460px)") if n <= PICTURED else ""
    after = brief(event.after) if event.after is not None else ""
    return (
        f'<details class="step" id="step{n}"><summary>{n}. <b>{escape(event.name)}</b> '
        f"<code>{escape(brief(event.before, 3))}</code> → <code>{escape(after)}</code> "
        f'<span class="quiet">{event.seconds * 1e3:.1f} ms</span>{place}</summary>'
        f"{picture}{f'<pre>{bindings}</pre>' if bindings else ''}</details>"
    )


def _shown(value: object) -> str:
    return brief(value) if isinstance(value, Variable) else str(value)


def _graphs(report: GraphReport) -> str:
    picture = compare(report.before, report.after)
    return f"<h2>Before and after</h2>{picture.viewer('min(75vh, 640px)')}"


def _near(report: GraphReport) -> str:
    head = "<h2>What nearly matched</h2>"
    if not report.near:
        return f'{head}<p class="quiet">No other relation came far.</p>'
    return head + "".join(_explained(explanation) for explanation in report.near[:NEAR])


def _explained(explanation: Explanation) -> str:
    name = escape(explanation.relation.name)
    return (
        f'<details class="step"><summary><b>{name}</b> {escape(explanation.reason)}</summary>'
        f"<pre>{escape(str(explanation))}</pre></details>"
    )
