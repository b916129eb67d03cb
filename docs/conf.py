"""Settings of Sphinx."""

from kanrewrite import __version__

project = "kanrewrite"
author = "the kanrewrite developers"
copyright = "2026, the kanrewrite developers"
version = release = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon", "myst_nb"]
exclude_patterns = ["_build"]
html_theme = "furo"
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
