"""``kanrewrite list``: every relation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kanrewrite import registry
from kanrewrite.cli import output, tables
from kanrewrite.cli.script import run_script
from kanrewrite.completion import derived
from kanrewrite.relation import Relation, Rule


def run(family: str | None, rules: bool, script: Path | None, as_json: bool) -> None:
    """Print the relations.

    Parameters
    ----------
    family : str, optional
        Only those of this family, or of this name.
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
    registry.enable(*([family] if family else []))
    known = registry.relations()
    shown = [r for r in known if family is None or family in (r.family, r.name)]
    shown.sort(key=lambda r: r.family in registry.BY_NAME)  # what is enabled by default first

    def rules_of(relation: Relation) -> list[Rule]:
        return [*relation.rules(), *derived(relation, known)] if rules else []

    if as_json:
        output.print_json([_entry(relation, rules_of(relation)) for relation in shown])
    else:
        to = output.console()
        whole = family is not None or to.width >= output.UNBOUNDED
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
