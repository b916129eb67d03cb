"""Relations with a direction, as Aesara rewriters."""

from kanrewrite.rewriter.matching import Matching
from kanrewrite.rewriter.node import RelationRewriter
from kanrewrite.rewriter.protocol import View
from kanrewrite.rewriter.sweep import RelationPass

__all__ = ["Matching", "RelationPass", "RelationRewriter", "View"]
