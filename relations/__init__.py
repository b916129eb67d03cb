"""The library of relations, one family a file.

The folder is imported as ``kanrewrite.relations`` (``kanrewrite/relations`` is a link to it).
Importing a family states its relations and registers nothing.
"""

if __name__ != "kanrewrite.relations":
    raise ImportError(
        f"this folder is the package kanrewrite.relations, not {__name__}: the name `relations` "
        "belongs to another distribution. Write `from kanrewrite.relations import softmax`.",
        name=__name__,
    )
