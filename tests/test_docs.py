"""What the documents at the top of the checkout say of it is there: paths, modules, lessons, layers,
commands, version."""

from __future__ import annotations

import re
import tomllib

import pytest

from engine import __version__
from engine.__main__ import main
from engine.core.registry import commands
from engine.course.curriculum import LESSONS
from tests.conftest import ROOT, together

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "docs/commands.md")
RUNS = "assets/runs/README.md"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def quoted(name: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`\n]+)`", read(name))


TOP = {p.name for p in ROOT.iterdir() if not p.name.startswith(".")} | {".streamlit"}


def is_path(words: str) -> bool:
    """Whether it can only mean a place in the checkout: it begins with a folder or is a file at the
    top, and nothing in it stands for something else."""
    first, slash, _ = words.partition("/")
    if re.search(r"[\s$~=()|]", pattern(words)):
        return False
    return first in TOP if slash else words in TOP


def pattern(path: str) -> str:
    """`pages/NNN_<lesson id>.py` as a pattern of names."""
    return re.sub(r"<[^>]*>|NNN|\{[^}]*\}", "*", path).rstrip("/")


def exists(path: str) -> bool:
    found = pattern(path)
    return any(ROOT.glob(found)) if "*" in found else (ROOT / found).exists()


def test_every_path_is_there() -> None:
    paths = [words for name in (*DOCUMENTS, RUNS) for words in quoted(name) if is_path(words)]
    assert len(paths) > 50
    assert not [path for path in paths if not exists(path)]


@together("name", (*DOCUMENTS, "CHANGELOG.md"))
def test_every_link_leads_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", read(name))
    folder = (ROOT / name).parent
    assert not [x for x in links if not x.startswith("https://") and not (folder / x).exists()]


@together("name", DOCUMENTS)
def test_every_module_is_there(name: str) -> None:
    for dotted in re.findall(r"\bengine(?:\.[a-z_0-9]+)+\b", " ".join(quoted(name))):
        place = ROOT.joinpath(*dotted.split("."))
        assert place.is_dir() or place.with_suffix(".py").is_file(), dotted


def test_the_packages_are_those_of_the_import_rules() -> None:
    rules = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(rule["layers"] for rule in rules if rule["type"] == "layers")
    want = [re.split(r" [|:] ", layer) for layer in reversed(layers)]
    cells = [line.split(" | ")[0] for line in read("ARCHITECTURE.md").splitlines()]
    found = [re.findall(r"`engine/(\w+)`", cell) for cell in cells if cell.startswith("| `engine/")]
    assert found == want


def test_the_readme_is_for_a_newcomer() -> None:
    """It is short, and the pages that it begins with are there, with their questions."""
    assert len(read("README.md").encode()) <= 6_000
    rows = re.findall(r"^\| (\S[^|]*) \| (\S[^|]*) \|$", read("README.md"), re.MULTILINE)
    asked = {lesson.title: lesson.question for lesson in LESSONS}
    assert len(rows) == 7  # the head of the table, and six pages
    assert all(asked[title] == question for title, question in rows[2:])


def test_every_command_that_is_told_is_one() -> None:
    named = re.findall(r"-m engine ([a-z]+)", read("docs/commands.md") + read("README.md"))
    assert len(named) > 20 and set(named) <= set(commands.ids())


def test_the_changelog_tells_this_version(capsys: pytest.CaptureFixture[str]) -> None:
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert versions[0] == __version__
    assert versions == sorted(versions, key=numbers, reverse=True)
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"Unrolled {__version__}\n"


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_a_missing_path_is_noticed() -> None:
    """The checks above are no use if they let everything pass."""
    assert is_path("engine/live/wire.py") and exists("engine/live/wire.py")
    assert is_path("engine/live/reading.py") and not exists("engine/live/reading.py")
    assert exists("pages/NNN_<lesson id>.py") and not exists("pages/NNN_<lesson id>.md")
    assert is_path("pages/ui/<lesson id>/")
    assert not is_path("--text my.txt")
    assert not is_path("$UNROLLED_HOME/runs")
