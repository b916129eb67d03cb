"""The graphs that relations lead to: `explore`."""

from kanrewrite.search.explore import explore
from kanrewrite.search.found import Found, Step
from kanrewrite.search.frontier import Exploration
from kanrewrite.search.report import Report

__all__ = ["Exploration", "Found", "Report", "Step", "explore"]
