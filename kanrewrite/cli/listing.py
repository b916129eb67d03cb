"""``kanrewrite list``: every relation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kanrewrite import registry
from kanrewrite.cli import output, tables
from kanrewrite.cli.script import run_script
from kanrewrite.completion import derived
from kanrewrite.relation import Relation, Rule


def run(names: Sequence[str], rules: bool, script: Path | None, as_json: bool) -> None:
    """Print the relations.

    Parameters
    ----------
    names : sequence of str
        Only those of these names and families; all of them without any.
    rules : bool
        Whether their rules are shown too.
    script : Path, optional
        A script that registers relations.
    as_json : bool
        Whether a program reads it.

    Raises
    ------
    UnknownRelation, ScriptError
        For a name that is none, and a script that cannot be run.
    """
    if script is not None:
        run_script(script)
    registry.enable(*names)
    known = registry.relations()
    shown = [r for r in known if not names or {r.family, r.name}.intersection(names)]
    shown.sort(key=lambda r: r.family in registry.BY_NAME)  # what is enabled by default first

    def rules_of(relation: Relation) -> list[Rule]:
        return [*relation.rules(), *derived(relation, known)] if rules else []

    if as_json:
        output.print_json([_entry(relation, rules_of(relation)) for relation in shown])
    else:
        to = output.console()
        whole = bool(names) or to.width >= output.UNBOUNDED
        for part in tables.relation_list(shown, registry.enabled(), rules_of, whole):
            to.print(part)


def _entry(relation: Relation, rules: list[Rule]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": relation.name,
        "family": relation.family,
        "roles": relation.roles,
        "direction": relation.direction,
        "equations": relation.text.splitlines(),
        "source": relation.source,
        "enabled": relation in registry.enabled(),
    }
    return {**entry, "rules": list(map(str, rules))} if rules else entry
