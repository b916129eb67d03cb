"""``python -m kanrewrite``: the command line."""

from kanrewrite.cli import app

app(prog_name="kanrewrite")
