"""Pictures as pages that work offline: zoom, folding, search, steps and keys around the SVG."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files

from kanrewrite.draw.svg import style

_KEYS = (
    "Tab or click: a box · Enter: fold or unfold · arrows: along the graph · + − 0 1: zoom, fit, "
    "actual size · w a s d: scroll · r: follow a [number] · c e: fold, unfold all · "
    "o: what changed · /: find"
)
_STEPS = " · n p: next, previous picture"
_BUTTONS = {
    "in": "+",
    "out": "−",
    "fit": "fit",
    "actual": "1:1",
    "changed": "changed",
    "collapse": "fold",
    "expand": "unfold",
}
#: What each button says when it is pointed at.
_TITLES = {
    "in": "larger",
    "out": "smaller",
    "fit": "all of it",
    "actual": "actual size",
    "changed": "go to what changed, or to the outputs",
    "collapse": "fold every box",
    "expand": "unfold every box",
}
STYLE = """
.viewer{border:1px solid #c6ced8;border-radius:6px;overflow:hidden;background:#fff;color:#15191f;
 font:13px system-ui,sans-serif;margin:.5em 0}
.viewer .bar{display:flex;gap:6px;align-items:center;padding:5px 8px;flex-wrap:wrap;
 border-bottom:1px solid #c6ced8}
.viewer button,.viewer input{font:inherit;color:inherit;background:#eef1f5;border:1px solid #aab4c0;
 border-radius:4px;padding:1px 8px}
.viewer input{width:9em}
.viewer .status{margin-left:auto;color:#56616f}
.viewer .stage{height:var(--tall);overflow:auto;position:relative;outline-offset:-2px}
.viewer .stage[hidden]{display:none}
.viewer svg{display:block;cursor:grab;margin:0 auto;flex:none;max-width:none}
.viewer .frame{font-weight:600}
.viewer .keys{padding:3px 8px;color:#56616f;font-size:11.5px;border-top:1px solid #c6ced8}
.viewer g.box{cursor:pointer;outline:none}
.viewer g.box:focus rect{stroke:#0b62d6;stroke-width:3}
.viewer g.folded rect{stroke-dasharray:2 2;stroke-width:2.2}
.viewer g.hit rect{stroke:#d1600a;stroke-width:3}
@media (prefers-color-scheme:dark){
.viewer{background:#12161b;color:#e8edf3;border-color:#3a4350}
.viewer .bar,.viewer .keys{border-color:#3a4350}
.viewer button,.viewer input{background:#232a33;border-color:#55606e}
.viewer .status,.viewer .keys{color:#a5b1bf}
.viewer g.box:focus rect{stroke:#6aa9ff}.viewer g.hit rect{stroke:#ffa657}}
"""
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>:root{{color-scheme:light dark}}body{{margin:{margin};background:#fff;color:#15191f;\
font:15px/1.5 system-ui,sans-serif}}
@media (prefers-color-scheme:dark){{body{{background:#12161b;color:#e8edf3}}}}
{style}</style></head>
<body>{body}<script>{script}</script></body></html>
"""


@lru_cache(maxsize=1)
def script() -> str:
    """The JavaScript of the viewer."""
    return files("kanrewrite.draw").joinpath("viewer.js").read_text(encoding="utf-8")


def viewer(frames: Sequence[tuple[str, str]], tall: str = "min(70vh, 640px)") -> str:
    """Pictures with their buttons, to be put into a page that has `STYLE` and `script`.

    Parameters
    ----------
    frames : sequence of (str, str)
        Name and SVG of each picture that is stepped through.
    tall : str
        The height of a picture, in CSS.

    Returns
    -------
    str
    """
    buttons = "".join(
        f'<button type="button" data-do="{what}" title="{_TITLES[what]}">{text}</button>'
        for what, text in _BUTTONS.items()
    )
    steps = (
        '<button type="button" data-do="previous" title="previous">◀</button>'
        '<button type="button" data-do="next" title="next">▶</button>'
        '<span class="frame" role="status"></span>'
    )
    several = len(frames) > 1
    stages = "".join(
        f'<div class="stage" tabindex="0" data-name="{escape(name)}"{" hidden" * (n > 0)}>'
        f"{svg}</div>"
        for n, (name, svg) in enumerate(frames)
    )
    return (
        f'<div class="viewer" style="--tall:{escape(tall)}"><div class="bar">{steps * several}'
        f'{buttons}<input type="search" placeholder="find" aria-label="find a box">'
        f'<span class="status" role="status"></span></div>{stages}'
        f'<div class="keys">{escape(_KEYS + _STEPS * several)}</div></div>'
    )


def page(body: str, title: str, margin: str = "1em") -> str:
    """A whole page around viewers.

    Parameters
    ----------
    body : str
        HTML.
    title : str
        Of the page, as text.
    margin : str
        Around the body, in CSS.

    Returns
    -------
    str
    """
    # A style sheet holds for the whole page: the first picture's is enough.
    sheet = f"<style>{style()}</style>"
    before, first, after = body.partition(sheet)
    body = before + first + after.replace(sheet, "")
    return _PAGE.format(title=escape(title), margin=margin, style=STYLE, body=body, script=script())


def frame(whole_page: str, height: int) -> str:
    """A page inside another one, for notebooks: its scripts and styles stay its own."""
    return (
        f'<iframe srcdoc="{escape(whole_page)}" title="kanrewrite picture" loading="lazy" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
