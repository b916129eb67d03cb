"""Imports go one way: a module sees only those below it."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import kanrewrite

ROOT = Path(__file__).parents[1]

#: What each module of the engine may import: the modules named, and what those may import.
#: A package stands for its modules.
BELOW: dict[str, tuple[str, ...]] = {
    "errors": (),
    "_environment": ("errors",),
    "config": ("errors",),
    "border": ("errors",),
    "terms": ("border",),
    "ops": ("errors",),
    "ranges": ("border", "clock"),
    "insides": (),
    "structure": ("errors", "insides"),
    "display": ("insides", "terms"),
    "unify": ("terms",),
    "theory": ("terms",),
    "guards": ("terms",),
    "ac": ("unify", "theory", "guards"),
    "relation": ("ac",),
    "completion": ("limits", "relation"),
    "laws": ("relation",),
    "index": ("relation",),
    "trace": ("completion", "config", "display", "index", "structure"),
    "clock": (),
    "limits": ("clock",),
    "steps": ("config", "display", "guards"),
    "view": ("limits", "steps", "laws", "ops", "trace"),
    "rewriter": ("view",),
    "registry": ("inner", "rewriter"),
    "gradient": ("registry",),
    "inner": ("ac", "trace"),
    "reference": ("ops", "trace"),
    "cost": ("reference",),
    "spelled": ("display",),
    "search": ("cost", "registry", "spelled"),
    "improve": ("ranges", "search"),
    "why": ("search",),
    "verify": ("reference", "registry"),
    "magic": ("registry",),
    "fuzz": ("limits", "reference", "registry"),
    "audit": ("fuzz", "ranges", "why"),
    "blame": ("audit",),
    "draw": ("blame", "gradient", "improve", "inner", "verify", "why"),
    "report": ("draw",),
    "pages": ("report",),
    "demo": ("draw",),
    "cli": ("", "demo", "fuzz", "report"),
    "__main__": ("cli",),
    "": (),  # the public names
}

#: Imports that are put off, within a function or for type checkers, and may look upwards.
PUT_OFF: dict[tuple[str, str], str] = {
    ("registry.database", "audit.warning"): "functions are audited only when that is asked for",
    ("rewriter.wording", "relations"): "what operators mean is read when a rule is put in words",
    ("display", "draw"): "an object draws itself only when a notebook asks for its picture",
}


class Import(NamedTuple):
    """That one file imports one module."""

    importer: str
    imported: str
    put_off: bool
    where: str


def module_of(path: Path) -> str:
    """The dotted name under kanrewrite: ``ac.match`` for kanrewrite/ac/match.py."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "kanrewrite" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_public(name: str) -> bool:
    """Public names win over modules of the same name, see ``kanrewrite/__init__.py``."""
    return name in kanrewrite._PUBLIC or not (
        (ROOT / "kanrewrite" / name).is_dir() or (ROOT / "kanrewrite" / f"{name}.py").is_file()
    )


def full_names(node: ast.AST) -> list[str]:
    """What the node imports, a call of ``import_module("...")`` included."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module="kanrewrite"):
            names = [alias.name for alias in node.names]
            return ["kanrewrite" if is_public(n) else f"kanrewrite.{n}" for n in names]
        case ast.ImportFrom():
            return [node.module or ""]
        case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(n)), *_]):
            return [n]
    return []


def targets(node: ast.AST) -> Iterator[str]:
    """What the node imports of kanrewrite; "" stands for a public name."""
    for name in full_names(node):
        if name.split(".")[0] == "kanrewrite":
            yield name.partition(".")[2]


def is_put_off(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def walk(node: ast.AST, put_off: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    yield node, put_off
    for child in ast.iter_child_nodes(node):
        yield from walk(child, put_off or is_put_off(node))


@cache
def importing(path: Path) -> list[tuple[ast.AST, bool]]:
    """The nodes of a file that import something, and whether each is put off."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [(node, put_off) for node, put_off in walk(tree) if full_names(node)]


def imports_of(path: Path) -> Iterator[Import]:
    importer = module_of(path)
    for node, put_off in importing(path):
        for imported in targets(node):
            where = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            yield Import(importer, imported, put_off, where)


def files(folder: str) -> list[Path]:
    found = (ROOT / folder).rglob("*.py")
    return sorted(p for p in found if "relations" not in p.relative_to(ROOT).parts[1:])


def layers_below(layer: str) -> set[str]:
    direct = BELOW[layer]
    return set(direct).union(*map(layers_below, direct))


def layer(module: str) -> str:
    return module.partition(".")[0]


ENGINE = [path for path in files("kanrewrite") if module_of(path)]
LIBRARY = files("relations")


def test_every_module_has_a_layer() -> None:
    assert {layer(module_of(path)) for path in ENGINE} <= BELOW.keys()


def test_importing_the_package_imports_only_the_checks() -> None:
    found = [i for i in imports_of(ROOT / "kanrewrite" / "__init__.py") if not i.put_off]
    assert {i.imported for i in found} == {"_environment"}


def test_engine_imports_downwards() -> None:
    for path in ENGINE:
        allowed = layers_below(layer(module_of(path))) | {layer(module_of(path))}
        wrong = [
            i.where
            for i in imports_of(path)
            if layer(i.imported) not in allowed
            and not (i.put_off and (i.importer, i.imported) in PUT_OFF)
        ]
        assert not wrong, f"{path.relative_to(ROOT)} may import {sorted(allowed)} only"


@cache
def resolved(path: Path) -> frozenset[tuple[str, bool]]:
    """The files that a file imports from, but for exceptions, and whether it puts that off."""
    return frozenset(_resolved(path))


def _resolved(path: Path) -> Iterator[tuple[str, bool]]:
    for node, late in importing(path):
        names = list(targets(node))
        if isinstance(node, ast.ImportFrom) and names and node.module != "kanrewrite":
            names = [f"{names[0]}.{alias.name}" for alias in node.names]
        for imported in names:
            found = imported if imported in MODULES else imported.rpartition(".")[0]
            if found in MODULES and (module_of(path), found) not in PUT_OFF:
                yield found, late


MODULES = {module_of(path): path for path in ENGINE}

#: Files that need each other's types, or what they import late: none may be added.
CIRCLES = [
    {"ac.bags", "ac.interned", "ac.terms"},
    {"ac.joins", "ac.leftovers", "ac.plan", "ac.rows"},
    {"relation.core", "relation.goals", "relation.notation", "relation.rules"},
    {"gradient.expansion", "gradient.jax_native", "gradient.opening", "gradient.ops",
     "gradient.registration"},
    {"reference.linear", "reference.nnet", "reference.registry", "reference.scalars"},
    {"report", "report.page"},
    {"view.choosing", "view.complements", "view.contraction", "view.following",
     "view.instantiate", "view.levels", "view.lifting", "view.others", "view.own_terms",
     "view.picking", "view.sharing"},
]  # fmt: skip


def circles(late: bool) -> list[set[str]]:
    """The largest sets of files of which each imports, by others, all others."""
    direct = {
        m: {found for found, off in resolved(p) if found != m and (late or not off)}
        for m, p in MODULES.items()
    }
    reached = {m: below(m, direct) for m in direct}
    found = {frozenset({m, *(n for n in reached[m] if m in reached[n])}) for m in direct}
    return [set(circle) for circle in found if len(circle) > 1]


def below(module: str, direct: dict[str, set[str]]) -> set[str]:
    """All that a module imports, by others too."""
    found: set[str] = set()
    stack = [module]
    while stack:
        new = direct[stack.pop()] - found
        found |= new
        stack.extend(new)
    return found


def test_no_files_import_each_other() -> None:
    assert not circles(late=False)


def test_imports_that_are_put_off_close_no_further_circle() -> None:
    assert sorted(map(sorted, circles(late=True))) == sorted(map(sorted, CIRCLES))


def test_relations_import_public_names() -> None:
    wrong = [
        i.where
        for path in LIBRARY
        for i in imports_of(path)
        if i.imported and layer(i.imported) != "relations" and i.imported not in ("ac", "ops")
    ]
    assert not wrong, "relations import public names of kanrewrite and other relations"


def test_no_relative_imports() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in [*ENGINE, *LIBRARY]
        for node, _ in importing(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not wrong, "the layers are read off absolute imports"


def test_every_exception_is_used() -> None:
    used = {(i.importer, i.imported) for path in ENGINE for i in imports_of(path) if i.put_off}
    assert PUT_OFF.keys() <= used


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import kanrewrite.terms", [("terms", False)]),
        ("from kanrewrite import terms, Float", [("terms", False), ("", False)]),
        ("from kanrewrite import relation, trace", [("", False), ("", False)]),
        ("from kanrewrite.ac.match import match", [("ac.match", False)]),
        ("def f():\n    from kanrewrite.terms import T", [("terms", True)]),
        ("if TYPE_CHECKING:\n    from kanrewrite.terms import T", [("terms", True)]),
        ("if x:\n    from kanrewrite.terms import T", [("terms", False)]),
        ("def f():\n    return import_module('kanrewrite.draw').draw", [("draw", True)]),
        ("import aesara", []),
    ],
)
def test_imports_are_read(text: str, found: list[tuple[str, bool]]) -> None:
    read = [(imported, late) for node, late in walk(ast.parse(text)) for imported in targets(node)]
    assert read == found


# -- the picture of the layers --------------------------------------------------------------------


def test_the_picture_of_the_layers_is_theirs() -> None:
    spec = spec_from_file_location("architecture", ROOT / "docs" / "architecture.py")
    assert spec is not None
    assert spec.loader is not None
    drawing: Any = module_from_spec(spec)
    spec.loader.exec_module(drawing)
    group = {room: names for names in drawing.GROUPS for room in names.split()}
    assert group.keys() == BELOW.keys() - {"", "__main__", "_environment"}
    keys = {names.split()[0]: names for names in drawing.GROUPS}
    for names, (_, below) in drawing.GROUPS.items():
        reached = set[str]().union(*map(layers_below, names.split()))
        for first in below:
            assert reached & set(keys[first].split()), f"{names} imports nothing of {keys[first]}"
    assert drawing.PICTURE.read_text(encoding="utf-8") == drawing.picture().svg
