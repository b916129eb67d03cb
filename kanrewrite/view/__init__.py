"""Views: graphs read as if they were rewritten, although nothing is built.

A graph is read as a form (`kanrewrite.view.forms`): products with exponents, sums with signs,
moves pushed to the variables, constant factors lifted out of reductions.  Two spellings of one
tensor are one form; rules are matched against forms, and only what they give is built.
"""

from kanrewrite.view.facade import View

__all__ = ["View"]
