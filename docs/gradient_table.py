"""Print the table of docs/gradients.md: derivatives that are right, by how they are taken.

Run it with the folder of the stability corpus, a set of graphs as users write them, each with its
derivatives evaluated at benign, large and extreme inputs against high-precision truth::

    python docs/gradient_table.py path/to/stability [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

#: How the corpus names its kinds of derivatives, and what they are.
KINDS = {
    "grad": "gradients",
    "vag": "values and gradients",
    "hvp": "Hessian products",
    "gnorm": "gradients of gradient norms",
    "jvp": "forward mode",
}

#: The corpus's own `grad` is replaced in its runner: the graphs stay the same.
IMPLICIT = "import sys, kanrewrite; sys.modules['__main__']._grad = kanrewrite.grad; "
ENABLE = "import kanrewrite; kanrewrite.enable()"

#: Column, engine of the runner, what it executes first.
COLUMNS = [
    ("`aesara.grad`, stock", "aesara", ""),
    ("`aesara.grad`, library", "kanrewrite", ENABLE),
    ("`kanrewrite.grad`, no library", "kanrewrite", IMPLICIT),
    ("`kanrewrite.grad`, library", "kanrewrite", IMPLICIT + ENABLE),
]


def measured(corpus: Path, engine: str, enable: str, result: Path) -> list[dict[str, Any]]:
    """The cases of one run, from a file where it was run before."""
    if not result.exists():
        command = [sys.executable, str(corpus / "run.py"), "--engine", engine]
        command += ["--only", ",".join(f".{kind}" for kind in KINDS), "--json", str(result)]
        environment = os.environ | {
            "KANREWRITE_ENABLE": enable,
            "CORPUS_PYTHON": sys.executable,
            "PYTHONPATH": str(Path(__file__).parents[1]),
        }
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    cases: list[dict[str, Any]] = json.loads(result.read_text())["cases"]
    return cases


def table(columns: list[tuple[str, list[dict[str, Any]]]]) -> str:
    """Markdown: a row for every kind, a column for every way."""
    counts = [Counter(c["kind"] for c in cases) for _, cases in columns]
    right = [Counter(c["kind"] for c in cases if c["all_ok"]) for _, cases in columns]
    lines = [
        "| right in all regimes, of | " + " | ".join(name for name, _ in columns) + " |",
        "| --- |" + " --- |" * len(columns),
    ]
    for kind, words in KINDS.items():
        cells = " | ".join(str(r[kind]) for r in right)
        lines.append(f"| {words} ({counts[0][kind]}) | {cells} |")
    totals = " | ".join(str(r.total()) for r in right)
    lines.append(f"| all ({counts[0].total()}) | {totals} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--keep", type=Path, default=None, help="keep (and reuse) results here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        runs = [
            (name, measured(arguments.corpus, engine, enable, folder / f"{number}.json"))
            for number, (name, engine, enable) in enumerate(COLUMNS)
        ]
        print(table(runs))


if __name__ == "__main__":
    main()
