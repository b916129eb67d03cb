"""Relations with a direction, as Aesara rewriters."""

from kanrewrite.rewriter.digits import DigitsPass
from kanrewrite.rewriter.matching import Matching
from kanrewrite.rewriter.node import RelationRewriter
from kanrewrite.rewriter.protocol import View
from kanrewrite.rewriter.sweep import RelationPass

__all__ = ["DigitsPass", "Matching", "RelationPass", "RelationRewriter", "View"]
