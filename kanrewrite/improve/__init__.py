"""Better forms for any formula, by measured error and cost: `improve`."""

from kanrewrite.improve.result import Form, Improvement
from kanrewrite.improve.searching import improve

__all__ = ["Form", "Improvement", "improve"]
