"""Settings of Sphinx."""

import logging
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

from kanrewrite import __version__, registry
from kanrewrite.pages import gallery

# latex2mathml lets everything be logged: what each page enables is no news.
logging.getLogger("kanrewrite").setLevel(logging.WARNING)

#: The pages about relations, made anew each time.
RELATIONS = Path(__file__).parent / "gallery"

project = "kanrewrite"
author = "the kanrewrite developers"
copyright = "2026, the kanrewrite developers"
version = release = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb"]
html_math_renderer = "mathml"
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_title = f"kanrewrite {__version__}"

# Docstrings are numpydoc; annotations say the types once, in the signature.
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"

# Pages with code are run when the documentation is built, and an error fails the build.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
# Aesara tells each page that it found no BLAS; what a page is about stands in its text.
nb_output_stderr = "remove"


def _math(display: str) -> Any:
    """What writes a formula as MathML, which browsers draw without a script from elsewhere."""

    def visit(self: Any, node: Any) -> None:
        self.body.append(convert(node.astext(), display=display))
        raise SkipNode

    return visit


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (_math("inline"), None), (_math("block"), None))
    app.connect("builder-inited", lambda app: gallery(registry.relations(), RELATIONS))
