"""What random graphs find, slice by slice, and the table of it in the documentation.

``python -m tests.benchmarks.fuzz_campaign SECONDS GRAMMAR SEED ...`` judges programs of each seed
for that long, adds what it found to ``fuzz_campaign.json`` and writes the table in
``docs/trust.md``; without arguments it writes the table alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from kanrewrite.fuzz import Campaign, fuzz
from kanrewrite.fuzz.coverage import wanted

RECORDS = Path(__file__).with_name("fuzz_campaign.json")
PAGE = Path(__file__).parents[2] / "docs" / "trust.md"
BEGIN, END = "<!-- campaign -->", "<!-- end of campaign -->"
#: More programs than any slice has time for.
MANY = 100_000
HEAD = "| grammar | seed | programs | judgements | failing | of them | minutes | on |"

Record = dict[str, Any]


def record(grammar: str, seed: int, found: Campaign) -> Record:
    """What came of a slice, as it is kept."""
    return {
        "grammar": grammar,
        "seed": seed,
        "programs": found.programs,
        "judgements": found.judgements,
        "verdicts": dict(Counter(f.verdict.kind for f in found.findings)),
        "failing": {f.seed: f.verdict.kind for f in found.findings},
        "unjudged": sum(found.unjudged.values()),
        "operators": sorted(found.operators.keys() & wanted()),
        "seconds": round(found.seconds),
        "on": date.today().isoformat(),
    }


def merged(records: Iterable[Record]) -> list[Record]:
    """The last record of each slice, in order."""
    last = {(r["grammar"], r["seed"]): r for r in records}
    return [last[key] for key in sorted(last)]


def table(records: list[Record]) -> str:
    """The records as a table, and a line of what they are in all."""
    rows = [HEAD, "| --- " * (HEAD.count("|") - 1) + "|"]
    for r in records:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(r["verdicts"].items()))
        cells = (r["grammar"], r["seed"], r["programs"], r["judgements"], len(r["failing"]))
        minutes = round(r["seconds"] / 60)
        rows.append(f"| {' | '.join(map(str, cells))} | {kinds} | {minutes} | {r['on']} |")
    programs = sum(r["programs"] for r in records)
    verdicts = Counter(kind for r in records for kind in r["failing"].values())
    read = set().union(*(r["operators"] for r in records)) & wanted()
    missing = sorted(wanted() - read)
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(verdicts.items())) or "none failing"
    line = f"In all {programs:,} programs: {kinds}. {len(read)} of {len(wanted())} operators"
    line += f" were in them, all but {', '.join(f'`{m}`' for m in missing)}." if missing else "."
    return "\n".join([*rows, "", line])


def page(text: str, shown: str) -> str:
    """The page with another table in it."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{shown}\n{END}{rest.split(END)[1]}"


def main(seconds: str = "0", grammar: str = "both", *seeds: str) -> None:
    """Judge programs of some seeds, keep what came of it, and write the table."""
    records = json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else []
    for seed in map(int, seeds):
        found = fuzz(MANY, seed, float(seconds), grammar=grammar)
        print(*found.findings, found, sep="\n\n", flush=True)
        records = merged([*records, record(grammar, seed, found)])
        RECORDS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), table(records)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
