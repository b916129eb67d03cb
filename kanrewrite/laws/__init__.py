"""Laws: what enabled relations say of each operator, compiled into rows that a view follows.

A row knows what its operator means and what leaves it, and each of its entries knows the relation
that it comes from.  Nothing here knows forms or graphs.
"""

from kanrewrite.laws.lifts import Lift, Part, takes_exponent
from kanrewrite.laws.rows import Laws, Row
from kanrewrite.laws.sinks import Sink
from kanrewrite.laws.statements import Statement

__all__ = ["Laws", "Lift", "Part", "Row", "Sink", "Statement", "takes_exponent"]
