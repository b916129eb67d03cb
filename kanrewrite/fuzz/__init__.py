"""Random graphs, compiled with the library and without, and judged by high precision.

A program is generated (`generation`, from `recipes`), judged at everyday and at extreme inputs
(`judging`, with `rounding`), shrunk if it fails (`shrinking`) and printed as a test (`saving`).
"""

from kanrewrite.fuzz.campaign import Campaign, Finding, fuzz
from kanrewrite.fuzz.judging import Unjudged, Verdict
from kanrewrite.fuzz.saving import failure

__all__ = ["Campaign", "Finding", "Unjudged", "Verdict", "failure", "fuzz"]
