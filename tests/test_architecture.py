"""Imports point down, files stay short, and looking at the list of models costs nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engine.core.registry import models
from engine.course.curriculum import LESSONS
from tests.conftest import ROOT

FILES = [p for d in ("engine", "pages") for p in sorted((ROOT / d).rglob("*.py"))]
FILES += [p for p in [ROOT / "app.py"] if p.is_file()]


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Of the whole file, which is parsed once for all tests."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module named by an import, wherever it stands in the file, except those for the type checker alone."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    found = nodes(path)
    checks = (n for n in found if isinstance(n, ast.If))
    typing = [n for n in checks if ast.unparse(n.test).endswith("TYPE_CHECKING")]
    skipped = {id(n) for block in typing for part in block.body for n in ast.walk(part)}
    for node in found:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module(path)}: imports are written in full"
            parent = str(node.module)
            package = (ROOT / parent.replace(".", "/")).is_dir()
            yield from (f"{parent}.{a.name}" for a in node.names) if package else (parent,)


def python(*asked: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_imports_point_down_and_models_stand_apart() -> None:
    """The order of the packages, and who may not know whom: the contracts in pyproject.toml."""
    python("from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache")
    for id in models.ids():
        path = models.file(id)
        found = {t.split(".")[2] for t in imports(path) if t.startswith("engine.models.")}
        assert not (found & set(models.ids())) - {id}, f"{id} leans on another model"


def test_few_files_know_streamlit() -> None:
    found = [module(p) for p in FILES if any(t.split(".")[0] == "streamlit" for t in imports(p))]
    assert 20 < len(found) <= 40, found
    assert all(name == "app" or name.startswith("pages.ui.") for name in found)


def test_files_lie_where_their_names_say() -> None:
    files = {p.name for p in (ROOT / "engine").glob("*.py")}
    assert files == {"__init__.py", "__main__.py"}
    rooms = (ROOT / "pages" / "ui", ROOT / "engine" / "lessons")
    folders = {p.parent.name for room in rooms for p in room.glob("*/*.py")}
    shared = {"recurrent"}  # by several lessons of one era
    assert folders - {item.id for item in LESSONS} - {"home"} == shared
    pages = [item.page for item in LESSONS]
    assert pages == sorted(pages)
    assert set(pages) == {p.name for p in (ROOT / "pages").glob("[0-9]*.py")}


def test_what_needs_no_streamlit_is_in_the_engine() -> None:
    """Each module of pages/ui needs Streamlit, itself or in what it imports."""
    room = [p for p in FILES if p.is_relative_to(ROOT / "pages" / "ui") and p.stem != "__init__"]
    needs = {module(p): imports(p) for p in room}
    of = {name: {*some} | {x.rpartition(".")[0] for x in some} for name, some in needs.items()}
    known = {name for name, some in of.items() if {"streamlit"} & {x.split(".")[0] for x in some}}
    while more := {name for name, some in of.items() if name not in known and some & known}:
        known |= more
    assert not needs.keys() - known


def test_nobody_asks_a_model_whether_it_has_an_attribute() -> None:
    """What a model can do is in engine/models/base.py or an ability, what some settings have in engine/nn/plan.py."""
    found = [place for path in FILES for place in _untyped_models(path)]
    assert not found, "an ability of engine/models/abilities.py, a protocol of engine/nn/plan.py"


def _untyped_models(path: Path) -> Iterator[str]:
    """Places that probe a model, or that take or give one of which nothing is known."""
    for node in nodes(path):
        match node:
            case ast.Call(func=ast.Name(id="hasattr"), args=[asked, _]):
                bad = _is_model(asked, PROBED)
            case ast.Call(func=ast.Name(id="getattr"), args=[asked, _, _]):
                bad = _is_model(asked, PROBED)
            case ast.arg(arg="model", annotation=ast.Name(id="Any")):
                bad = True
            case ast.AnnAssign(target=target, annotation=ast.Name(id="Any")):
                bad = _is_model(target)
            case ast.FunctionDef(name="model", returns=ast.Name(id="Any")):
                bad = True
            case _:
                continue
        if bad and path != ROOT / "engine" / "core" / "registry.py":
            yield f"{module(path)}:{node.lineno}"


PROBED = ("model", "config", "cell", "net", "error")


def _is_model(node: ast.expr, names: tuple[str, ...] = ("model",)) -> bool:
    return ast.unparse(node).rpartition(".")[2] in names


def test_names_docstrings_and_no_pickle() -> None:
    drawers = {"utils", "helpers", "common", "misc", "manager"} & {p.stem for p in FILES}
    assert not drawers, "a file is named after its one thing"
    files = [p for p in FILES if p.stem != "__init__" and p.is_relative_to(ROOT / "engine")]
    trees = {p: nodes(p)[0] for p in files}
    silent = [p for p, t in trees.items() if isinstance(t, ast.Module) and not ast.get_docstring(t)]
    assert not silent, "these have no docstring"
    for path in FILES:
        known = {t.split(".")[0] for t in imports(path)}
        assert not {"pickle", "joblib", "cloudpickle", "dill"} & known, module(path)


SHELF = (
    "from engine.core.registry import models; from engine.analysis.contest import entry, parameters"
)
MENU = "from engine.course.curriculum import LESSONS; from engine.course.topics import TOPICS"
MAIN = "from engine.__main__ import main; assert main(['list', 'models', '--json']) == 0"
OPEN = "AppTest.from_file('app.py', default_timeout=180).run()"
HOME = "import logging; logging.disable(); from streamlit.testing.v1 import AppTest"
LISTING = {
    "cells, topics": f"{SHELF}; {MENU}; assert models.ids() and entry.SHIPPED and LESSONS and TOPICS",
    "command line": MAIN,
    "home before its first answer": f"{HOME}; assert not {OPEN}.exception",
}


@pytest.mark.parametrize("what", LISTING)
def test_listing_imports_neither_torch_nor_pandas(what: str) -> None:
    found = "[m for m in ('torch', 'pandas') if m in sys.modules]"
    done = python(f"import sys; {LISTING[what]}; print({found}, file=sys.stderr)")
    assert done.stderr.strip() == "[]"


def test_fragments_and_buttons_are_ours() -> None:
    home = ROOT / "pages" / "ui" / "fragment.py"
    assert not [module(p) for p in FILES if p != home and "st.fragment" in p.read_text("utf-8")]
    # Streamlit writes white on them; on the dark theme's accent that has a contrast of 2.2, AA asks for 4.5.
    assert not [module(p) for p in FILES if 'type="primary"' in p.read_text(encoding="utf-8")]


def test_every_streamlit_option_exists_and_some_are_ours() -> None:
    """Collecting the garbage costs 130-190 ms per key press once torch is loaded (see .streamlit/config.toml)."""
    import tomllib

    from streamlit import config

    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["runner"]["postScriptGC"] is False
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["browser"]["gatherUsageStats"] is False
    config.get_config_options()
    for section, options in settings.items():
        for name in options:
            deep = [f".{key}" for key in options[name]] if isinstance(options[name], dict) else [""]
            for key in deep:  # RuntimeError for one that this Streamlit does not know
                config.get_option(f"{section}.{name}{key}")
